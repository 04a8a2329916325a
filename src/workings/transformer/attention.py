"""Multi-head attention by fused kernels: over a sequence itself, and over a memory."""

from __future__ import annotations

from functools import partial
from typing import assert_never

import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.transformer.additive import AdditiveScore
from workings.transformer.cache import LayerCache
from workings.transformer.choices import Additive, DotProduct
from workings.transformer.config import Config
from workings.transformer.masks import KernelMask
from workings.transformer.positions import Rotation, rotate
from workings.transformer.windows import windowed


class DotProductScore(nn.Module):
    """Equations (6) and (13): queries (b, h, t, c), keys and values (b, groups, s, c) to (b, h, t, c)."""

    def __init__(self, config: Config, choice: DotProduct) -> None:
        super().__init__()
        self.scale = choice.scale
        self.dropout = config.dropout.attention
        self.grouped = config.groups < config.heads

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, mask: KernelMask) -> Tensor:
        kernel = partial(
            functional.scaled_dot_product_attention,
            dropout_p=self.dropout if self.training else 0.0,
            scale=self.scale,
            enable_gqa=self.grouped,
        )
        if mask.window is not None:
            return windowed(kernel, queries, keys, values, mask.window)
        return kernel(queries, keys, values, attn_mask=mask.attn_mask, is_causal=mask.is_causal)


def make_score(config: Config) -> DotProductScore | AdditiveScore:
    """The module of the chosen score."""
    choice = config.score
    match choice:
        case DotProduct():
            return DotProductScore(config, choice)
        case Additive():
            return AdditiveScore(config)
        case _:
            assert_never(choice)


class SelfAttention(nn.Module):
    """Every token attends to its own sequence: x (b, t, d) to (b, t, d).

    `projections` makes queries, keys and values at once: its rows are W^Q, W^K and W^V below one another, head by head.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads, self.groups, self.columns = config.heads, config.groups, config.columns
        packed = (self.heads + 2 * self.groups) * self.columns
        self.projections = nn.Linear(config.width, packed, bias=config.biases.queries_keys_values)
        self.score = make_score(config)
        self.output = nn.Linear(self.heads * self.columns, config.width, bias=config.biases.attention_output)

    def forward(self, x: Tensor, mask: KernelMask, rotation: Rotation | None, cache: LayerCache | None) -> Tensor:
        batch, length, _ = x.shape
        h, g = self.heads, self.groups
        packed = self.projections(x).view(batch, length, h + 2 * g, self.columns)
        if rotation is None:
            queries, keys, values = torch.split(packed.transpose(1, 2), [h, g, g], dim=1)
        else:
            turning, still = torch.split(packed, [h + g, g], dim=2)
            queries, keys = torch.split(rotate(turning, rotation).transpose(1, 2), [h, g], dim=1)
            values = still.transpose(1, 2)
        if cache is not None:
            keys, values = cache.extend(keys, values)
        mixed = self.score(queries, keys, values, mask)
        output: Tensor = self.output(mixed.transpose(1, 2).reshape(batch, length, h * self.columns))
        return output


class CrossAttention(nn.Module):
    """Every token attends to a memory, equation (14): x (b, t, d) and memory (b, s, d) to (b, t, d)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads, self.groups, self.columns = config.heads, config.groups, config.columns
        bias = config.biases.queries_keys_values
        self.queries = nn.Linear(config.width, self.heads * self.columns, bias=bias)
        self.keys_values = nn.Linear(config.width, 2 * self.groups * self.columns, bias=bias)
        self.score = make_score(config)
        self.output = nn.Linear(self.heads * self.columns, config.width, bias=config.biases.attention_output)

    def forward(self, x: Tensor, memory: Tensor | None, mask: KernelMask, cache: LayerCache | None) -> Tensor:
        batch, length, width = x.shape
        keys, values = self.recall(memory, cache)
        if batch % len(keys):
            raise ValueError(f"the target has {batch} rows, the memory {len(keys)}; expected a multiple of that")
        # Queries have no order here: rows that share a memory put their questions to it together.
        asking = x.view(len(keys), -1, width)
        queries = self.queries(asking).view(*asking.shape[:2], self.heads, self.columns).transpose(1, 2)
        mixed = self.score(queries, keys, values, mask)
        output: Tensor = self.output(mixed.transpose(1, 2).reshape(batch, length, self.heads * self.columns))
        return output

    def recall(self, memory: Tensor | None, cache: LayerCache | None) -> tuple[Tensor, Tensor]:
        """The keys and values of the memory: those that the cache has, or new ones, which it then keeps."""
        if cache is not None and cache.memory is not None:
            return cache.memory
        if memory is None:
            raise ValueError("there is no memory to attend to; expected one, or a cache that has read it")
        read = self.read(memory)
        if cache is not None:
            cache.memory = read
        return read

    def read(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and the values of a memory, (b, groups, s, c) each."""
        batch, length, _ = memory.shape
        packed = self.keys_values(memory).view(batch, length, 2 * self.groups, self.columns).transpose(1, 2)
        keys, values = packed.chunk(2, dim=1)
        return keys, values
