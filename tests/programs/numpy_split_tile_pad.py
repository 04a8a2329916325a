"""split, tile, repeat, pad, roll, fliplr and flipud, and shifting by concatenation."""

import numpy as np


def program(x, M):
    left, right = np.split(x, 2)
    one, two, three = np.split(M, [1, 2], axis=1)
    tiled = np.tile(x[:2], 3)
    grid = np.tile(M, (2, 1))
    repeated = np.repeat(x, 2)
    rows = np.repeat(M, [1, 2], axis=0)
    padded = np.pad(x, 1)
    framed = np.pad(M, ((1, 0), (0, 2)), constant_values=0.5)
    edges = np.pad(x, (2, 1), mode="edge")
    rolled = np.roll(x, 1)
    shifted = np.concatenate([[0.0], x[:-1]])
    mirrored = M[:, ::-1] + np.fliplr(M) * np.flipud(M)
    smoothed = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    return (
        left * right,
        one,
        two + three,
        tiled,
        grid,
        repeated,
        rows,
        framed,
        edges,
        rolled,
        shifted,
        mirrored,
        smoothed,
    )


FIRST = {"x": np.array([0.5, -1.0, 1.5, 0.25, 0.8, -0.3]), "M": np.array([[0.1, 0.9, -0.4], [1.2, 0.6, 0.35]])}
SECOND = {"x": np.array([1.1, 0.7, -0.2, 1.8, -0.9, 0.45]), "M": np.array([[0.85, -0.6, 1.3], [0.15, -1.1, 0.55]])}
