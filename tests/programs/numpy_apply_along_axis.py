"""A function of one's own handed to np.apply_along_axis, along rows and along columns."""

import numpy as np


def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def normalise(column):
    return (column - column.mean()) / column.std()


def program(S):
    weights = np.apply_along_axis(softmax, 1, S)
    standard = np.apply_along_axis(normalise, 0, S)
    lengths = np.apply_along_axis(np.linalg.norm, 1, S)
    spans = np.apply_along_axis(lambda r: r.max() - r.min(), axis=1, arr=S)
    return weights, standard, lengths, spans


FIRST = {"S": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]])}
SECOND = {"S": np.array([[-0.4, 1.3, 0.9], [0.1, 0.75, 1.6]])}
