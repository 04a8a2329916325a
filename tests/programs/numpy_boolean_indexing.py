"""Boolean masks: reading, assigning, in-place change, np.nonzero, combining with & and ~ (same number kept)."""

import numpy as np


def program(X, lengths, threshold):
    keep = X > threshold
    kept = X[keep]
    relu = X.copy()
    relu[relu < 0] = 0
    scaled = X.copy()
    scaled[keep] *= 10.0
    scaled[~keep] = -X[~keep]
    rows = X[X.sum(axis=1) > 0]
    positions = np.arange(X.shape[1])
    padding = positions[None, :] >= lengths[:, None]
    hidden = np.where(padding, -np.inf, X)
    weights = np.exp(hidden)
    weights[np.isinf(hidden)] = 0
    both = X[keep & ~padding]
    i, j = np.nonzero(keep)
    return kept, relu, scaled, rows, weights, both.sum(), X[i, j] - kept, X[:, [True, False, True]]


FIRST = {
    "X": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [-1.2, -0.7, 0.1]]),
    "lengths": np.array([3, 2, 1]),
    "threshold": 0.25,
}
SECOND = {
    "X": np.array([[-0.4, 1.1, 0.9], [-0.9, 0.15, 0.65], [0.05, -1.6, -0.2]]),
    "lengths": np.array([2, 3, 1]),
    "threshold": 0.35,
}
