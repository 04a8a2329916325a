"""Reductions along axes with and without keepdims: sum, mean, max, min, var, std, prod, cumsum, norm."""

import numpy as np


def program(X):
    return {
        "sum": X.sum(),
        "rows": X.sum(axis=1),
        "columns": np.sum(X, axis=0, keepdims=True),
        "mean": X.mean(axis=-1, keepdims=True),
        "max": np.max(X, axis=0),
        "min": X.min(axis=1),
        "var": X.var(axis=1),
        "sample_var": np.var(X, axis=0, ddof=1),
        "std": np.std(X),
        "prod": X.prod(axis=0),
        "cumsum": np.cumsum(X, axis=1),
        "cumprod": np.cumprod(X[0]),
        "flat": np.cumsum(X),
        "norm": np.linalg.norm(X, axis=1),
        "frobenius": np.linalg.norm(X),
        "l1": np.linalg.norm(X, ord=1, axis=1),
        "both": X.sum(axis=(0, 1)),
        "rms": np.sqrt(np.mean(np.square(X))),
        "any": np.any(X > 0, axis=1),
        "differences": np.diff(X, axis=1),
        "trace": np.trace(X),
    }


FIRST = {"X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]])}
SECOND = {"X": np.array([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45], [0.75, 1.1, -0.25]])}
