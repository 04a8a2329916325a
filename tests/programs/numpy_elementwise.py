"""One-argument functions and operators: exp, log, sqrt, trig, tanh, log1p, floor, %, //, comparisons as numbers."""

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def gelu(z):
    return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))


def program(x, y):
    return [
        np.exp(x),
        np.log(y),
        np.sqrt(y),
        np.square(x),
        np.tanh(x),
        np.sin(x),
        np.cos(x),
        np.log1p(y),
        np.expm1(x),
        np.floor(x * 10),
        np.ceil(x * 10),
        np.round(x * 3, 1),
        x % 1.0,
        y // 0.3,
        sigmoid(x),
        gelu(x),
        x * np.log(y / 0.5),
        (x > 0) * y,
        (x <= y).astype(float),
        -x + +y,
        1 / y,
        2**x,
        np.add(x, 1),
        np.subtract(x, y),
        np.negative(x),
    ]


FIRST = {"x": np.array([0.5, -1.2, 0.9]), "y": np.array([0.4, 1.3, 0.7])}
SECOND = {"x": np.array([-0.8, 1.1, 0.3]), "y": np.array([1.6, 0.2, 1.05])}
