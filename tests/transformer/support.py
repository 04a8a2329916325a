"""Small models with weights that are far from their start, and the choices that every test goes through."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from workings.transformer import (
    GEGLU,
    Additive,
    ALiBi,
    BaseScaling,
    Biases,
    Config,
    DotProduct,
    Gelu,
    LayerNorm,
    Learned,
    LinearScaling,
    NoPositions,
    PostNorm,
    PreNorm,
    RelativeBuckets,
    Relu,
    RMSNorm,
    Rotary,
    SeparateOutput,
    Sinusoidal,
    SwiGLU,
    TiedOutput,
    build,
)

SIZES: dict[str, Any] = {"vocabulary": 13, "width": 12, "heads": 3, "context": 11, "inner_width": 7}

CHOICES: dict[str, dict[str, Any]] = {
    "sinusoidal": {"positions": Sinusoidal()},
    "sinusoidal, halves": {"positions": Sinusoidal(layout="halves", base=100.0)},
    "sinusoidal, odd width": {"positions": Sinusoidal(), "width": 9},
    "sinusoidal, halves, odd width": {"positions": Sinusoidal(layout="halves"), "width": 9},
    "learned": {"positions": Learned()},
    "rotary, halves": {"positions": Rotary()},
    "rotary, adjacent": {"positions": Rotary(pairing="adjacent", base=50.0)},
    "rotary, linear scaling": {"positions": Rotary(scaling=LinearScaling(4.0), base=7.0)},
    "rotary, base scaling": {"positions": Rotary(scaling=BaseScaling(4.0), base=7.0, pairing="adjacent")},
    "rotary, half of a head, halves": {"positions": Rotary(fraction=0.5)},
    "rotary, half of a head, adjacent": {"positions": Rotary(fraction=0.5, pairing="adjacent")},
    "alibi": {"positions": ALiBi()},
    "alibi, 4 heads, grouped": {"positions": ALiBi(), "heads": 4, "key_value_heads": 2},
    "relative buckets": {"positions": RelativeBuckets(buckets=8, furthest=6)},
    "no positions": {"positions": NoPositions()},
    "layer norm without bias": {"norm": LayerNorm(epsilon=1e-3, bias=False)},
    "rms norm": {"norm": RMSNorm(epsilon=1e-3)},
    "pre-norm": {"placement": PreNorm()},
    "post-norm": {"placement": PostNorm()},
    "post-norm with a final one": {"placement": PostNorm(final_norm=True), "norm": RMSNorm()},
    "relu": {"feed_forward": Relu()},
    "gelu": {"feed_forward": Gelu()},
    "gelu, tanh": {"feed_forward": Gelu("tanh")},
    "swiglu": {"feed_forward": SwiGLU()},
    "geglu": {"feed_forward": GEGLU()},
    "geglu, tanh": {"feed_forward": GEGLU("tanh")},
    "grouped": {"heads": 6, "key_value_heads": 2},
    "one key-value head": {"key_value_heads": 1, "positions": Learned()},
    "wide heads": {"head_width": 10},
    "window": {"window": 3},
    "window of one": {"window": 1},
    "window with alibi": {"window": 3, "positions": ALiBi()},
    "window with relative buckets": {"window": 3, "positions": RelativeBuckets(buckets=8, furthest=6)},
    "window beyond the text": {"window": 50},
    "no biases": {"biases": Biases.none()},
    "biases of queries, keys and values alone": {"biases": Biases(attention_output=False, feed_forward=False)},
    "tied with bias": {"output": TiedOutput(bias=True)},
    "tied and scaled": {"output": TiedOutput(scale=0.3)},
    "separate": {"output": SeparateOutput()},
    "separate with bias": {"output": SeparateOutput(bias=True)},
    "scaled embeddings": {"scaled_embeddings": True, "positions": Sinusoidal()},
    "normalised embeddings": {"embedding_norm": True, "positions": Learned()},
    "additive": {"score": Additive()},
    "additive, grouped, with window": {"score": Additive(), "heads": 6, "key_value_heads": 2, "window": 2},
    "additive with alibi": {"score": Additive(), "positions": ALiBi()},
    "unscaled scores": {"score": DotProduct(scale=1.0)},
}
"""Every choice, alone beside the defaults; and those that could disturb each other."""

SOME = [
    "sinusoidal",
    "rotary, adjacent",
    "relative buckets",
    "alibi",
    "grouped",
    "post-norm",
    "window",
    "additive",
    "tied and scaled",
    "normalised embeddings",
    "swiglu",
]
"""One of each kind, where not every choice can make a difference."""

SHAPES = ["decoder-only", "encoder-only", "encoder-decoder"]


def configured(shape: str, **changes: Any) -> Config:
    """A tiny config of the named shape."""
    layers = {
        "decoder-only": {"decoder_layers": 2},
        "encoder-only": {"encoder_layers": 2},
        "encoder-decoder": {"encoder_layers": 1, "decoder_layers": 2},
    }[shape]
    return Config(**(SIZES | layers | changes))


def strong(model: nn.Module, seed: int = 0, deviation: float = 0.4) -> Any:
    """The model in float64, out of training, with weights large enough that no choice hides behind small numbers."""
    generator = torch.Generator().manual_seed(seed)
    model.double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0.0, deviation, generator=generator)
            if "norm" in name and name.endswith("weight"):
                parameter.add_(1.0)
    return model


def made(shape: str, seed: int = 0, **changes: Any) -> Any:
    """A strong tiny model of the named shape."""
    return strong(build(configured(shape, **changes)), seed)


def tokens(*shape: int, vocabulary: int = 13, seed: int = 5) -> Tensor:
    return torch.randint(0, vocabulary, shape, generator=torch.Generator().manual_seed(seed))
