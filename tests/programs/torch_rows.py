"""Iterating a tensor's rows and elements, list comprehensions of tensors, stack, tensor of computed floats, sum()."""

import torch


def program(X, y):
    norms = torch.tensor([sum(v * v for v in row) ** 0.5 for row in X])
    scores = torch.stack([torch.dot(row, X[0]) for row in X])
    unit = torch.stack([row / n for row, n in zip(X, norms)])
    table = torch.empty(len(X), len(X))
    for i, a in enumerate(unit):
        for j, b in enumerate(unit):
            table[i, j] = a @ b
    total = sum(X)
    weighted = sum(w * row for w, row in zip(y, X))
    first, *others = X
    pairs = torch.tensor([[float(a), float(b) * 2] for a, b in zip(first, others[0])])
    columns = [c.mean() for c in X.T]
    return norms, scores, table, total, weighted, pairs, torch.stack(columns), max(y), torch.cat([first, others[-1]])


FIRST = {"X": torch.tensor([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]), "y": torch.tensor([0.3, 1.1, -0.4])}
SECOND = {"X": torch.tensor([[1.3, 0.6], [-0.7, 0.9], [0.1, -1.5]]), "y": torch.tensor([0.45, 0.85, 0.2])}
