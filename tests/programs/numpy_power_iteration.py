"""Principal components by power iteration and deflation on a covariance matrix, in a loop of fixed length."""

import numpy as np


def leading(C, v, n=20):
    for _ in range(n):
        v = C @ v
        v /= np.sqrt(v @ v)
    return v, v @ C @ v


def program(X, start):
    centred = X - X.mean(axis=0)
    C = centred.T @ centred / (len(X) - 1)
    first, variance = leading(C, start)
    deflated = C - variance * np.outer(first, first)
    second, smaller = leading(deflated, start)
    components = np.stack([first, second], axis=1)
    projected = centred @ components
    explained = np.array([variance, smaller]) / np.trace(C)
    return projected, explained, projected @ components.T + X.mean(axis=0)


FIRST = {
    "X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1], [-0.4, -1.1, 0.9]]),
    "start": np.array([1.0, 0.5, -0.5]),
}
SECOND = {
    "X": np.array([[1.3, 0.4, -0.2], [-0.7, 0.9, 0.6], [0.15, -0.8, 1.4], [0.75, 1.1, -0.35]]),
    "start": np.array([0.3, 1.0, 0.2]),
}
