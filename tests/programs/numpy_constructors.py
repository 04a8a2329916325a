"""Arrays made from nothing or from shapes: zeros, ones, full, eye, arange, linspace, tril, triu, diag, empty."""

import numpy as np


def program(X, c, start, stop):
    n = X.shape[0]
    zeros, ones = np.zeros(n), np.ones_like(X)
    filled = np.full((n, n), c)
    like = np.full_like(X, c)
    line = np.linspace(start, stop, 5)
    steps = np.arange(start, start + 1.0, 0.25)
    identity = np.eye(n) * c + np.identity(n)
    lower, upper = np.tril(X), np.triu(X, k=1)
    diagonal = np.diag(X)
    matrix = np.diag(X[0])
    empty = np.empty((2, n))
    empty[0], empty[1] = c, X[1]
    zeros[1:] = c
    return zeros, ones * c, filled, like, line, steps, identity, lower, upper, diagonal, matrix, empty


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]), "c": 0.7, "start": 0.0, "stop": 1.5}
SECOND = {"X": np.array([[-0.2, 0.9, 1.1], [0.4, -1.3, 0.6], [0.85, 0.15, 1.4]]), "c": -0.9, "start": -0.5, "stop": 0.8}
