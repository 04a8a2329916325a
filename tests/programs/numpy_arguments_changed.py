"""A function that changes the array it is given, without a copy: the argument itself comes out changed."""

import numpy as np


def softmax_in_place(S):
    S -= S.max(axis=-1, keepdims=True)
    np.exp(S, out=S)
    S /= S.sum(axis=-1, keepdims=True)


def centre(rows):
    for row in rows:
        row -= row.mean()


def program(S, X):
    softmax_in_place(S)
    centre(X)
    X[0] = S[0] @ X
    return S, X, S @ X


FIRST = {"S": np.array([[0.5, -1.0], [0.8, 0.2]]), "X": np.array([[1.3, 0.4], [-0.7, 0.9]])}
SECOND = {"S": np.array([[-0.3, 0.6], [1.1, 0.9]]), "X": np.array([[0.25, -0.8], [0.7, 1.5]])}
