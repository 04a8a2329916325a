"""Elimination on a list of lists: a pivot chosen by max with key, row swaps, a[i][j] -= factor * a[k][j]."""


def solve(a, b):
    n = len(b)
    a = [row[:] + [rhs] for row, rhs in zip(a, b)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[pivot] = a[pivot], a[k]
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= factor * a[k][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def program(matrix, rhs):
    x = solve(matrix, rhs)
    residual = [sum(m * xi for m, xi in zip(row, x)) - r for row, r in zip(matrix, rhs)]
    return x, sum(abs(r) for r in residual) < 1e-9


FIRST = {"matrix": [[0.5, 1.0, -0.3], [2.0, -0.4, 0.7], [-1.0, 0.6, 1.2]], "rhs": [1.0, -0.5, 0.8]}
SECOND = {"matrix": [[0.3, 1.2, 0.4], [1.7, 0.2, -0.6], [0.8, -0.5, 1.5]], "rhs": [-0.7, 1.1, 0.4]}
