"""Indices that are numbers: argmax, argsort, nearest neighbour, one-hot by assignment, top-k, cumulative index."""

import numpy as np


def program(X, q):
    d = ((X - q) ** 2).sum(axis=1)
    i = d.argmin()
    near = X[i]
    near2 = X[int(d.argmax())][0]
    order = np.argsort(d)
    top = X[order[:2]]
    hot = np.zeros((len(X), 3))
    hot[np.arange(len(X)), X.argmax(axis=1)] = 1.0
    hot[order[0], 0] += 5
    best = max(range(len(d)), key=lambda j: d[j])
    j, k = np.unravel_index(X.argmax(), X.shape)
    Y = X.copy()
    Y[i] = 0
    Y[order[-1]] *= 2
    Y[best, 1] = q[0]
    return (
        near,
        near2,
        top,
        hot,
        X[j, k],
        Y,
        d[order],
        np.take_along_axis(X, X.argsort(axis=1), axis=1),
        X[np.unravel_index(2, X.shape)],
    )


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]), "q": np.array([0.4, 0.1, 0.2])}
SECOND = {"X": np.array([[0.5, 1.1, -0.3], [0.1, 0.3, 0.4], [0.9, 0.6, 2.1]]), "q": np.array([0.6, 0.9, -0.2])}
BRANCHES = True
