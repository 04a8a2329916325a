"""Loops that change what they walk over; enumerate over rows with writes; zip of views; nditer."""

import numpy as np


def program(A, k):
    A = A.copy()
    for row in A:
        row *= k
        row[0] = row.sum()
    for i, row in enumerate(A):
        A[(i + 1) % len(A)] += row
    for col in A.T:
        col -= col.mean()
    for a, b in zip(A[:-1], A[1:]):
        b += a
    for x in A.flat:
        pass
    total = 0.0
    for r in reversed(A):
        total = total * 0.5 + r[0]
    rows = list(A)
    rows[0][1] = 100.0 * k
    rows = sorted(rows, key=lambda r: len(r))
    it = iter(A)
    first = next(it).copy()
    rest = [r * 2 for r in it]
    return A, total, rows[0], first, rest, x


FIRST = {"A": np.array([[0.5, 1.0], [2.0, -1.0], [0.25, 0.75]]), "k": 2.0}
SECOND = {"A": np.array([[1.5, 0.1], [0.4, -0.3], [1.25, 0.5]]), "k": 0.5}
