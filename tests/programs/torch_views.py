"""Views changed in place: rows, columns through .T, view, reshape, narrow, unbind, detach and .data share memory."""

import torch


def program(x, c):
    base = x.clone()
    row = base[1]
    row += c
    flat = base.view(-1)
    flat[::2] *= 2
    column = base.T[0]
    column -= 1
    seen = base.sum()
    window = base.narrow(1, 1, 2)
    window[0] = window[1]
    first, second = base.unbind(0)
    first.add_(second)
    shared = base.detach()
    shared[0, 0] = c
    copied = base.reshape(3, 2).t().reshape(-1)
    copied[0] = 100 * c
    base.data.mul_(0.5)
    overlapping = base.view(-1).unfold(0, 3, 1).sum(dim=1)
    for r in base:
        r.div_(r.norm())
    return base, row, flat, column, seen, copied, overlapping


FIRST = {"x": torch.tensor([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]), "c": 0.7}
SECOND = {"x": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45]]), "c": -1.1}
