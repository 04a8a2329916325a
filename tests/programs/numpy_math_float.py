"""Numbers leaving arrays and coming back: float(x), .item(), .tolist(), math.exp(float(x)), int(), indexing twice."""

import math

import numpy as np


def program(S, V):
    weights = []
    for row in S:
        exps = [math.exp(float(s)) for s in row]
        total = sum(exps)
        weights.append([e / total for e in exps])
    W = np.array(weights)
    Y = W @ V
    top = S.max().item()
    listed = V.tolist()
    listed[0][1] += 1.0
    first = listed[0][0] * S[0][1] + float(S[1, 0])
    scalar = np.float64(first) / 2
    matrix = np.array([[math.sin(v) for v in r] for r in listed])
    length = math.sqrt(Y[0] @ Y[0])
    whole = int(top * 10) + round(float(Y[0, 0]), 2)
    return W, Y, top, listed, first, scalar, matrix, length, whole, math.fsum(S[0]), S.item(2), sum(V[0])


FIRST = {"S": np.array([[0.5, 1.2], [0.3, -0.4]]), "V": np.array([[1.0, -0.2], [0.6, 0.8]])}
SECOND = {"S": np.array([[0.7, 1.6], [-0.9, 0.2]]), "V": np.array([[0.35, 1.1], [-0.5, 0.9]])}
