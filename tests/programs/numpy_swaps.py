"""Swapping rows: by fancy assignment, by copies, of names, and the mistaken swap of two views."""

import numpy as np


def program(X):
    A = X.copy()
    A[[0, 1]] = A[[1, 0]]
    B = X.copy()
    B[0], B[2] = B[2].copy(), B[0].copy()
    wrong = X.copy()
    wrong[0], wrong[1] = wrong[1], wrong[0]  # both rows end up equal: the right side holds views
    C, D = A * 2, B + 1
    C, D = D, C
    E = X.copy()
    E[:, [0, 2]] = E[:, [2, 0]]
    p, q = X[0, 0], X[1, 1]
    p, q = q, p
    u = v = X.copy()
    u[0, 0] = 5 * q
    return A, B, wrong, C, D, E, p, q, v


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]])}
SECOND = {"X": np.array([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45], [0.75, 1.1, -0.25]])}
