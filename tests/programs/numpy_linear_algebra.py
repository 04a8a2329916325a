"""numpy.linalg imported under other names: norm, solve, inv, det, and a projection built from them."""

import numpy as np
from numpy import linalg as la
from numpy.linalg import inv, norm


def program(A, b, v):
    x = la.solve(A, b)
    inverse = inv(A)
    check = inverse @ b - x
    determinant = la.det(A)
    unit = v / norm(v)
    projector = np.outer(unit, unit)
    reflected = (np.eye(len(v)) - 2 * projector) @ b
    cosine = b @ v / (norm(b) * norm(v))
    many = la.solve(A, np.column_stack([b, v]))
    ridge = la.inv(A.T @ A + 0.1 * np.eye(2)) @ A.T @ b
    return x, inverse, np.round(check, 12) == 0, determinant, projector, reflected, cosine, many, ridge


FIRST = {"A": np.array([[1.5, 0.4], [0.3, 0.9]]), "b": np.array([0.7, -0.2]), "v": np.array([1.0, 0.5])}
SECOND = {"A": np.array([[0.8, -0.6], [0.5, 1.2]]), "b": np.array([-0.4, 1.1]), "v": np.array([0.3, -0.9])}
