"""Chains of views: a view of a view, a broadcast read after a write, a copy by indexing, np.shares_memory."""

import numpy as np


def program(X, c):
    base = X.copy()
    middle = base[1:]
    inner = middle[:, ::2]
    inner[0] = c
    fancy = base[[1, 2]]  # a copy
    fancy[0] = -c
    transposed = middle.T
    transposed[1] += base[0, 0]
    spread = np.broadcast_to(base[0], (2, 3))
    base[0] = base[0] * 2
    summed = spread.sum(axis=0)
    scalar = base[0, 0]
    base[0, 0] = 100.0 * c
    cell = base[0:1, 0:1]
    cell += scalar
    frozen = base.copy()
    base[:] = 0.5 * c
    return base + middle.sum(), frozen, fancy, summed, scalar, inner, np.shares_memory(base, inner)


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]), "c": 0.9}
SECOND = {"X": np.array([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45], [0.75, 1.1, -0.25]]), "c": -1.3}
