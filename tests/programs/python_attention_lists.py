"""Attention on nested lists: a dot product by sum and zip, math.exp, a weighted sum by loops."""

import math


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def softmax(row):
    biggest = max(row)
    exps = [math.exp(value - biggest) for value in row]
    total = sum(exps)
    return [value / total for value in exps]


def program(queries, keys, values):
    d_k = len(keys[0])
    scores = [[dot(q, k) / math.sqrt(d_k) for k in keys] for q in queries]
    weights = [softmax(row) for row in scores]
    outputs = []
    for row in weights:
        mixed = [0.0] * len(values[0])
        for w, v in zip(row, values):
            for j in range(len(v)):
                mixed[j] += w * v[j]
        outputs.append(mixed)
    return outputs, weights


FIRST = {
    "queries": [[0.2, 1.0], [1.0, 0.1], [0.6, 0.3]],
    "keys": [[1.0, 0.2], [0.1, 1.0], [0.3, 0.6]],
    "values": [[1.0, 0.2, -0.5], [0.1, 1.0, 0.7], [0.3, 0.6, 1.1]],
}
SECOND = {
    "queries": [[0.9, -0.4], [0.3, 1.2], [-0.8, 0.5]],
    "keys": [[0.4, 0.7], [-0.6, 0.9], [1.3, -0.2]],
    "values": [[0.8, -1.2, 0.4], [1.5, 0.3, -0.9], [-0.7, 0.2, 0.5]],
}
