"""Type changes: astype(float32), integer arrays, true and floor division, results that change type, dtype=."""

import numpy as np


def program(X, n, counts):
    single = X.astype(np.float32)
    product = single @ single.T
    mixed = single * X
    integers = counts.astype(int)
    shares = integers / integers.sum()
    halves = integers // 2
    remainder = integers % 2
    parity = (-1) ** integers
    truncated = (X * n).astype(np.int64)
    back = np.float32(n) * single[0]
    summed = single.sum(dtype=np.float64)
    flags = (X > 0).astype(np.float64)
    squares = np.arange(n) ** 2
    typed = np.array([1, 2, n], dtype=np.float32) / 3
    weights = np.ones(3, dtype="float32") * np.float32(0.1) + X[0].astype("f4")
    integers[0] += n
    return (
        product,
        mixed,
        shares,
        halves,
        remainder,
        parity,
        truncated,
        back,
        summed,
        flags,
        squares.sum(),
        typed,
        weights,
        integers,
    )


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]), "n": 5, "counts": np.array([3, 1, 4, 2])}
SECOND = {"X": np.array([[1.3, 0.4, -0.7], [-0.9, 1.1, 0.25]]), "n": 7, "counts": np.array([2, 5, 1, 6])}
