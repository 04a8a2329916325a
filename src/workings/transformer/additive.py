"""The additive score of queries and keys, as an alternative to the dot product."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.transformer.config import Config
from workings.transformer.masks import KernelMask


class AdditiveScore(nn.Module):
    """A vector's dot product with tanh(query + key): queries (b, h, t, c), keys and values (b, groups, s, c).

    Queries and keys come projected, so each head is Bahdanau, Cho and Bengio (2015), section 3.1, with c hidden
    numbers. `weight` is (h, c).
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(config.heads, config.columns))
        self.dropout = config.dropout.attention

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, mask: KernelMask) -> Tensor:
        readers = queries.shape[1] // keys.shape[1]
        keys, values = keys.repeat_interleave(readers, dim=1), values.repeat_interleave(readers, dim=1)
        features = torch.tanh(queries[:, :, :, None] + keys[:, :, None])
        scores = (features @ self.weight[:, None, :, None]).squeeze(-1)
        if mask.is_causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        elif mask.attn_mask is not None and mask.attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask.attn_mask, -math.inf)
        elif mask.attn_mask is not None:
            scores = scores + mask.attn_mask
        weights = functional.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        return weights @ values
