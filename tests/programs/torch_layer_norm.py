"""nn.LayerNorm, F.layer_norm and the same by hand as a module with scale and shift, plus a residual."""

import torch
import torch.nn.functional as F
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta


def program(x, gamma, beta):
    mine = LayerNorm(4)
    library = nn.LayerNorm(4)
    with torch.no_grad():
        mine.gamma.copy_(gamma)
        mine.beta.copy_(beta)
        library.weight.copy_(gamma)
        library.bias.copy_(beta)
    functional = F.layer_norm(x, (4,), eps=1e-3)
    return mine(x), library(x), functional, x + mine(x), library(x).mean(-1)


FIRST = {
    "x": torch.tensor([[0.5, -1.0, 0.3, 0.8], [1.2, 0.7, 0.1, -0.4]]),
    "gamma": torch.tensor([1.0, 0.5, 1.5, 2.0]),
    "beta": torch.tensor([0.1, -0.1, 0.2, 0.4]),
}
SECOND = {
    "x": torch.tensor([[-0.7, 0.4, 1.3, 0.2], [0.6, -0.9, 0.35, 1.1]]),
    "gamma": torch.tensor([0.8, 1.2, 0.6, 1.1]),
    "beta": torch.tensor([-0.3, 0.25, 0.5, 0.05]),
}
