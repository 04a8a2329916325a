"""np.errstate, a division by zero put right, LinAlgError caught and a regularised inverse used instead."""

import numpy as np


def invert(A):
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        return np.linalg.inv(A + 0.1 * np.eye(len(A)))


def program(X, u):
    with np.errstate(divide="ignore", invalid="ignore"):
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        unit = X / norms
    unit[np.isnan(unit)] = 0.0
    clean = np.nan_to_num(np.log(np.abs(u)) * u)
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    inverse = invert(singular)
    regular = invert(singular + np.diag(u))
    finite = np.isfinite(unit).all()
    return unit, clean, inverse @ u, regular, finite


FIRST = {"X": np.array([[0.5, -1.0], [0.0, 0.0], [1.2, 0.7]]), "u": np.array([0.6, 1.4])}
SECOND = {"X": np.array([[-0.9, 0.3], [0.0, 0.0], [0.45, 1.6]]), "u": np.array([1.1, -0.8])}
