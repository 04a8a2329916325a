"""Less common matrix functions: kron, vdot, matrix_power, multi_dot, block, cross, rot90, cov, corrcoef."""

import numpy as np


def program(A, B, x):
    product = np.kron(A[0], x[:2])
    total = np.vdot(A, B)
    cubed = np.linalg.matrix_power(A, 3)
    chained = np.linalg.multi_dot([A, B, x[:2]])
    blocks = np.block([[A, B], [B, -A]])
    rows, columns = np.tril_indices(2)
    lower = A[rows, columns]
    turned = np.rot90(A) + np.flip(B)
    perpendicular = np.cross(x, x[::-1])
    covariance = np.cov(A)
    correlation = np.corrcoef(x, x[::-1] ** 2)
    made = np.fromfunction(lambda i, j: i * x[0] + j, (2, 3))
    halves = np.array_split(x, 2)
    return (
        product,
        total,
        cubed,
        chained,
        blocks,
        lower,
        turned,
        perpendicular,
        covariance,
        correlation[0, 1],
        made,
        halves,
    )


OPAQUE = True
FIRST = {
    "A": np.array([[0.5, -1.0], [0.8, 0.2]]),
    "B": np.array([[1.3, 0.4], [-0.7, 0.9]]),
    "x": np.array([0.6, -0.3, 1.1]),
}
SECOND = {
    "A": np.array([[-0.6, 0.35], [1.2, 0.9]]),
    "B": np.array([[0.1, -1.4], [0.55, 0.25]]),
    "x": np.array([-0.85, 1.5, 0.4]),
}
