"""Biases added to the scores: linear in distance with a slope per head, and a learned table of relative distances."""

import torch
from torch import nn


class RelativeBias(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.table = nn.Parameter(table)

    def forward(self, n):
        distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
        bucket = distance.clamp(-2, 2) + 2
        return self.table[bucket].permute(2, 0, 1)


def program(q, k, table):
    n = q.shape[-2]
    scores = q @ k.mT / q.shape[-1] ** 0.5
    slopes = 2.0 ** -torch.arange(1, 3)
    distance = (torch.arange(n)[None, :] - torch.arange(n)[:, None]).float()
    linear = scores + slopes[:, None, None] * distance
    causal = torch.full((n, n), float("-inf")).triu(1)
    learned = scores + RelativeBias(table)(n)
    return (linear + causal).softmax(-1), learned.softmax(-1)


FIRST = {
    "q": torch.sin(torch.arange(12.0)).reshape(2, 3, 2),
    "k": torch.cos(torch.arange(12.0)).reshape(2, 3, 2),
    "table": torch.tensor([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6], [-0.7, 0.8], [0.9, 1.0]]),
}
SECOND = {
    "q": torch.sin(1.3 * torch.arange(12.0) + 0.4).reshape(2, 3, 2),
    "k": torch.cos(0.6 * torch.arange(12.0) + 0.9).reshape(2, 3, 2),
    "table": torch.tensor([[-0.3, 0.7], [1.1, 0.15], [-0.6, 0.4], [0.25, -0.9], [0.55, 0.35]]),
}
