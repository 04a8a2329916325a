"""argsort, sort, argmax, take, take_along_axis, ranks and a top-k mask, ndarray.sort in place."""

import numpy as np


def program(scores, table):
    order = np.argsort(scores)
    ranked = scores[order][::-1]
    descending = np.argsort(-table, axis=1)
    sorted_rows = np.take_along_axis(table, descending, axis=1)
    ascending = np.sort(table, axis=0)
    best = table.argmax(axis=1)
    best_values = table[np.arange(len(table)), best]
    top_two = np.take(scores, order[-2:])
    peak = scores[np.argmax(scores)]
    best_row = table[np.argmax(table.sum(axis=1))]
    rank = np.empty(len(scores), dtype=int)
    rank[order] = np.arange(len(scores))
    kept = np.where(rank >= 2, scores, -np.inf)
    top_k = np.exp(kept) / np.exp(kept).sum()
    in_place = scores.copy()
    in_place.sort()
    columns = table.take([1, 0], axis=1)
    return ranked, sorted_rows, ascending, best_values, top_two, peak, best_row, top_k, in_place, columns


FIRST = {"scores": np.array([0.5, -1.0, 1.5, 0.8]), "table": np.array([[0.2, 0.9, -0.4], [1.1, 0.3, 0.7]])}
SECOND = {"scores": np.array([1.2, 0.4, 1.9, -0.6]), "table": np.array([[0.8, -0.7, 0.1], [0.5, 1.3, -0.9]])}
