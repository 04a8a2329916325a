"""The weights that a model starts from."""

from __future__ import annotations

import math
from typing import assert_never

import torch
from torch import nn

from workings.transformer.additive import AdditiveScore
from workings.transformer.choices import NormalStart, XavierStart
from workings.transformer.config import Config
from workings.transformer.feed_forward import GatedFeedForward
from workings.transformer.positions import LearnedPositions, RelativePositions


def draw_weights(model: nn.Module, config: Config) -> None:
    """Draw every weight of `model` anew from PyTorch's generator; biases start at 0, gains at 1."""
    start = config.start
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            if module.bias is not None:
                nn.init.zeros_(module.bias)
            match start:
                case NormalStart():
                    depth = _added_sublayers(name, config) if start.by_depth else 1
                    nn.init.normal_(module.weight, std=start.deviation / math.sqrt(depth))
                case XavierStart():
                    for matrix in torch.split(module.weight.detach(), _matrices(name, module, model, config)):
                        nn.init.xavier_uniform_(matrix)
                case _:
                    assert_never(start)
        elif isinstance(module, nn.Embedding | LearnedPositions | RelativePositions):
            nn.init.normal_(module.weight, std=_embedding_deviation(config))
        elif isinstance(module, AdditiveScore):
            nn.init.normal_(module.weight, std=config.columns**-0.5)


def _embedding_deviation(config: Config) -> float:
    return config.start.deviation if isinstance(config.start, NormalStart) else config.width**-0.5


def _added_sublayers(name: str, config: Config) -> int:
    """How many sub-layers of the stack add to the residual, if this layer is the last of one; otherwise 1."""
    if not name.endswith(("attention.output", "feed_forward.narrow")):
        return 1
    if name.startswith("encoder.") or config.shape == "encoder-only":
        return 2 * config.encoder_layers
    return (3 if config.shape == "encoder-decoder" else 2) * config.decoder_layers


def _matrices(name: str, linear: nn.Linear, model: nn.Module, config: Config) -> list[int]:
    """The rows of each of the matrices that stand below one another in this layer: each is drawn for its own size."""
    heads, groups = config.heads * config.columns, config.groups * config.columns
    parent, _, own = name.rpartition(".")
    if own == "projections":
        return [heads, groups, groups]
    if own == "keys_values":
        return [groups, groups]
    if own == "widen" and isinstance(model.get_submodule(parent), GatedFeedForward):
        return [config.inner, config.inner]
    return [linear.out_features]
