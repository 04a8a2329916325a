"""Dropout: numbers set to 0 in training, and the others made larger by as much. Srivastava et al. (2014)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_DRAWS = 1 << 16
"""How many values a draw of 16 bits has."""


class Dropout(nn.Dropout):
    """`nn.Dropout`, with quicker draws on the CPU.

    There PyTorch draws one number after another, a sixth of a small model's training. Here each number of 64 bits
    decides for four elements, so the rate is a multiple of 2^-16: at most 2^-17 from `p`, and what is kept is divided
    by the share that really is.
    """

    def forward(self, x: Tensor) -> Tensor:
        dropped = round(self.p * _DRAWS)
        if not self.training or x.device.type != "cpu" or not 0 < dropped < _DRAWS:
            return super().forward(x)
        factors: Tensor = _factors(x.detach(), dropped)
        return x * factors


@torch.library.custom_op("workings::dropout_factors", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,))
def _factors(x: torch.Tensor, dropped: int) -> torch.Tensor:
    """For each element of x, 0 or what makes kept ones larger: one operator, so that a recording shows one draw."""
    bits = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    draws = bits.view(torch.int16)[: x.numel()].view(x.shape)
    kept = (draws >= dropped - _DRAWS // 2).to(x.dtype)
    return kept.mul_(_DRAWS / (_DRAWS - dropped))


@_factors.register_fake
def _(x: torch.Tensor, dropped: int) -> torch.Tensor:
    return torch.empty_like(x)
