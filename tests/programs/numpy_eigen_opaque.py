"""Principal components by np.linalg.eigh and a singular value decomposition: LAPACK inside, arithmetic around."""

import numpy as np

OPAQUE = True


def program(X):
    centred = X - X.mean(axis=0)
    C = centred.T @ centred / (len(X) - 1)
    values, vectors = np.linalg.eigh(C)
    projected = centred @ vectors[:, ::-1]
    U, s, Vt = np.linalg.svd(centred, full_matrices=False)
    rank_one = s[0] * np.outer(U[:, 0], Vt[0])
    return values / values.sum(), projected**2, rank_one


FIRST = {"X": np.array([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7], [-0.4, -1.1]])}
SECOND = {"X": np.array([[1.3, 0.4], [-0.7, 0.9], [0.15, -0.8], [0.75, 1.1]])}
