"""Module-level arrays, constants and tables; random numbers from a seeded generator; a class made on the spot."""

import numpy as np

W = np.array([[0.5, -1.0], [0.25, 2.0]])
EPS = 1e-5
TABLE = {"a": [1.0, 2.0], "b": (3.0, 4.0), "w": W[0]}
CONFIG = type("C", (), {"scale": 2.5, "dims": (2, 2)})()
rng = np.random.default_rng(0)


def norm(x, eps=EPS, axis=-1):
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + eps)


def program(X):
    noise = np.random.default_rng(7).normal(size=X.shape)
    np.random.seed(1)
    more = np.random.rand(2) + np.random.randn(*X.shape)
    H = X @ W * CONFIG.scale + TABLE["a"] + np.array(TABLE["b"]) * TABLE["w"] + noise
    return (
        norm(H),
        H.reshape(CONFIG.dims[0], -1),
        more,
        np.pi * X,
        X + np.float64(EPS),
        np.e,
        np.random.default_rng(2).integers(0, 5, 3) * X[0, 0],
    )


FIRST = {"X": np.array([[0.5, -1.0], [0.8, 0.2]])}
SECOND = {"X": np.array([[1.5, 0.3], [-0.8, 0.6]])}
