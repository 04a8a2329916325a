"""PageRank: columns normalised in place, damping, a fixed number of rounds, the change kept in a list."""

import numpy as np


def program(links, damping):
    links = links / links.sum(axis=0)
    n = links.shape[0]
    rank = np.ones(n) / n
    changes = []
    for _ in range(5):
        previous = rank
        rank = damping * links @ rank + (1 - damping) / n
        changes.append(np.abs(rank - previous).sum())
    order = rank.argsort()[::-1]
    return rank, changes, rank[order]


FIRST = {"links": np.array([[0, 1, 1, 0], [1, 0, 0, 2], [0, 1, 0, 1], [1, 0, 1, 0]]), "damping": 0.85}
SECOND = {"links": np.array([[0, 2, 0, 1], [1, 0, 3, 0], [2, 1, 0, 0], [0, 0, 1, 1]]), "damping": 0.7}
