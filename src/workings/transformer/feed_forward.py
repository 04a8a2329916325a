"""The feed-forward network of a block, applied to each token on its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, assert_never

from torch import Tensor, nn
from torch.nn import functional

from workings.transformer.choices import GEGLU, Gelu, GeluForm, Relu, SwiGLU
from workings.transformer.config import Config
from workings.transformer.dropping import Dropout

Activation: TypeAlias = Callable[[Tensor], Tensor]


class PlainFeedForward(nn.Module):
    """Two layers with an activation between them: x (..., d) to (..., d)."""

    def __init__(self, config: Config, activation: Activation) -> None:
        super().__init__()
        self.activation = activation
        self.widen = nn.Linear(config.width, config.inner, bias=config.biases.feed_forward)
        self.dropout = Dropout(config.dropout.inner)
        self.narrow = nn.Linear(config.inner, config.width, bias=config.biases.feed_forward)

    def forward(self, x: Tensor) -> Tensor:
        hidden: Tensor = self.dropout(self.activation(self.widen(x)))
        output: Tensor = self.narrow(hidden)
        return output


class GatedFeedForward(nn.Module):
    """Two layers side by side, one gating the other, and a third: x (..., d) to (..., d).

    The gate's rows stand before the others in `widen`, (2 f, d).
    """

    def __init__(self, config: Config, activation: Activation) -> None:
        super().__init__()
        self.activation = activation
        self.widen = nn.Linear(config.width, 2 * config.inner, bias=config.biases.feed_forward)
        self.dropout = Dropout(config.dropout.inner)
        self.narrow = nn.Linear(config.inner, config.width, bias=config.biases.feed_forward)

    def forward(self, x: Tensor) -> Tensor:
        gates, widened = self.widen(x).chunk(2, dim=-1)
        hidden: Tensor = self.dropout(self.activation(gates) * widened)
        output: Tensor = self.narrow(hidden)
        return output


def make_feed_forward(config: Config) -> PlainFeedForward | GatedFeedForward:
    """The module of the chosen network."""
    choice = config.feed_forward
    match choice:
        case Relu():
            return PlainFeedForward(config, functional.relu)
        case Gelu():
            return PlainFeedForward(config, _gelu(choice.form))
        case SwiGLU():
            return GatedFeedForward(config, functional.silu)
        case GEGLU():
            return GatedFeedForward(config, _gelu(choice.form))
        case _:
            assert_never(choice)


def _gelu(form: GeluForm) -> Activation:
    return partial(functional.gelu, approximate="none" if form == "erf" else "tanh")
