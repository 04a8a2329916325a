"""Every augmented assignment on arrays, elements, slices and attributes, told apart from x = x + y."""

import numpy as np


class Holder:
    def __init__(self, value):
        self.value = value


def program(X, y, n):
    A = X.copy()
    alias = A
    A += y
    A = A * 2  # a new array: alias stays behind
    A -= 1
    A[0] *= y
    A[:, 1] /= 2
    A[1:, :2] **= 2
    A[-1, -1] += alias[0, 0]
    A @= np.eye(3) * 0.5
    counts = n.copy()
    counts //= 2
    counts <<= 1
    n = n % 3
    n += 1
    holder = Holder(y.copy())
    same = holder.value
    holder.value += A[0]
    holder.value = holder.value + 1
    total = 0
    total += A.sum()
    total -= same[0]
    total **= 2
    table = {"y": y}
    table["y"] = table["y"] * 3
    return A, alias, counts, n, holder.value, same, total, table["y"]


FIRST = {
    "X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]),
    "y": np.array([0.4, 1.1, -0.7]),
    "n": np.array([5, 8, 3]),
}
SECOND = {
    "X": np.array([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45], [0.75, 1.1, -0.25]]),
    "y": np.array([1.3, -0.2, 0.9]),
    "n": np.array([7, 2, 10]),
}
