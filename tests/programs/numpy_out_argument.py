"""Results written with out= (as keyword and positionally), with where=, in place on the operand itself."""

import numpy as np


def program(S, V):
    buffer = np.empty_like(S)
    np.subtract(S, S.max(axis=1, keepdims=True), out=buffer)
    np.exp(buffer, out=buffer)
    totals = np.empty(len(S))
    np.sum(buffer, axis=1, out=totals)
    np.divide(buffer, totals[:, None], out=buffer)
    Y = np.zeros((S.shape[0], V.shape[1]))
    np.matmul(buffer, V, out=Y)
    first = Y[0].copy()
    np.multiply(Y[0], 2.0, Y[0])
    safe = np.full_like(Y, -1.0)
    np.log(Y, out=safe, where=Y > 0)
    running = np.empty_like(V)
    V.cumsum(axis=0, out=running)
    return buffer, Y, first, safe, running, np.add(1.0, totals, out=totals) is totals


FIRST = {"S": np.array([[0.5, 1.0, -0.3], [0.1, 0.2, 0.9]]), "V": np.array([[1.0, -0.9], [0.4, -0.5], [0.8, 0.6]])}
SECOND = {"S": np.array([[-0.4, 0.7, 1.2], [1.3, -0.6, 0.3]]), "V": np.array([[0.3, 0.2], [-1.1, 0.7], [0.9, -0.1]])}
