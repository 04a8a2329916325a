"""np.array([row, row]) from rows, computed floats, generators and mixed nested lists; np.asarray; np.fromiter."""

import numpy as np


def program(X, a, b):
    first, second = X[0], X[1]
    pair = np.array([second, first])
    mixed = np.array([first, [a, b], X[1] * a])
    computed = np.array([a * b, a + b, np.sqrt(a), float(first[1])])
    grid = np.array([[a * i + b * j for j in range(3)] for i in range(2)])
    cosines = np.array([row @ first / (np.linalg.norm(row) * np.linalg.norm(first)) for row in X])
    running = np.fromiter((v * a for v in first), dtype=float)
    means = np.asarray([row.mean() for row in X])
    same = np.asarray(pair)
    same[0, 0] = b
    stacked = np.array(list(X[:2]) + [pair[1]])
    rows = []
    for i in range(len(X)):
        rows.append(X[i] - means[i])
    centred = np.array(rows)
    cell = np.array(a) * np.array([b])
    return pair, mixed, computed, grid, cosines, running, means, stacked, centred, cell


FIRST = {"X": np.array([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]), "a": 0.9, "b": -0.4}
SECOND = {"X": np.array([[1.3, 0.6], [-0.7, 0.9], [0.1, -1.1]]), "a": 1.6, "b": 0.3}
