"""The transformer: three models made of the same parts, from one `Config`.

    config = Config(vocabulary=256, width=128, heads=4, decoder_layers=4, context=64)
    model = DecoderOnly(config)
    logits = model(tokens)                          # (b, t) to (b, t, v)

Choices are objects: ``Config(..., positions=Rotary(base=500000.0), norm=RMSNorm(), feed_forward=SwiGLU())``. PyTorch is
imported when a model is first asked for; configs and costs do without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workings.transformer.choices import (
    GEGLU,
    Additive,
    ALiBi,
    BaseScaling,
    Biases,
    DotProduct,
    Dropout,
    Gelu,
    LayerNorm,
    Learned,
    LinearScaling,
    LlamaScaling,
    NoPositions,
    NormalStart,
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
    XavierStart,
)
from workings.transformer.config import Config
from workings.transformer.cost import Cost, Part, cost_of
from workings.transformer.presets import bert_base_shape, gpt2_small_shape, llama_7b_shape, paper_base

if TYPE_CHECKING:
    from workings.transformer.cache import Cache as Cache
    from workings.transformer.masks import Causal as Causal
    from workings.transformer.masks import Everything as Everything
    from workings.transformer.masks import Mask as Mask
    from workings.transformer.masks import Padding as Padding
    from workings.transformer.masks import Window as Window
    from workings.transformer.models import DecoderOnly as DecoderOnly
    from workings.transformer.models import EncoderDecoder as EncoderDecoder
    from workings.transformer.models import EncoderOnly as EncoderOnly
    from workings.transformer.models import Model as Model
    from workings.transformer.models import build as build

_HOMES = {
    "Cache": "cache",
    **dict.fromkeys(("Causal", "Everything", "Mask", "Padding", "Window"), "masks"),
    **dict.fromkeys(("DecoderOnly", "EncoderDecoder", "EncoderOnly", "Model", "build"), "models"),
}

__all__ = [
    "GEGLU",
    "ALiBi",
    "Additive",
    "BaseScaling",
    "Biases",
    "Cache",
    "Causal",
    "Config",
    "Cost",
    "DecoderOnly",
    "DotProduct",
    "Dropout",
    "EncoderDecoder",
    "EncoderOnly",
    "Everything",
    "Gelu",
    "LayerNorm",
    "Learned",
    "LinearScaling",
    "LlamaScaling",
    "Mask",
    "Model",
    "NoPositions",
    "NormalStart",
    "Padding",
    "Part",
    "PostNorm",
    "PreNorm",
    "RMSNorm",
    "RelativeBuckets",
    "Relu",
    "Rotary",
    "SeparateOutput",
    "Sinusoidal",
    "SwiGLU",
    "TiedOutput",
    "Window",
    "XavierStart",
    "bert_base_shape",
    "build",
    "cost_of",
    "gpt2_small_shape",
    "llama_7b_shape",
    "paper_base",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'workings.transformer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"workings.transformer.{home}"), name)
