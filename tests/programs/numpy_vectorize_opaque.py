"""math.erf turned into an array function by np.vectorize, inside a GELU feed-forward."""

import math

import numpy as np

OPAQUE = True

erf = np.vectorize(math.erf)


def program(X, W):
    H = X @ W
    G = 0.5 * H * (1 + erf(H / np.sqrt(2)))
    return G, G.sum(axis=1)


FIRST = {"X": np.array([[1.0, 0.2], [0.1, 1.0]]), "W": np.array([[0.5, -0.8, 0.3], [0.4, 0.9, -0.6]])}
SECOND = {"X": np.array([[-0.4, 0.9], [1.2, -0.7]]), "W": np.array([[1.1, 0.2, -0.5], [0.7, -0.3, 0.8]])}
