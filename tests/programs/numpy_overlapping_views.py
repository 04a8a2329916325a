"""Two views over the same memory: writes through one read through the other, and x[1:] += x[:-1]."""

import numpy as np


def program(x):
    x = x.copy()
    head, tail = x[:4], x[2:]
    head *= 2.0
    seen = tail.sum()
    tail[0] = 10.0
    x[1:] += x[:-1]
    shifted = x[:-1]
    shifted[:] = x[1:]
    evens, odds = x[::2], x[1::2]
    evens += odds
    return x, head, tail, seen, head @ evens[:1].repeat(4)


FIRST = {"x": np.array([0.5, -1.0, 1.5, 0.25, 2.0, -0.75])}
SECOND = {"x": np.array([1.1, 0.3, -0.8, 1.7, -0.4, 0.9])}
