"""torch.einsum for projections, scores, trace, outer and bilinear forms."""

import torch


def program(X, W, A, u):
    q, k = torch.einsum("bld,khdc->kbhlc", X, W)
    scores = torch.einsum("bhic,bhjc->bhij", q, k) / q.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    mixed = torch.einsum("bhij,bjd->bihd", weights, X)
    trace = torch.einsum("ii", A)
    diagonal = torch.einsum("ii->i", A)
    outer = torch.einsum("i,j->ij", u, u)
    form = torch.einsum("i,ij,j", u, A, u)
    transposed = torch.einsum("ij->ji", A)
    return mixed, trace, diagonal, outer, form, transposed, torch.einsum("...d->...", X)


FIRST = {
    "X": torch.sin(torch.arange(12.0)).reshape(2, 3, 2),
    "W": torch.cos(torch.arange(16.0)).reshape(2, 2, 2, 2),
    "A": torch.tensor([[0.5, -1.0], [0.8, 0.2]]),
    "u": torch.tensor([0.3, 1.1]),
}
SECOND = {
    "X": torch.sin(0.6 * torch.arange(12.0) + 1.0).reshape(2, 3, 2),
    "W": torch.cos(1.4 * torch.arange(16.0) + 0.5).reshape(2, 2, 2, 2),
    "A": torch.tensor([[-0.7, 0.4], [0.6, 1.3]]),
    "u": torch.tensor([-0.9, 0.55]),
}
