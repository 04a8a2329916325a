"""ravel, reshape that copies, broadcast views, diagonal views, sliding windows, views as other types, np.asarray."""

import numpy as np


def program(A, k):
    A = A.copy()
    r = A.ravel()
    r[0] = k
    t = A.T.reshape(-1)
    t[1] = 99.0
    b = np.broadcast_to(A[0], (2, 3))
    A[0, 1] += 1
    c = b * 1
    d = np.asarray(A)
    d[1, 1] = k * 2
    e = np.array(A)
    e[0, 0] = -1
    np.fill_diagonal(A[:, 1:], k)
    s = np.squeeze(A[None])
    s[0, 0] *= 3
    w = np.swapaxes(A, 0, 1)
    w[2] = w[0] + w[1]
    h, g = np.split(A, [1], axis=1)
    g += 10
    windows = np.array([A[0, i : i + 2] for i in range(2)])
    x = A[0]
    x = x[1:]
    x[0] = 0.125
    m = np.moveaxis(A, 0, -1)
    m += k
    return A, r, t, c, d, e, s, w, h, g, windows, x, m, r.sum(), np.hstack([h, g]) is A


FIRST = {"A": np.array([[0.5, 1.0, 3.0], [2.0, -1.0, 0.75]]), "k": 2.0}
SECOND = {"A": np.array([[1.5, 0.1, 0.2], [0.4, -0.3, 1.7]]), "k": 0.5}
