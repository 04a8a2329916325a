"""An encoder block in functions: attention, residual, layer norm with gamma and beta, ReLU feed-forward."""

import numpy as np


def softmax(x):
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


def feed_forward(x, W1, b1, W2, b2):
    return np.maximum(0, x @ W1 + b1) @ W2 + b2


def program(X, attention_weights, ffn, norms):
    W_Q, W_K, W_V, W_O = attention_weights
    for gamma, beta in norms:
        A = softmax((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1])) @ (X @ W_V) @ W_O
        X = layer_norm(X + A, gamma, beta)
        X = X + feed_forward(X, **ffn)
    return X, A


def matrix(start, rows, columns):
    return np.sin(start + 1.3 * np.arange(rows * columns)).reshape(rows, columns)


FIRST = {
    "X": matrix(0.3, 3, 4),
    "attention_weights": [matrix(0.1 * i, 4, 4) for i in range(1, 5)],
    "ffn": {"W1": matrix(0.5, 4, 6), "b1": matrix(0.2, 1, 6)[0], "W2": matrix(0.8, 6, 4), "b2": matrix(0.9, 1, 4)[0]},
    "norms": [(np.ones(4), np.zeros(4)), (np.array([0.5, 1.5, 1.0, 2.0]), np.array([0.1, -0.1, 0.2, 0.0]))],
}
SECOND = {
    "X": matrix(1.9, 3, 4),
    "attention_weights": [matrix(0.7 + 0.3 * i, 4, 4) for i in range(1, 5)],
    "ffn": {"W1": matrix(2.5, 4, 6), "b1": matrix(1.2, 1, 6)[0], "W2": matrix(1.7, 6, 4), "b2": matrix(0.4, 1, 4)[0]},
    "norms": [(np.full(4, 0.8), np.full(4, 0.3)), (np.array([1.1, 0.6, 0.9, 1.4]), np.array([-0.2, 0.4, 0.1, 0.5]))],
}
