"""Structured and object arrays are not followed: nothing crashes, nothing is invented."""

import numpy as np

OPAQUE = True


def program(x, v):
    rec = np.zeros(3, dtype=[("a", float), ("b", int)])
    rec["a"] = v
    rec["b"][1] = 4
    rec["a"][0] += x
    obj = np.array([x, "s", v], dtype=object)
    d = obj[0] * 2
    w = obj[2] + 1
    s = np.array(["1.5", "2.5"]).astype(float) * x
    c = v + 1j * x
    return rec["a"].copy(), d, w, s, np.abs(c), c.real, c.imag, c.conj() * c, rec["b"].sum()


FIRST = {"x": 0.5, "v": np.array([0.1, 0.7, -0.3])}
SECOND = {"x": 1.5, "v": np.array([0.4, -0.9, 1.3])}
