"""The additive score of queries and keys, as an alternative to the dot product."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.transformer.config import Config
from workings.transformer.masks import KernelMask
from workings.transformer.windows import windowed


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
        if mask.window is not None:
            return windowed(self.kernel, queries, keys, values, mask.window)
        return self.kernel(queries, keys, values, mask.added(queries).attn_mask, mask.is_causal)

    def kernel(
        self, queries: Tensor, keys: Tensor, values: Tensor, attn_mask: Tensor | None = None, is_causal: bool = False
    ) -> Tensor:
        """What `scaled_dot_product_attention` does, with the other score."""
        readers = queries.shape[1] // keys.shape[1]
        keys, values = keys.repeat_interleave(readers, dim=1), values.repeat_interleave(readers, dim=1)
        features = torch.tanh(queries[:, :, :, None] + keys[:, :, None])
        # Not a matrix product, which would hold the features a second time.
        scores = (features * self.weight[:, None, None]).sum(dim=-1)
        hidden = None
        if is_causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        elif attn_mask is not None:
            hidden = attn_mask.isneginf()
            scores = scores + attn_mask.masked_fill(hidden, 0.0)
        if hidden is None:
            weights = scores.softmax(dim=-1)
        else:
            # What is hidden weighs exactly 0, also for a query that may attend to nothing.
            lowest = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(hidden, lowest).softmax(dim=-1).masked_fill(hidden, 0.0)
        return functional.dropout(weights, self.dropout, self.training) @ values
