"""Attention on integers written as literals, the same small numbers in many places."""

import math

W_K = [[1, 0], [0, 1], [1, 1], [0, 1]]
W_Q = [[0, 1], [1, 0], [1, 0], [1, 1]]


def matmul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def program(X, W_V):
    Q = matmul(X, W_Q)
    K = matmul(X, W_K)
    V = matmul(X, W_V)
    out = []
    for q in Q:
        scores = [sum(x * y for x, y in zip(q, k)) for k in K]
        exps = [math.exp(s / 2) for s in scores]
        weights = [e / sum(exps) for e in exps]
        out.append([sum(w * v[j] for w, v in zip(weights, V)) for j in range(2)])
    return {"scores_of_last": scores, "out": out}


FIRST = {"X": [[1, 0, 2, 0], [0, 2, 0, 1], [1, 1, 1, 1]], "W_V": [[1, 2], [0, 1], [2, 0], [1, 1]]}
SECOND = {"X": [[2, 1, 0, 1], [1, 0, 2, 0], [0, 1, 2, 2]], "W_V": [[2, 1], [1, 0], [0, 2], [2, 0]]}
