"""Configs of well-known shapes."""

from __future__ import annotations

from workings.transformer.choices import (
    Dropout,
    Gelu,
    Learned,
    PostNorm,
    PreNorm,
    Relu,
    Sinusoidal,
    TiedOutput,
    XavierStart,
)
from workings.transformer.config import Config


def paper_base(vocabulary: int = 37000, context: int = 1024) -> Config:
    """The base model of Vaswani et al. (2017), table 3: 6 + 6 layers, width 512, 8 heads, one table of embeddings."""
    return Config(
        vocabulary=vocabulary,
        width=512,
        heads=8,
        encoder_layers=6,
        decoder_layers=6,
        inner_width=2048,
        context=context,
        positions=Sinusoidal(),
        placement=PostNorm(),
        feed_forward=Relu(),
        output=TiedOutput(),
        scaled_embeddings=True,
        dropout=Dropout(rate=0.1),
        start=XavierStart(),
    )


def gpt2_small_shape(vocabulary: int = 50257, context: int = 1024, dropout: float = 0.0) -> Config:
    """The shape of the smallest GPT-2, Radford et al. (2019): 12 layers, width 768, 12 heads, pre-norm, tied."""
    return Config(
        vocabulary=vocabulary,
        width=768,
        heads=12,
        decoder_layers=12,
        context=context,
        positions=Learned(),
        placement=PreNorm(),
        feed_forward=Gelu("tanh"),
        output=TiedOutput(),
        dropout=Dropout(rate=dropout, attention=dropout),
    )


PRESETS = {"paper-base": paper_base, "gpt2-small": gpt2_small_shape}
"""By the names that commands know them by."""
