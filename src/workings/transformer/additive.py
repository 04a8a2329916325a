"""The additive score of queries and keys, as an alternative to the dot product."""

from __future__ import annotations

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
        scores, hidden = _masked(scores, mask)
        weights = scores.softmax(dim=-1)
        if hidden is not None:
            # What is hidden weighs exactly 0, also for a query that may attend to nothing.
            weights = weights.masked_fill(hidden, 0.0)
        return functional.dropout(weights, self.dropout, self.training) @ values


def _masked(scores: Tensor, mask: KernelMask) -> tuple[Tensor, Tensor | None]:
    """The scores with what is added to them and the lowest number where they are hidden, and where that is."""
    if mask.is_causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
    elif mask.attn_mask is None:
        return scores, None
    elif mask.attn_mask.dtype == torch.bool:
        hidden = ~mask.attn_mask
    else:
        hidden = mask.attn_mask.isneginf()
        scores = scores + mask.attn_mask.masked_fill(hidden, 0.0)
    return scores.masked_fill(hidden, torch.finfo(scores.dtype).min), hidden
