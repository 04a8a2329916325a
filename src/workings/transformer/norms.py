"""Normalisation of each token's vector: equation (12), and by the root mean square alone."""

from __future__ import annotations

from typing import assert_never

import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.transformer.choices import LayerNorm, RMSNorm
from workings.transformer.config import Config


class LayerNormalisation(nn.Module):
    """Mean 0 and variance 1 (over n, epsilon inside the root), then gain and bias: `weight` and `bias`, (d,)."""

    bias: nn.Parameter | None

    def __init__(self, width: int, choice: LayerNorm) -> None:
        super().__init__()
        self.epsilon = choice.epsilon
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if choice.bias else None

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.epsilon)


class RootMeanSquareNormalisation(nn.Module):
    """Divided by the root mean square, then gain: `weight`, (d,)."""

    def __init__(self, width: int, choice: RMSNorm) -> None:
        super().__init__()
        self.epsilon = choice.epsilon
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.weight.shape, self.weight, self.epsilon)


def make_norm(config: Config) -> LayerNormalisation | RootMeanSquareNormalisation:
    """The module of the chosen normalisation."""
    choice = config.norm
    match choice:
        case LayerNorm():
            return LayerNormalisation(config.width, choice)
        case RMSNorm():
            return RootMeanSquareNormalisation(config.width, choice)
        case _:
            assert_never(choice)
