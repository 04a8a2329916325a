"""Batch normalisation in training mode: running mean and variance are buffers changed by every call."""

import torch
from torch import nn


class RunningMean(nn.Module):
    def __init__(self, n, momentum):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        self.mean.mul_(1 - self.momentum).add_(self.momentum * x.mean(0))
        self.calls += 1
        return x - self.mean


def program(first, second, momentum):
    norm = nn.BatchNorm1d(2)
    mine = RunningMean(2, momentum)
    norm.train()
    outputs = [mine(norm(batch)) for batch in (first, second)]
    norm.eval()
    with torch.no_grad():
        final = norm(first)
    return outputs, final, norm.running_mean, norm.running_var, mine.mean, mine.calls


FIRST = {
    "first": torch.tensor([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]),
    "second": torch.tensor([[0.3, 1.1], [-0.4, 0.6], [0.9, 0.1]]),
    "momentum": 0.1,
}
SECOND = {
    "first": torch.tensor([[-0.9, 1.4], [0.35, -1.2], [0.75, 1.1]]),
    "second": torch.tensor([[1.3, 0.25], [0.15, -0.8], [-0.6, 0.45]]),
    "momentum": 0.3,
}
