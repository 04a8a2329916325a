"""Causal attention with -inf above the diagonal from np.triu(np.full(...), k=1), and the same mask as booleans."""

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def program(X, W_Q, W_K, W_V):
    n = len(X)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / np.sqrt(K.shape[1])
    mask = np.triu(np.full((n, n), -np.inf), k=1)
    weights = softmax(scores + mask)
    hidden = np.tril(np.ones((n, n))) == 0
    blocked = scores.copy()
    blocked[hidden] = -1e9
    return weights, weights @ V, np.abs(softmax(blocked) - weights).max() < 1e-12


FIRST = {
    "X": np.array([[0.5, -0.2, 0.1], [0.9, 0.3, -0.7], [-0.4, 1.1, 0.6], [0.2, 0.8, -1.0]]),
    "W_Q": np.array([[0.3, 0.5], [-0.6, 0.1], [0.8, -0.2]]),
    "W_K": np.array([[0.7, -0.4], [0.2, 0.9], [-0.5, 0.3]]),
    "W_V": np.array([[1.0, 0.0], [0.5, -0.5], [0.2, 1.3]]),
}
SECOND = {
    "X": np.array([[-0.8, 0.4, 0.7], [0.1, -0.6, 1.2], [0.6, 0.9, -0.3], [1.4, -0.5, 0.2]]),
    "W_Q": np.array([[-0.2, 0.9], [0.4, 0.6], [1.1, 0.3]]),
    "W_K": np.array([[0.5, 0.8], [-0.7, 0.1], [0.6, -0.9]]),
    "W_V": np.array([[0.3, 1.2], [-0.4, 0.7], [0.9, -0.1]]),
}
