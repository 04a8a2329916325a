"""Every way to multiply: @, dot, matmul, inner, outer, tensordot, multiply, the scalar product."""

import numpy as np


def program(A, B, x, y):
    return {
        "at": A @ B,
        "dot": np.dot(A, B),
        "method": A.dot(x),
        "left": x @ A,
        "scalar": x @ y,
        "matmul": np.matmul(A[None], B[None]),
        "inner": np.inner(A, B),
        "outer": np.outer(x, y),
        "tensordot": np.tensordot(A, B, axes=([0], [1])),
        "double": np.tensordot(A, B),
        "hadamard": A * B,
        "multiply": np.multiply(x, A),
        "nested": A @ (B @ (x - y)),
        "scaled": 2 * A @ x / 3,
    }


FIRST = {
    "A": np.array([[0.5, -1.0], [0.8, 0.2]]),
    "B": np.array([[1.3, 0.4], [-0.7, 0.9]]),
    "x": np.array([0.6, -0.3]),
    "y": np.array([1.1, 0.75]),
}
SECOND = {
    "A": np.array([[-0.6, 0.35], [1.2, 0.9]]),
    "B": np.array([[0.1, -1.4], [0.55, 0.25]]),
    "x": np.array([-0.85, 1.5]),
    "y": np.array([0.4, -0.2]),
}
