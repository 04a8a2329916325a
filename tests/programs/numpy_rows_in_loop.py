"""np.zeros filled row by row: scores element by element, then Y[i] += W[i, j] * X[j]."""

import numpy as np


def program(X):
    n, d = X.shape
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            S[i, j] = np.dot(X[i], X[j]) / np.sqrt(d)
    W = np.zeros_like(S)
    for i in range(n):
        e = np.exp(S[i])
        W[i] = e / e.sum()
    Y = np.zeros((n, d))
    for i in range(n):
        for j in range(n):
            Y[i] += W[i, j] * X[j]
    return S, W, Y


FIRST = {"X": np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]])}
SECOND = {"X": np.array([[-0.3, 0.75, 0.2], [1.1, -0.4, 0.95], [0.6, 0.35, -1.2]])}
