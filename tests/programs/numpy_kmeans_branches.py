"""k-means in loops until nothing moves: which centre wins, and how long it takes, differ on the second input."""

import numpy as np

BRANCHES = True


def program(points, centres):
    centres = centres.copy()
    labels = [-1] * len(points)
    rounds = 0
    changed = True
    while changed:
        changed = False
        rounds += 1
        for i, p in enumerate(points):
            nearest, best = 0, np.inf
            for k, c in enumerate(centres):
                d = np.sum((p - c) ** 2)
                if d < best:
                    nearest, best = k, d
            if labels[i] != nearest:
                labels[i] = nearest
                changed = True
        for k in range(len(centres)):
            members = [p for p, label in zip(points, labels) if label == k]
            if members:
                centres[k] = sum(members) / len(members)
    return centres, rounds


FIRST = {
    "points": np.array([[1.0, 0.9], [0.8, 1.1], [-1.0, -0.7], [-0.9, -1.2]]),
    "centres": np.array([[0.5, 0.5], [-0.5, -0.5]]),
}
SECOND = {
    "points": np.array([[-0.6, 1.2], [0.9, -0.4], [0.3, 0.2], [-1.1, 0.75]]),
    "centres": np.array([[0.1, 1.0], [0.2, 0.9]]),
}
