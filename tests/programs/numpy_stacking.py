"""stack, vstack, hstack, column_stack, concatenate and append, then cutting apart again."""

import numpy as np


def program(a, b, M):
    stacked = np.stack([a, b])
    along_last = np.stack((a, b), axis=-1)
    rows = np.vstack([a, b, M])
    line = np.hstack([a, b])
    columns = np.column_stack([a, b, a * b])
    joined = np.concatenate([M, M * 2], axis=0)
    longer = np.append(a, b[0])
    upper, lower = np.vsplit(joined, 2)
    first, second, third = columns.T
    return stacked, along_last, rows, line, columns, joined, longer, upper - lower, first + second * third


FIRST = {"a": np.array([0.5, -1.0]), "b": np.array([0.3, 0.9]), "M": np.array([[1.2, -0.4], [0.7, 0.1]])}
SECOND = {"a": np.array([1.4, 0.6]), "b": np.array([-0.8, 0.2]), "M": np.array([[0.35, 1.1], [-0.9, 0.75]])}
