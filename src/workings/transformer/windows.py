"""Attention within a sliding window, block by block: time and memory grow with the length times the window."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional


def windowed(kernel: Callable[..., Tensor], queries: Tensor, keys: Tensor, values: Tensor, size: int) -> Tensor:
    """Causal attention to the last `size` keys: queries (b, h, t, c) and keys and values (b, groups, t, c).

    The result is (b, h, t, c). Cut into blocks of `size` tokens, a query sees keys of its own block and of the one
    before, and of these the last `size`. The first block is plain causal attention. `kernel` is
    `scaled_dot_product_attention` or has its arguments. Beltagy et al. (2020), section 3.1.
    """
    batch, _, length, _ = queries.shape
    first = kernel(queries[:, :, :size], keys[:, :, :size], values[:, :, :size], is_causal=True)
    # What fills up the last block comes after every real token, so nothing looks at it.
    filling = -length % size
    if filling:
        queries, keys, values = (functional.pad(x, (0, 0, 0, filling)) for x in (queries, keys, values))
    steps = torch.arange(2 * size, device=queries.device)
    ahead = steps - torch.arange(size, device=queries.device)[:, None]
    mask = queries.new_zeros(()).masked_fill((ahead <= 0) | (ahead > size), float("-inf"))
    blocks = (length + filling) // size - 1
    asked = queries[:, :, size:].transpose(1, 2).reshape(batch * blocks, size, *queries.shape[1::2]).transpose(1, 2)
    known = [x.unfold(2, 2 * size, size).permute(0, 2, 1, 4, 3).flatten(0, 1) for x in (keys, values)]
    rest = kernel(asked, *known, attn_mask=mask)
    rest = rest.transpose(1, 2).reshape(batch, blocks * size, *queries.shape[1::2]).transpose(1, 2)
    return torch.cat([first, rest[:, :, : length - size]], dim=2)
