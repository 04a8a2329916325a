"""Configs of well-known shapes."""

from __future__ import annotations

from workings.transformer.choices import (
    Biases,
    Dropout,
    Gelu,
    LayerNorm,
    Learned,
    PostNorm,
    PreNorm,
    Relu,
    RMSNorm,
    Rotary,
    SeparateOutput,
    Sinusoidal,
    SwiGLU,
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


def bert_base_shape(vocabulary: int = 30522, context: int = 512) -> Config:
    """The shape of BERT's base model, Devlin et al. (2019): 12 layers, width 768, 12 heads, read on both sides.

    Of the published 109,482,240 weights it has 108,890,112. It has no layer that pools the first token (590,592), and
    no vectors for the first and second of two texts (1,536): where there is one text, the first is part of every
    position.
    """
    return Config(
        vocabulary=vocabulary,
        width=768,
        heads=12,
        encoder_layers=12,
        context=context,
        positions=Learned(),
        placement=PostNorm(),
        norm=LayerNorm(epsilon=1e-12),
        feed_forward=Gelu(),
        output=TiedOutput(),
        embedding_norm=True,
        dropout=Dropout(rate=0.1, attention=0.1),
    )


def llama_7b_shape(vocabulary: int = 32000, context: int = 2048) -> Config:
    """The shape of the smallest Llama, Touvron et al. (2023): 32 layers, width 4096, 32 heads, no biases."""
    return Config(
        vocabulary=vocabulary,
        width=4096,
        heads=32,
        decoder_layers=32,
        inner_width=11008,
        context=context,
        positions=Rotary(pairing="halves"),
        placement=PreNorm(),
        norm=RMSNorm(epsilon=1e-6),
        feed_forward=SwiGLU(),
        biases=Biases.none(),
        output=SeparateOutput(),
    )


PRESETS = {
    "paper-base": paper_base,
    "gpt2-small": gpt2_small_shape,
    "bert-base": bert_base_shape,
    "llama-7b": llama_7b_shape,
}
"""By the names that commands know them by."""
