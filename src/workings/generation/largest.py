"""The few largest of many numbers."""

from __future__ import annotations

import torch
from torch import Tensor

_BLOCK = 128


def largest(numbers: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The largest numbers of each row and their places, descending, as `numbers.topk(count)` gives them: (b, v).

    A vocabulary is cut into blocks; the largest numbers are in the blocks whose maxima are the largest. Only these are
    sorted, which takes a fraction of the time.
    """
    rows, width = numbers.shape
    blocks = width // _BLOCK
    if blocks <= 2 * count:
        values, places = numbers.topk(min(count, width), dim=-1)
        return values, places
    cut = blocks * _BLOCK
    maxima = numbers[:, :cut].reshape(rows, blocks, _BLOCK).amax(dim=-1)
    chosen = maxima.topk(count, dim=-1).indices * _BLOCK
    within = torch.arange(_BLOCK, device=numbers.device)
    left_over = torch.arange(cut, width, device=numbers.device).expand(rows, -1)
    places = torch.cat([(chosen[:, :, None] + within).flatten(1), left_over], dim=1)
    values, order = numbers.gather(1, places).topk(count, dim=-1)
    return values, places.gather(1, order)
