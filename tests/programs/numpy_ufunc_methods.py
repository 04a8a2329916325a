"""np.add.at for repeated indices, ufunc.reduce, accumulate and outer."""

import numpy as np

IDS = np.array([0, 2, 0, 1, 2, 0])


def program(gradients, x, ids):
    table = np.zeros((3, 2))
    np.add.at(table, IDS, gradients)
    lost = np.zeros((3, 2))
    lost[IDS] += gradients  # repeated rows count once here
    np.subtract.at(table, (ids, 0), 0.5)
    total = np.add.reduce(x)
    product = np.multiply.reduce(x, axis=0)
    highest = np.maximum.accumulate(x)
    outer = np.multiply.outer(x, x)
    differences = np.subtract.outer(x, x[:2])
    return table, lost, total, product, highest, outer, differences


FIRST = {
    "gradients": np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6], [-0.7, 0.8], [0.9, 1.0], [1.1, -1.2]]),
    "x": np.array([0.5, -1.0, 1.5, 0.25]),
    "ids": np.array([1, 1]),
}
SECOND = {
    "gradients": np.array([[0.9, -0.3], [0.2, 0.7], [-0.8, 0.1], [0.4, 0.55], [-0.6, 1.3], [0.35, 0.15]]),
    "x": np.array([1.2, 0.4, -0.9, 0.7]),
    "ids": np.array([2, 0]),
}
