"""Sinusoidal positions, once in loops and once with slices, added to embeddings."""

import numpy as np


def positions_by_loops(length, d, n):
    table = np.zeros((length, d))
    for pos in range(length):
        for i in range(d // 2):
            wavelength = np.power(n, 2 * i / d)
            table[pos, 2 * i] = np.sin(pos / wavelength)
            table[pos, 2 * i + 1] = np.cos(pos / wavelength)
    return table


def positions_by_slices(length, d, n):
    position = np.arange(length)[:, np.newaxis]
    rate = np.exp(np.arange(0, d, 2) * -(np.log(n) / d))
    P = np.zeros((length, d))
    P[:, 0::2] = np.sin(position * rate)
    P[:, 1::2] = np.cos(position * rate)
    return P


def program(X, n):
    length, d = X.shape
    loops, slices = positions_by_loops(length, d, n), positions_by_slices(length, d, n)
    assert np.allclose(loops, slices)
    Z = X + loops
    Z += 0.5 * slices
    return Z, loops @ loops.T


FIRST = {"X": np.array([[0.1, 0.2, 0.3, 0.4], [-0.5, 0.6, 0.7, -0.8], [1.0, 0.0, -1.0, 0.5]]), "n": 10000}
SECOND = {"X": np.array([[0.9, -0.1, 0.4, 1.2], [0.3, 0.8, -0.6, 0.2], [-0.4, 1.1, 0.7, -0.9]]), "n": 500}
