"""A stack: positions, blocks one after the other, and the normalisation of the last sum."""

from __future__ import annotations

import math

from torch import Tensor, nn

from workings.transformer.blocks import make_block, make_cross_block
from workings.transformer.cache import Cache, Place
from workings.transformer.choices import PostNorm
from workings.transformer.config import Config
from workings.transformer.dropping import Dropout
from workings.transformer.masks import Causal, Everything, KernelMask, Mask, Offset, Padding, Window
from workings.transformer.norms import make_norm
from workings.transformer.positions import PositionModule, make_positions


class Stack(nn.Module):
    """Blocks of two sub-layers: embeddings (b, t, d) to states (b, t, d)."""

    def __init__(self, config: Config, layers: int, causal: bool) -> None:
        super().__init__()
        self.config, self.causal = config, causal
        self.positions = make_positions(config, both_sides=not causal)
        self.embedding_norm = make_norm(config) if config.embedding_norm else nn.Identity()
        self.dropout = Dropout(config.dropout.rate)
        self.blocks = nn.ModuleList(self.make_block(config) for _ in range(layers))
        final = not isinstance(config.placement, PostNorm) or config.placement.final_norm
        self.norm = make_norm(config) if final else nn.Identity()

    make_block = staticmethod(make_block)

    def forward(
        self, embedded: Tensor, lengths: Tensor | None = None, cache: Cache | None = None, **memory: object
    ) -> Tensor:
        batch, length, _ = embedded.shape
        place = Place() if cache is None else cache.begin(batch, length)
        offset, keys = place.offset, length if cache is None else place.end - place.first
        x = self.dropout(self.embedding_norm(self.positions.add(embedded, offset)))
        # Masks and biases depend on distances alone: keys that have left the window need not be counted.
        mask = scores_mask(self.mask(lengths), self.positions, length, keys, offset - place.first, embedded)
        rotation = self.positions.rotation(length, offset, embedded)
        for number, block in enumerate(self.blocks):
            x = block(x, mask, rotation, None if cache is None else cache.layers[number], **memory)
        if cache is not None:
            cache.advance(length, lengths)
        states: Tensor = self.norm(x)
        return states

    def mask(self, lengths: Tensor | None) -> Mask:
        """What the tokens of this stack may attend to, in rows that are padded on the right."""
        mask: Mask = Causal() if self.causal else Everything()
        if lengths is not None and not self.causal:
            mask = mask & Padding(lengths)
        return mask if self.config.window is None else mask & Window(self.config.window)


class CrossStack(Stack):
    """Blocks of three sub-layers, which also attend to a memory (b, s, d)."""

    make_block = staticmethod(make_cross_block)  # type: ignore[assignment]


def scores_mask(
    mask: Mask, positions: PositionModule, queries: int, keys: int, offset: Offset, like: Tensor
) -> KernelMask:
    """What the kernel is told about all heads: the mask, and the numbers that positions add to the scores."""
    bias = positions.bias(queries, keys, offset, like)
    if bias is None:
        return mask.kernel_arguments(queries, keys, offset, like.device).added(like)
    allowed = mask.allowed(queries, keys, offset, like.device)
    return KernelMask(bias if allowed is None else bias.masked_fill(~allowed, -math.inf), False)
