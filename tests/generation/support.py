"""A tokeniser of letters, and rows to draw from."""

from __future__ import annotations

import torch
from torch import Tensor


def rows(*shape: int, seed: int = 3, dtype: torch.dtype = torch.float64) -> Tensor:
    """Logits without ties."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype) * 2


class Letters:
    """Token 0 is a, 1 is b, …: what a Tokeniser is asked for, without one."""

    def stream(self) -> Letters:
        return self

    def push(self, *numbers: int) -> str:
        return "".join(chr(ord("a") + number) for number in numbers)

    def finish(self) -> str:
        return ""
