"""Empty arrays, 0-d arrays, arrays of one number used as numbers, item assignment into 0-d."""

import numpy as np


def program(x, v):
    empty = np.array([])
    none = v[v > 1e9]
    zero = np.array(x)
    zero += 1.0
    zero[()] = zero * 2
    alias = zero
    alias -= 0.25
    one = np.array([x])
    scalar = one[0] * 2
    out = np.concatenate([empty, v, none])
    total = none.sum() + empty.sum()
    m = np.zeros((0, 3)) @ np.ones((3, 2))
    return (
        zero,
        alias,
        float(zero) * 2,
        zero.item() + 1,
        scalar,
        out,
        total,
        m,
        np.atleast_1d(x),
        np.squeeze(one[None]),
        v[0:0].size,
        zero[...] * 1,
        np.max(v, initial=x),
    )


FIRST = {"x": 0.5, "v": np.array([0.1, 0.7, -0.3])}
SECOND = {"x": 1.5, "v": np.array([0.4, -0.9, 1.3])}
