"""Sinusoidal positions in a double loop with range steps, math.sin, math.cos and element assignment."""

import math


def positions(length, d_model, base):
    table = [[0.0] * d_model for _ in range(length)]
    for pos in range(length):
        for i in range(0, d_model, 2):
            angle = pos / math.pow(base, i / d_model)
            table[pos][i] = math.sin(angle)
            if i + 1 < d_model:
                table[pos][i + 1] = math.cos(angle)
    return table


def program(X, base):
    PE = positions(len(X), len(X[0]), base)
    Z = [[0.0] * len(X[0]) for _ in X]
    for i in range(len(X)):
        for j in range(len(X[i])):
            Z[i][j] = X[i][j] + PE[i][j]
    distances = [sum((a - b) ** 2 for a, b in zip(PE[0], row)) ** 0.5 for row in PE]
    return Z, distances


FIRST = {"X": [[0.1, 0.2, 0.3, 0.4], [-0.5, 0.6, 0.7, -0.8], [1.0, 0.0, -1.0, 0.5]], "base": 10000.0}
SECOND = {"X": [[0.9, -0.1, 0.4, 1.2], [0.3, 0.8, -0.6, 0.2], [-0.4, 1.1, 0.7, -0.9]], "base": 100.0}
