"""Integer overflow, unsigned wrap-around, mixed types, true and floor division, shifts."""

import numpy as np


def program(a, b):
    small = (a * 100).astype(np.int8)
    wrapped = small * np.int8(3)
    unsigned = a.astype(np.uint8) - np.uint8(200)
    big = a.astype(np.int64) ** 20
    python = int(a[0]) ** 30
    d, m = divmod(a, b)
    s = (a << 2) | (b & 3)
    return (
        small,
        wrapped,
        unsigned,
        big,
        float(python % 1000003),
        d,
        m,
        s,
        a // -b,
        -a % b,
        a / b,
        ~a,
        bool(a[0] > 1),
        a.mean(),
        int(b[1]) // 2,
    )


FIRST = {"a": np.array([5, 8, 3]), "b": np.array([2, 3, 7])}
SECOND = {"a": np.array([9, 2, 6]), "b": np.array([4, 5, 3])}
