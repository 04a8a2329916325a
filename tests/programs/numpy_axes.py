"""Axes moved about: transpose, T, swapaxes, moveaxis, expand_dims, squeeze, reshape with -1, ravel, flip."""

import numpy as np


def program(T, v):
    a = T.transpose(2, 0, 1)
    b = np.transpose(T[0])
    c = T.swapaxes(0, 1)
    d = np.swapaxes(T, -1, -2) @ T
    e = np.moveaxis(T, -1, 0)
    f = np.expand_dims(v, axis=0) + np.expand_dims(v, -1)
    g = np.squeeze(T[:1], axis=0)
    h = T.reshape(2, -1)
    i = T.reshape(-1, 3).T
    j = np.ravel(T.T)
    k = np.flip(T, axis=1)
    n = np.atleast_2d(v).T * v
    o = np.broadcast_to(v, (2, 3)).sum(axis=0)
    return a, b, c, d, e.sum(axis=0), f, g, h, i, j, k, n, o, T[..., -1], T[:, ::-1, 1:]


FIRST = {"T": np.linspace(-1.0, 1.2, 12).reshape(2, 2, 3), "v": np.array([0.3, -0.8, 1.1])}
SECOND = {"T": np.linspace(1.5, -0.7, 12).reshape(2, 2, 3), "v": np.array([1.4, 0.2, -0.5])}
