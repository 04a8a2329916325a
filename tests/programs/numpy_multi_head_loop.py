"""Heads in a Python loop over np.split weights, collected in a list, np.concatenate on the last axis."""

import numpy as np


def attend(Q, K, V):
    scores = np.dot(Q, K.T) / K.shape[1] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum(axis=1)[:, None]
    return np.dot(weights, V)


def program(X, W_Q, W_K, W_V, W_O):
    heads = []
    for w_q, w_k, w_v in zip(np.split(W_Q, 2, axis=1), np.split(W_K, 2, axis=1), np.hsplit(W_V, 2)):
        heads.append(attend(X @ w_q, X @ w_k, X @ w_v))
    concatenated = np.concatenate(heads, axis=-1)
    averaged = sum(heads) / len(heads)
    return concatenated.dot(W_O), averaged, np.stack(heads).shape


FIRST = {
    "X": np.array([[0.4, -0.3, 0.8, 0.1], [1.0, 0.6, -0.2, 0.5]]),
    "W_Q": np.cos(np.arange(16.0)).reshape(4, 4),
    "W_K": np.sin(np.arange(16.0) * 1.3 + 0.2).reshape(4, 4),
    "W_V": np.cos(np.arange(16.0) * 0.7 + 0.3).reshape(4, 4),
    "W_O": np.sin(np.arange(12.0) * 2.1 + 0.4).reshape(4, 3),
}
SECOND = {
    "X": np.array([[-0.9, 0.7, 0.2, 1.1], [0.3, -0.4, 0.6, -0.8]]),
    "W_Q": np.cos(np.arange(16.0) * 0.9 + 0.75).reshape(4, 4),
    "W_K": np.sin(np.arange(16.0) * 0.4 + 1.2).reshape(4, 4),
    "W_V": np.cos(np.arange(16.0) * 1.6 + 0.9).reshape(4, 4),
    "W_O": np.sin(np.arange(12.0) * 0.8 + 2.4).reshape(4, 3),
}
