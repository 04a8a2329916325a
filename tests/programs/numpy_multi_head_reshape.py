"""Multi-head attention with heads cut by reshape and transpose, batched matmul, and W_O."""

import numpy as np


class MultiHead:
    def __init__(self, W_Q, W_K, W_V, W_O, n_heads=2):
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.n_heads = n_heads

    def split(self, x):
        length, d = x.shape
        return x.reshape(length, self.n_heads, d // self.n_heads).transpose(1, 0, 2)

    def __call__(self, X):
        Q, K, V = (self.split(X @ W) for W in (self.W_Q, self.W_K, self.W_V))
        scores = np.matmul(Q, K.transpose(0, 2, 1)) / np.sqrt(Q.shape[-1])  # (h, L, L)
        scores -= scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights /= weights.sum(axis=-1, keepdims=True)
        heads = weights @ V
        concatenated = heads.transpose(1, 0, 2).reshape(X.shape[0], -1)
        return concatenated @ self.W_O, weights


def program(X, W_Q, W_K, W_V, W_O):
    return MultiHead(W_Q, W_K, W_V, W_O)(X)


def matrix(rows, columns, start, step):
    return np.sin(start + step * np.arange(rows * columns)).reshape(rows, columns)


FIRST = {
    "X": matrix(3, 4, 0.1, 0.7),
    "W_Q": matrix(4, 4, 0.2, 1.1),
    "W_K": matrix(4, 4, 0.3, 1.7),
    "W_V": matrix(4, 4, 0.4, 2.3),
    "W_O": matrix(4, 4, 0.5, 0.9),
}
SECOND = {
    "X": matrix(3, 4, 1.3, 0.8),
    "W_Q": matrix(4, 4, 2.2, 1.3),
    "W_K": matrix(4, 4, 1.9, 0.6),
    "W_V": matrix(4, 4, 0.8, 1.4),
    "W_O": matrix(4, 4, 2.6, 2.1),
}
