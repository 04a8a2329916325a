"""Broadcasting with None and np.newaxis: pairwise distances, a Gaussian kernel, a running outer sum."""

import numpy as np


def program(X, centres, width):
    differences = X[:, None, :] - centres[None, :, :]
    squared = (differences**2).sum(axis=-1)
    distances = np.sqrt(squared)
    kernel = np.exp(-squared / (2 * width**2))
    centred = X - X.mean(axis=0)
    scaled = centred / X.std(axis=0)
    by_rows = X / X.sum(axis=1)[:, np.newaxis]
    table = np.arange(3)[:, np.newaxis] * np.array([1, 10, 100]) + width
    grid_x, grid_y = np.meshgrid(X[:, 0], centres[:, 1])
    return distances, kernel, scaled, by_rows, table, grid_x * grid_y, kernel.argmax(axis=1).shape


FIRST = {
    "X": np.array([[0.5, 1.0], [0.8, -0.3], [1.2, 0.7]]),
    "centres": np.array([[0.4, 0.6], [-0.9, 1.1]]),
    "width": 0.8,
}
SECOND = {
    "X": np.array([[-0.4, 1.3], [0.9, 0.6], [0.2, -1.5]]),
    "centres": np.array([[1.0, -0.2], [0.7, 0.35]]),
    "width": 1.3,
}
