"""Sources read by a model laid out for writing: what a batch's padding would cost is computed in attention alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from workings.generation.steps import Function, feed_forward_function, norm_function
from workings.transformer.blocks import PreNormBlock
from workings.transformer.cache import Cache
from workings.transformer.masks import KernelMask, Padding
from workings.transformer.models import EncoderDecoder
from workings.transformer.positions import Rotation, rotate
from workings.transformer.stacks import scores_mask


class _Shape(NamedTuple):
    """Where the real tokens stand, (n,), in a batch of `rows` times `length`."""

    rows: int
    length: int
    real: Tensor | None

    def spread(self, x: Tensor) -> Tensor:
        """Real tokens (n, w) to a batch (b, s, w), with zeros in the padding."""
        if self.real is None:
            return x.view(self.rows, self.length, -1)
        spread = x.new_zeros(self.rows * self.length, x.shape[-1])
        return spread.index_copy_(0, self.real, x).view(self.rows, self.length, -1)

    def gather(self, x: Tensor) -> Tensor:
        """A batch (b, s, w) to its real tokens (n, w)."""
        flat = x.reshape(self.rows * self.length, -1)
        return flat if self.real is None else flat.index_select(0, self.real)


def read_sources(model: EncoderDecoder, cache: Cache, source: Tensor, lengths: Tensor | None) -> None:
    """Read sources (b, s) and give the cache what the decoder will look at: the same as encoding and asking once."""
    rows, length = source.shape
    real = None
    if lengths is not None:
        positions = torch.arange(length, device=source.device)
        real = (positions < lengths[:, None]).flatten().nonzero()[:, 0]
    shape = _Shape(rows, length, real)
    memory = _encode(model, source, lengths, shape)
    for layer, block in zip(cache.layers, model.decoder.blocks, strict=True):
        asked: Any = block.cross_attention
        packed = shape.spread(asked.keys_values(memory)).view(rows, length, 2 * asked.groups, asked.columns)
        keys, values = packed.transpose(1, 2).chunk(2, dim=1)
        layer.memory = keys, values
    mask = KernelMask(None, False) if lengths is None else Padding(lengths).kernel_arguments(1, length)
    cache.memory_mask = mask.added(memory)


def _encode(model: EncoderDecoder, source: Tensor, lengths: Tensor | None, shape: _Shape) -> Tensor:
    """The states of the real tokens of all sources: (n, d)."""
    stack = model.encoder
    embedded = model.embed(source, model.embedding if model.source_embedding is None else model.source_embedding)
    embedded = stack.embedding_norm(stack.positions.add(embedded, 0))
    length = shape.length
    mask = scores_mask(stack.mask(lengths), stack.positions, length, length, 0, embedded)
    rotation = stack.positions.rotation(length, 0, embedded)
    x = shape.gather(embedded)
    for block in stack.blocks:
        x = _block(block, x, shape, mask, rotation)
    states: Tensor = stack.norm(x)
    return states


def _block(block: Any, x: Tensor, shape: _Shape, mask: KernelMask, rotation: Rotation | None) -> Tensor:
    network: Function = feed_forward_function(block.feed_forward)
    before, after = norm_function(block.attention_norm), norm_function(block.feed_forward_norm)
    if isinstance(block, PreNormBlock):
        x = x + _attend(block.attention, before(x), shape, mask, rotation)
        return x + network(after(x))
    x = before(x + _attend(block.attention, x, shape, mask, rotation))
    return after(x + network(x))


def _attend(attention: Any, x: Tensor, shape: _Shape, mask: KernelMask, rotation: Rotation | None) -> Tensor:
    """`SelfAttention` of the real tokens: (n, d) to (n, d)."""
    h, g = attention.heads, attention.groups
    packed = shape.spread(attention.projections(x)).view(shape.rows, shape.length, h + 2 * g, attention.columns)
    turning, values = torch.split(packed, [h + g, g], dim=2)
    turned = turning if rotation is None else rotate(turning, rotation)
    queries, keys = torch.split(turned.transpose(1, 2), [h, g], dim=1)
    mixed = attention.score(queries, keys, values.transpose(1, 2), mask)
    output: Tensor = attention.output(shape.gather(mixed.transpose(1, 2).flatten(2)))
    return output
