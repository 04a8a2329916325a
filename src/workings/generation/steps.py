"""One more token for each row, by a model laid out for writing: the same numbers as the model's own, with less ado.

A model in training is made of modules that call one another. To write one token, what they do is too little to call
them for: here a layer is one object, keys and values are kept side by side, (rows, capacity, 2 groups c), as the
projection makes them, and a row that is continued several times is copied once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from workings.transformer.attention import CrossAttention, DotProductScore, SelfAttention
from workings.transformer.blocks import PreNormBlock, PreNormCrossBlock
from workings.transformer.cache import Cache, LayerCache
from workings.transformer.feed_forward import GatedFeedForward, PlainFeedForward
from workings.transformer.masks import KernelMask, Offset
from workings.transformer.models import DecoderOnly, EncoderDecoder
from workings.transformer.norms import LayerNormalisation, RootMeanSquareNormalisation
from workings.transformer.positions import Rotation, rotate
from workings.transformer.stacks import scores_mask

Function: TypeAlias = Callable[[Tensor], Tensor]


class _Now:
    """What is the same in all layers while one token is read.

    Attributes:
        slot: where the token's keys and values are put: an index of (rows, capacity).
        first, end: the keys that it may see.
        mask, rotation: what the positions and unequal lengths make of them.
        memory_mask: the same for the memory.
    """

    __slots__ = ("end", "first", "mask", "memory_mask", "rotation", "slot")

    def __init__(self, slot: Any, first: int, end: int, mask: Tensor | None, rotation: Rotation | None) -> None:
        self.slot, self.first, self.end, self.mask, self.rotation = slot, first, end, mask, rotation
        self.memory_mask: Tensor | None = None


class _OwnAttention:
    """`SelfAttention` for one token of each row: (rows, d) to (rows, d)."""

    def __init__(self, attention: SelfAttention, layer: LayerCache, used: int) -> None:
        self.heads, self.groups, self.columns = attention.heads, attention.groups, attention.columns
        self.project: Function = attention.projections.forward
        self.output: Function = attention.output.forward
        self.attend = _attention(attention.score)
        rows, groups, capacity, columns = layer.keys.shape
        self.kept = layer.keys.new_zeros(rows, capacity, 2 * groups * columns)
        sides = self.kept[:, :used].view(rows, used, 2, groups, columns)
        sides[:, :, 0] = layer.keys[:, :, :used].transpose(1, 2)
        sides[:, :, 1] = layer.values[:, :, :used].transpose(1, 2)
        self.spare = torch.empty_like(self.kept[:0])

    def __call__(self, x: Tensor, now: _Now) -> Tensor:
        h, g, c = self.heads, self.groups, self.columns
        packed = self.project(x)
        if now.rotation is None:
            queries = packed[:, : h * c].view(-1, h, c)
            self.kept[now.slot] = packed[:, h * c :]
        else:
            apart = packed.view(-1, 1, h + 2 * g, c)
            turned = rotate(apart[:, :, : h + g], now.rotation)[:, 0]
            queries = turned[:, :h]
            self.kept[now.slot] = torch.cat([turned[:, h:], apart[:, 0, h + g :]], dim=1).flatten(1)
        rows, capacity, width = self.kept.shape
        # The keys and the values, (rows, g, s, c), as they lie in what is kept.
        size, strides = (rows, g, now.end - now.first, c), (capacity * width, c, width, 1)
        start = self.kept.storage_offset() + now.first * width
        keys = self.kept.as_strided(size, strides, start)
        values = self.kept.as_strided(size, strides, start + g * c)
        return self.output(self.attend(queries[:, :, None], keys, values, now.mask).reshape(rows, h * c))

    def reorder(self, rows: Tensor, used: int) -> None:
        """Make row i what row `rows[i]` was."""
        if len(self.spare) != len(rows):
            self.spare = self.kept.new_zeros(len(rows), *self.kept.shape[1:])
        torch.index_select(self.kept[:, :used], 0, rows, out=self.spare[:, :used])
        self.kept, self.spare = self.spare, self.kept


class _MemoryAttention:
    """`CrossAttention` for one token of each row: (rows, d) to (rows, d)."""

    def __init__(self, attention: CrossAttention, layer: LayerCache) -> None:
        self.heads, self.columns = attention.heads, attention.columns
        self.queries: Function = attention.queries.forward
        self.output: Function = attention.output.forward
        self.attend = _attention(attention.score)
        self.keys, self.values = attention.recall(None, layer)

    def __call__(self, x: Tensor, now: _Now) -> Tensor:
        queries = self.queries(x).view(len(self.keys), -1, self.heads, self.columns).transpose(1, 2)
        mixed = self.attend(queries, self.keys, self.values, now.memory_mask)
        return self.output(mixed.transpose(1, 2).reshape(len(x), -1))

    def reorder(self, memories: Tensor) -> None:
        """Make memory i what memory `memories[i]` was."""
        self.keys, self.values = self.keys[memories], self.values[memories]


class _Layer:
    """A block for one token of each row: (rows, d) to (rows, d)."""

    def __init__(self, block: Any, cache: LayerCache, used: int) -> None:
        self.own = _OwnAttention(block.attention, cache, used)
        self.memory: _MemoryAttention | None = None
        self.parts: list[tuple[Function, Callable[[Tensor, _Now], Tensor]]]
        self.parts = [(norm_function(block.attention_norm), self.own)]
        if hasattr(block, "cross_attention"):
            self.memory = _MemoryAttention(block.cross_attention, cache)
            self.parts.append((norm_function(block.cross_attention_norm), self.memory))
        network = feed_forward_function(block.feed_forward)
        self.parts.append((norm_function(block.feed_forward_norm), lambda x, now: network(x)))
        self.before = isinstance(block, PreNormBlock | PreNormCrossBlock)

    def __call__(self, x: Tensor, now: _Now) -> Tensor:
        if self.before:
            for norm, part in self.parts:
                x = x + part(norm(x), now)
        else:
            for norm, part in self.parts:
                x = norm(x + part(x, now))
        return x


class Steps:
    """The rows of a batch, continued by one token at a time. It takes over what a cache holds.

    The model's linear layers are those of `workings.generation.layouts`; any others will do too.
    """

    def __init__(self, model: DecoderOnly | EncoderDecoder, cache: Cache) -> None:
        self.model, self.window = model, cache.window
        self.stack = model.stack if isinstance(model, DecoderOnly) else model.decoder
        self.longest, self.lengths = cache.longest, cache.lengths
        self.memory_mask = None if cache.memory_mask is None else cache.memory_mask.attn_mask
        self.layers = []
        for block in self.stack.blocks:
            self.layers.append(_Layer(block, cache.layers.pop(0), cache.longest))

    @property
    def offset(self) -> Offset:
        """Where the next token of each row stands."""
        return self.longest if self.lengths is None else self.lengths

    def __call__(self, tokens: Tensor) -> Tensor:
        """Read one more token of each row, (rows,), and score what comes next: (rows, v)."""
        model, stack, offset = self.model, self.stack, self.offset
        embedded = stack.embedding_norm(stack.positions.add(model.embed(tokens[:, None], model.embedding), offset))
        now = self.now(embedded, offset)
        x = embedded[:, 0]
        for layer in self.layers:
            x = layer(x, now)
        self.longest += 1
        if self.lengths is not None:
            self.lengths = self.lengths + 1
        return model.logits(model.finish(stack.norm(x)))

    def now(self, like: Tensor, offset: Offset) -> _Now:
        """What all layers need to know of this token."""
        end, first = self.longest + 1, 0
        slot: Any = (slice(None), self.longest)
        if isinstance(offset, Tensor):
            slot = (torch.arange(len(offset), device=offset.device), offset)
        elif self.window is not None:
            first = max(0, end - self.window)
        stack = self.stack
        mask = scores_mask(stack.mask(None), stack.positions, 1, end - first, offset - first, like)
        now = _Now(slot, first, end, mask.attn_mask, stack.positions.rotation(1, offset, like))
        now.memory_mask = self.memory_mask
        return now

    def share(self, copies: int) -> None:
        """Make so many copies of each row, which share its memory."""
        rows = torch.arange(len(self.layers[0].own.kept)).repeat_interleave(copies)
        self._reorder_own(rows.to(self.layers[0].own.kept.device))

    def reorder(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was; there may be fewer rows than before, or more.

        Rows that share a row of the memory must come from rows that shared one.
        """
        memory = self.layers[0].memory
        if memory is not None:
            sharing = len(self.layers[0].own.kept) // len(memory.keys)
            self._reorder_memory(rows[::sharing] // sharing, len(memory.keys))
        self._reorder_own(rows)

    def _reorder_own(self, rows: Tensor) -> None:
        for layer in self.layers:
            layer.own.reorder(rows, self.longest)
        if self.lengths is not None:
            self.lengths = self.lengths[rows]

    def _reorder_memory(self, memories: Tensor, before: int) -> None:
        if torch.equal(memories, torch.arange(before, device=memories.device)):
            return
        for layer in self.layers:
            if layer.memory is not None:
                layer.memory.reorder(memories)
        if self.memory_mask is not None:
            self.memory_mask = self.memory_mask[memories]


def _attention(score: Any) -> Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]:
    """The score as a function of queries (b, h, t, c), keys and values (b, g, s, c) and what is added to the scores."""
    if not isinstance(score, DotProductScore):
        return lambda queries, keys, values, mask: score(queries, keys, values, KernelMask(mask, False))
    kernel = functional.scaled_dot_product_attention
    scale, grouped = score.scale, score.grouped
    return lambda queries, keys, values, mask: kernel(queries, keys, values, mask, scale=scale, enable_gqa=grouped)


def norm_function(norm: LayerNormalisation | RootMeanSquareNormalisation) -> Function:
    """A normalisation as a function."""
    shape, weight, epsilon = norm.weight.shape, norm.weight.detach(), norm.epsilon
    if isinstance(norm, RootMeanSquareNormalisation):
        return lambda x: torch.rms_norm(x, shape, weight, epsilon)
    bias = None if norm.bias is None else norm.bias.detach()
    return lambda x: torch.layer_norm(x, shape, weight, bias, epsilon)


def feed_forward_function(network: PlainFeedForward | GatedFeedForward) -> Function:
    """A feed-forward network as a function."""
    widen: Function = network.widen.forward
    narrow: Function = network.narrow.forward
    activation = network.activation
    if isinstance(network, PlainFeedForward):
        return lambda x: narrow(activation(widen(x)))

    def gated(x: Tensor) -> Tensor:
        gates, widened = widen(x).chunk(2, dim=-1)
        return narrow(activation(gates) * widened)

    return gated
