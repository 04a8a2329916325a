"""Functions that write into an argument: copyto, put, put_along_axis, fill_diagonal, fill."""

import numpy as np


def program(X, values, c):
    target = np.zeros_like(X)
    np.copyto(target, X)
    np.copyto(target, c, where=X < 0)
    matrix = X.copy()
    np.fill_diagonal(matrix, c)
    flat = X.copy()
    np.put(flat, [0, 4], values)
    best = X.argmax(axis=1)[:, None]
    marked = np.zeros_like(X)
    np.put_along_axis(marked, best, c, axis=1)
    whole = np.empty(3)
    whole.fill(c)
    corner = matrix[1:, 1:]
    np.copyto(corner, corner.T.copy())
    matrix.flat[1] = c * 2
    return target, matrix, flat, marked, whole


FIRST = {
    "X": np.array([[0.5, -1.2, 1.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]),
    "values": np.array([0.9, -0.9]),
    "c": 0.4,
}
SECOND = {
    "X": np.array([[1.4, 0.3, -0.7], [-0.1, 1.1, 0.6], [0.25, -1.5, 0.95]]),
    "values": np.array([0.35, 0.65]),
    "c": -0.8,
}
