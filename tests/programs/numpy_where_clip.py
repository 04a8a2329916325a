"""Elementwise choices: where in both forms, maximum, minimum, clip, abs, sign, power."""

import numpy as np


def program(x, slope, p):
    relu = np.maximum(x, 0)
    leaky = np.where(x > 0, x, slope * x)
    clipped = np.clip(x, -1, 1)
    soft = np.sign(x) * np.maximum(np.abs(x) - slope, 0.0)
    squares = np.power(np.abs(x), p) + x**2
    elu = np.where(x < 0, np.exp(x) - 1, x)
    low = np.minimum(x, x[::-1])
    index = np.where(x > 0)
    return relu, leaky, clipped, soft, squares, elu, low, x[index].sum(), -x, abs(x), x.clip(min=0.0)


FIRST = {"x": np.array([0.5, -1.5, 1.2, -0.2, 0.8]), "slope": 0.1, "p": 1.5}
SECOND = {"x": np.array([-0.7, 0.9, 1.6, 0.4, -1.1]), "slope": 0.3, "p": 2.5}
