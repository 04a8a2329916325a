"""A gradient check: np.ndindex over a weight nudged in place and put back, against the formula."""

import numpy as np


def loss(W, X, Y):
    return 0.5 * np.sum((np.tanh(X @ W) - Y) ** 2)


def numeric(f, W, h=1e-5):
    grad = np.zeros_like(W)
    for index in np.ndindex(*W.shape):
        old = W[index]
        W[index] = old + h
        up = f(W)
        W[index] = old - h
        down = f(W)
        W[index] = old
        grad[index] = (up - down) / (2 * h)
    return grad


def program(W, X, Y):
    W = W.copy()
    approximate = numeric(lambda w: loss(w, X, Y), W)
    A = np.tanh(X @ W)
    exact = X.T @ ((A - Y) * (1 - A**2))
    relative = np.abs(approximate - exact).max() / np.abs(exact).max()
    return approximate, exact, relative < 1e-6, loss(W, X, Y)


FIRST = {
    "W": np.array([[0.5, -0.3], [0.2, 0.8]]),
    "X": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]),
    "Y": np.array([[0.4, 0.1], [-0.2, 0.9], [0.7, 0.3]]),
}
SECOND = {
    "W": np.array([[-0.4, 0.9], [1.1, 0.6]]),
    "X": np.array([[0.35, -0.7], [1.2, 0.5], [-0.8, 0.15]]),
    "Y": np.array([[-0.1, 0.6], [0.25, 0.45], [0.85, -0.95]]),
}
