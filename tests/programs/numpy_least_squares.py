"""A design matrix by np.c_ and np.r_, normal equations with np.linalg.solve, residuals and R squared."""

import numpy as np


def program(x, y, new):
    A = np.c_[np.ones(len(x)), x, x**2]
    coefficients = np.linalg.solve(A.T @ A, A.T @ y)
    fitted = A @ coefficients
    residuals = y - fitted
    r_squared = 1 - np.sum(residuals**2) / np.sum((y - y.mean()) ** 2)
    longer = np.r_[x, new, 0.5, [new * 2]]
    by_rows = np.r_[[x], [y]]
    predicted = coefficients @ np.array([1.0, new, new**2])
    return coefficients, fitted, r_squared, longer, by_rows, predicted


FIRST = {"x": np.array([0.1, 0.5, 0.9, 1.4]), "y": np.array([0.2, 0.3, 1.1, 1.9]), "new": 1.7}
SECOND = {"x": np.array([-0.8, 0.2, 0.6, 1.3]), "y": np.array([1.2, -0.4, 0.5, 0.7]), "new": -1.1}
