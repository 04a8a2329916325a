"""In-place changes through views of views of transposed and reversed views."""

import numpy as np


def program(A, k):
    A = A.copy()
    B = A.T[::-1]
    C = B[1:, :]
    C *= k
    D = C[0]
    D += 1.0
    D[:] = D[::-1]
    E = A.reshape(2, 6)[:, ::2]
    E -= 0.5
    before = A.copy()
    A[1], A[0] = A[0].copy(), A[1].copy()
    A[0], A[2] = A[2], A[0]
    A[:, 0] = A[:, 0][::-1]
    return A, B, C, D, E, before, A.sum(), C.sum(axis=0)


FIRST = {"A": np.arange(12.0).reshape(4, 3) * 0.3, "k": 2.0}
SECOND = {"A": np.arange(12.0).reshape(4, 3) ** 1.5, "k": -0.7}
