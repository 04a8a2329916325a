"""The blocks of a stack: two sub-layers, or three with a memory, each added to what came in.

Normalisation before and after the sub-layers are separate classes: their `forward` is their structure.
"""

from __future__ import annotations

from typing import TypeAlias

from torch import Tensor, nn

from workings.transformer.attention import CrossAttention, SelfAttention
from workings.transformer.cache import LayerCache
from workings.transformer.choices import PreNorm
from workings.transformer.config import Config
from workings.transformer.dropping import Dropout
from workings.transformer.feed_forward import make_feed_forward
from workings.transformer.masks import KernelMask
from workings.transformer.norms import make_norm
from workings.transformer.positions import Rotation


class _Block(nn.Module):
    """Self-attention and a feed-forward network, each with its normalisation."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = make_norm(config)
        self.feed_forward = make_feed_forward(config)
        self.feed_forward_norm = make_norm(config)
        self.dropout = Dropout(config.dropout.rate)


class PostNormBlock(_Block):
    """Equation (11): x (b, t, d) to (b, t, d)."""

    def forward(self, x: Tensor, mask: KernelMask, rotation: Rotation | None, cache: LayerCache | None) -> Tensor:
        x = self.attention_norm(x + self.dropout(self.attention(x, mask, rotation, cache)))
        x = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return x


class PreNormBlock(_Block):
    """Xiong et al. (2020), section 3: x (b, t, d) to (b, t, d), not normalised."""

    def forward(self, x: Tensor, mask: KernelMask, rotation: Rotation | None, cache: LayerCache | None) -> Tensor:
        x = x + self.dropout(self.attention(self.attention_norm(x), mask, rotation, cache))
        x = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return x


class _CrossBlock(_Block):
    """The same, with attention over a memory between the two."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.cross_attention = CrossAttention(config)
        self.cross_attention_norm = make_norm(config)


class PostNormCrossBlock(_CrossBlock):
    """Equations (11), (13) and (14): x (b, t, d) and memory (b, s, d) to (b, t, d)."""

    def forward(
        self,
        x: Tensor,
        mask: KernelMask,
        rotation: Rotation | None,
        cache: LayerCache | None,
        memory: Tensor | None,
        memory_mask: KernelMask,
    ) -> Tensor:
        x = self.attention_norm(x + self.dropout(self.attention(x, mask, rotation, cache)))
        x = self.cross_attention_norm(x + self.dropout(self.cross_attention(x, memory, memory_mask, cache)))
        x = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return x


class PreNormCrossBlock(_CrossBlock):
    """Xiong et al. (2020), section 3: x (b, t, d) and memory (b, s, d) to (b, t, d), not normalised."""

    def forward(
        self,
        x: Tensor,
        mask: KernelMask,
        rotation: Rotation | None,
        cache: LayerCache | None,
        memory: Tensor | None,
        memory_mask: KernelMask,
    ) -> Tensor:
        x = x + self.dropout(self.attention(self.attention_norm(x), mask, rotation, cache))
        x = x + self.dropout(self.cross_attention(self.cross_attention_norm(x), memory, memory_mask, cache))
        x = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return x


Block: TypeAlias = PostNormBlock | PreNormBlock
CrossBlock: TypeAlias = PostNormCrossBlock | PreNormCrossBlock


def make_block(config: Config) -> Block:
    """A block of two sub-layers with the chosen place of the normalisation."""
    return PreNormBlock(config) if isinstance(config.placement, PreNorm) else PostNormBlock(config)


def make_cross_block(config: Config) -> CrossBlock:
    """A block of three sub-layers with the chosen place of the normalisation."""
    return PreNormCrossBlock(config) if isinstance(config.placement, PreNorm) else PostNormCrossBlock(config)
