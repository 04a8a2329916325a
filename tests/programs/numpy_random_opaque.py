"""Weights drawn from a seeded generator: numbers whose origin is the generator, then ordinary layers."""

import numpy as np

OPAQUE = True


def program(X, scale):
    rng = np.random.default_rng(7)
    W = rng.normal(size=(2, 3)) * scale
    b = rng.uniform(-0.1, 0.1, size=3)
    order = rng.permutation(len(X))
    return np.tanh(X[order] @ W + b)


FIRST = {"X": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6]]), "scale": 0.5}
SECOND = {"X": np.array([[-0.4, 0.9], [1.2, -0.7], [0.8, 0.35]]), "scale": 0.3}
