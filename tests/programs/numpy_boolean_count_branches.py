"""A boolean index whose number of kept values, and an if on it, differ on the second input."""

import numpy as np

BRANCHES = True


def program(scores, limit):
    high = scores[scores > limit]
    if high.size > 2:
        centre = high.mean()
    else:
        centre = np.median(scores)
    outliers = []
    for i, s in enumerate(scores):
        if np.abs(s - centre) > 1.0:
            outliers.append(i)
    cleaned = np.delete(scores, outliers)
    return centre, cleaned.sum(), len(outliers), np.where(scores > limit)[0].sum()


FIRST = {"scores": np.array([0.5, 1.5, 0.9, -0.8, 1.1]), "limit": 0.6}
SECOND = {"scores": np.array([-0.4, 0.2, 1.9, 0.7, -1.3]), "limit": 0.95}
