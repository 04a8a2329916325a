"""Order of evaluation: a value read before a write keeps what it was; calls that write inside an expression."""

import numpy as np


def bump(a, k):
    a[0] += k
    return a[0]


def program(a, k):
    a = a.copy()
    first = a[0]
    total = a[0] + bump(a, k) + a[0] + bump(a, k) * a[0]
    row = a[1:3]
    kept = row * 1
    row[...] = 7.0 * k
    pair = (a[1], bump(a, 1.0), a[0])
    a[bump(a, 0) > 1e9] = 3.0
    a[1:] = a[:-1]
    b = a
    b = b + 1
    a[-1] = b[0] = k
    i = 0
    i, a[i] = 1, k * 5
    x, y = a[:2]
    a[0], a[1] = a[1] + x, a[0] * y
    return first, total, kept, pair, a, b, row, x, y


FIRST = {"a": np.array([0.5, 1.0, -0.75, 2.0]), "k": 0.5}
SECOND = {"a": np.array([1.5, -0.5, 0.25, 0.75]), "k": 1.25}
