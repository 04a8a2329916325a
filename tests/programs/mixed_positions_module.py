"""Positions computed in NumPy loops, kept as a torch buffer inside a module, read back as an array."""

import numpy as np
import torch
from torch import nn


def sinusoid(length, d):
    table = np.zeros((length, d))
    for position in range(length):
        table[position] = [position / np.power(10000, 2 * (i // 2) / d) for i in range(d)]
    table[:, 0::2] = np.sin(table[:, 0::2])
    table[:, 1::2] = np.cos(table[:, 1::2])
    return torch.FloatTensor(table).unsqueeze(0)


class WithPositions(nn.Module):
    def __init__(self, d, length, scale):
        super().__init__()
        self.register_buffer("table", sinusoid(length, d))
        self.scale = scale

    def forward(self, x):
        return self.scale * x + self.table[:, : x.size(1)].clone().detach()


def program(x, scale):
    module = WithPositions(x.shape[-1], 5, scale)
    z = module(x)
    similarity = np.inner(z.numpy()[0], module.table.numpy()[0])
    return z, similarity, np.corrcoef(similarity)[0, 1]


OPAQUE = True
FIRST = {"x": torch.sin(torch.arange(12.0)).reshape(1, 3, 4), "scale": 2.0}
SECOND = {"x": torch.cos(0.7 * torch.arange(12.0)).reshape(1, 3, 4), "scale": 1.3}
