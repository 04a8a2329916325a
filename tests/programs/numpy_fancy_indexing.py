"""Reading and assigning with integer arrays, lists, np.ix_, negative indices and tuples of both."""

import numpy as np


def program(E, ids, targets, patch):
    X = E[ids]
    rows = np.arange(len(ids))
    picked = X[rows, targets]
    corner = E[np.ix_([0, 2], [1, 2])]
    pairs = E[[0, 1, 2], [2, 1, 0]]
    E2 = E.copy()
    E2[[0, 3]] = patch
    E2[ids, -1] = 5.0
    E2[[1, 2], 0] += 1.0
    E2[..., 1] = E2[..., 1][::-1]
    X[rows, targets] -= 1.0
    deep = E[ids[:, None], np.array([0, 2])]
    return X, picked, corner, pairs, E2, deep, E[ids].mean(axis=0)


FIRST = {
    "E": np.array([[1.0, 0.2, -0.3], [0.1, 1.0, 0.5], [0.3, 0.6, 0.9], [0.2, 0.5, -1.1]]),
    "ids": np.array([0, 3, 1]),
    "targets": np.array([2, 0, 1]),
    "patch": np.array([[0.7, 0.8, 0.9], [-0.1, -0.2, -0.4]]),
}
SECOND = {
    "E": np.array([[0.6, -0.7, 0.4], [1.3, 0.9, -0.2], [-0.8, 0.15, 1.2], [0.55, -1.4, 0.35]]),
    "ids": np.array([2, 0, 3]),
    "targets": np.array([0, 1, 2]),
    "patch": np.array([[-1.0, 0.3, 0.1], [0.45, 0.95, 1.6]]),
}
