"""Loops over arrays: rows, columns by .T, elements, zip of two arrays, ndenumerate, .flat, enumerate, sum()."""

import numpy as np


def program(X, y):
    totals = []
    for row in X:
        total = 0.0
        for value in row:
            total += value**2
        totals.append(total)
    columns = [column.mean() for column in X.T]
    weighted = np.zeros(X.shape[1])
    for x_i, y_i in zip(X, y):
        weighted += y_i * x_i
    by_index = sum(value * (i + 2 * j) for (i, j), value in np.ndenumerate(X))
    squares = [v * v for v in X.flat]
    doubled = X.copy()
    for i, row in enumerate(X):
        for j in range(len(row)):
            doubled[i][j] = 2 * row[j] - y[i]
    largest = max(X[0])
    (a, b), *rest = X
    best = max(enumerate(y), key=lambda pair: pair[1])[1]
    return (
        totals,
        columns,
        weighted,
        by_index,
        squares,
        doubled,
        largest,
        a * b,
        rest[0],
        best,
        sum(X),
        min(y),
        sorted(y),
    )


FIRST = {"X": np.array([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]), "y": np.array([0.3, 1.1, -0.4])}
SECOND = {"X": np.array([[1.3, 0.6], [-0.7, 0.9], [0.1, -1.5]]), "y": np.array([0.45, 0.85, 0.2])}
