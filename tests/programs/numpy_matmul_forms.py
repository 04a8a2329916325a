"""Bits must agree whatever the layout: transposed, strided, Fortran-ordered and reversed operands."""

import numpy as np


def program(A, B):
    F = np.asfortranarray(A)
    S = np.concatenate([A, A])[::2]
    T = A.T
    buffer = np.zeros((16, 24))
    window = buffer[::2, ::3]
    window[...] = B
    old = window @ B.T
    window *= 2
    R = A[::-1, ::-1]
    out = np.empty((8, 8)).T
    np.matmul(T, A, out=out)
    strided = np.zeros((8, 16))[:, ::2]
    np.matmul(T, A, out=strided)
    Z = A.copy()
    V = Z.T
    p = V @ Z
    Z += 1.0
    return (
        F @ B,
        S.sum(),
        T @ A,
        old,
        window @ B.T,
        R.sum(axis=0),
        out,
        strided,
        out.sum(),
        strided.sum(axis=1),
        p,
        V @ Z,
        F.sum(),
        F.mean(axis=1),
        (A[:, ::2] @ B[::2]).sum(),
        buffer.sum(),
    )


rng = np.random.default_rng(3)
FIRST = {"A": rng.normal(size=(8, 8)), "B": rng.normal(size=(8, 8))}
SECOND = {"A": rng.normal(size=(8, 8)), "B": rng.normal(size=(8, 8))}
