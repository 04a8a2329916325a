"""Boolean scalars of NumPy are only two objects; comparisons stored, counted and combined."""

import numpy as np


def program(v, t):
    a = v[0] > t
    b = v[1] > t
    both = 1.0 if a and b else 0.5
    n = (v > t).sum()
    frac = (v > t).mean()
    gate = a * 2.0 - b * 1.0
    stored = [x > t for x in v]
    mask = np.array(stored)
    w = np.where(a, v, -v)
    c = np.bool_(True)
    k = np.logical_and(a, c)
    return (
        both,
        gate,
        n,
        frac,
        mask,
        w,
        v[mask].sum(),
        np.any(v > 10 * t),
        k,
        np.count_nonzero(mask),
        v * mask,
        int(a),
        np.all(mask),
        a ^ b,
    )


FIRST = {"v": np.array([0.5, -1.0, 0.3]), "t": 0.1}
SECOND = {"v": np.array([0.4, 1.0, -0.3]), "t": 0.2}
BRANCHES = True
