"""A frozen linear layer with a trained low-rank update: requires_grad_(False), buffers, merged weights, grads."""

import torch
from torch import nn


class LowRankLinear(nn.Module):
    def __init__(self, base, rank, alpha):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.down = nn.Parameter(torch.full((rank, base.in_features), 0.1))
        self.up = nn.Parameter(torch.linspace(-0.5, 0.5, base.out_features * rank).view(-1, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.T @ self.up.T)

    @property
    def merged(self):
        return self.base.weight + self.scale * self.up @ self.down


def program(x, weight, alpha):
    base = nn.Linear(3, 2)
    base.weight.data = weight.clone()
    base.bias.data.zero_()
    layer = LowRankLinear(base, 1, alpha)
    y = layer(x)
    y.pow(2).mean().backward()
    return y, x @ layer.merged.T, layer.up.grad, layer.down.grad, base.weight.grad is None


FIRST = {
    "x": torch.tensor([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]),
    "weight": torch.tensor([[0.3, 0.6, -0.2], [-0.4, 0.9, 0.7]]),
    "alpha": 2.0,
}
SECOND = {
    "x": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45]]),
    "weight": torch.tensor([[0.15, -0.6, 1.1], [0.85, 0.45, -0.3]]),
    "alpha": 3.0,
}
