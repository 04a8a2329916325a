"""Two steps of k-means: argmin over distances, X[labels == k].mean(axis=0) for each centre."""

import numpy as np


def assign(X, centres):
    distances = np.linalg.norm(X[:, np.newaxis] - centres, axis=2)
    return np.argmin(distances, axis=1), distances


def program(X, centres):
    moved = []
    for _ in range(2):
        labels, distances = assign(X, centres)
        new = np.array([X[labels == k].mean(axis=0) for k in range(len(centres))])
        moved.append(np.linalg.norm(new - centres))
        centres = new
    inertia = sum(((X[labels == k] - c) ** 2).sum() for k, c in enumerate(centres))
    return centres, distances, inertia, moved


FIRST = {
    "X": np.array([[1.0, 0.9], [0.8, 1.1], [-1.0, -0.7], [-0.9, -1.2], [1.3, 0.6]]),
    "centres": np.array([[0.5, 0.5], [-0.5, -0.5]]),
}
SECOND = {
    "X": np.array([[1.4, 0.3], [0.6, 1.5], [-1.1, -0.2], [-0.4, -1.6], [0.95, 0.85]]),
    "centres": np.array([[0.7, 0.2], [-0.3, -0.8]]),
}
