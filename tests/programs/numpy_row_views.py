"""Views changed in place: row = Y[i]; row += ...; a column through .T; a slice multiplied; a loop over rows."""

import numpy as np


def program(X, shift):
    Y = X.copy()
    row = Y[1]
    row += shift
    before = row.sum()
    Y[1, 0] = 9.0
    after = row.sum()
    column = Y.T[2]
    column *= 2
    block = Y[:2, 1:]
    block -= block.mean()
    for r in Y:
        r /= np.linalg.norm(r)
    last = Y[-1]
    last[:] = last[::-1].copy()
    return Y, before, after, row, column, block


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]), "shift": np.array([0.1, 0.2, 0.3])}
SECOND = {"X": np.array([[1.1, 0.4, -0.9], [-0.2, 0.6, 1.3], [0.7, -0.8, 0.9]]), "shift": np.array([-0.4, 0.5, 0.8])}
