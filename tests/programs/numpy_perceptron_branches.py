"""A perceptron that updates only when wrong and stops when it no longer is: other branches on the second input."""

import numpy as np

BRANCHES = True


def program(X, y, w):
    w = w.copy()
    updates = 0
    for epoch in range(5):
        wrong = False
        for x_i, y_i in zip(X, y):
            if y_i * (w @ x_i) <= 0:
                w += y_i * x_i
                updates += 1
                wrong = True
        if not wrong:
            break
    margins = y * (X @ w)
    return w, updates, margins.min()


FIRST = {
    "X": np.array([[1.0, 0.5], [-0.5, 1.0], [0.8, -0.6], [-1.0, -0.4]]),
    "y": np.array([1, -1, 1, -1]),
    "w": np.array([0.1, 0.1]),
}
SECOND = {
    "X": np.array([[0.3, -0.9], [1.2, 0.4], [-0.6, 1.1], [0.9, 0.7]]),
    "y": np.array([1, 1, -1, 1]),
    "w": np.array([-0.5, 0.6]),
}
