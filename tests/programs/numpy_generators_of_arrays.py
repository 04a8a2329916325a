"""Batches by a generator with yield, a running mean, closures over arrays, zip(*...) and a dict of arrays."""

import numpy as np


def batches(X, y, size):
    for start in range(0, len(X), size):
        yield X[start : start + size], y[start : start + size]


def running(values):
    mean = None
    for n, value in enumerate(values, 1):
        mean = value.astype(float) if mean is None else mean + (value - mean) / n
        yield mean


def program(X, y, w):
    errors, products = zip(*((bx @ w - by, bx.T @ by) for bx, by in batches(X, y, 2)))
    *_, mean = running(X)
    projections = {name: X @ direction for name, direction in {"first": w, "reversed": w[::-1]}.items()}
    predict = lambda rows, scale=2.0: scale * rows @ w
    stats = {"mean": mean, "errors": np.concatenate(errors), "products": sum(products)}
    stats |= projections
    stats["predicted"] = predict(X[:2])
    return stats


FIRST = {
    "X": np.array([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7], [-0.3, 0.4]]),
    "y": np.array([0.3, 1.1, -0.4, 0.6]),
    "w": np.array([0.9, -0.5]),
}
SECOND = {
    "X": np.array([[1.3, 0.6], [-0.7, 0.9], [0.1, -1.5], [0.55, 1.05]]),
    "y": np.array([-0.45, 0.85, 0.2, 1.4]),
    "w": np.array([-0.15, 0.75]),
}
