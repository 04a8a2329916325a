"""Writing through reshape, ravel, a transposed view and steps; a copy by flatten that must not follow."""

import numpy as np


def program(A, k):
    A = A.copy()
    flat = A.reshape(-1)
    flat[::2] *= k
    copied = A.flatten()
    lines = A.reshape(3, 2)
    lines[1] = lines[0] + lines[2]
    A.T[0, 1] -= 1.0
    A.ravel()[-1] = k
    wide = A[None, :, ::-1]
    wide[0, 0] += 0.5
    A.shape = (3, 2)
    diagonal = A[:2].T
    diagonal[0] = 7.0 * k
    return A, flat, copied, lines, wide


FIRST = {"A": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]), "k": 3.0}
SECOND = {"A": np.array([[1.4, 0.6, -0.7], [-0.1, 0.9, 0.35]]), "k": -2.0}
