"""Where a token stands: vectors added to the embeddings, turns of queries and keys, or numbers added to the scores.

Every module answers all three questions, and a model asks all three: `add`, `rotation` and `bias`. Tables are computed
in float64 and kept in the dtype they are asked for, so that a model in float64 is exact.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple, assert_never

import torch
from torch import Tensor, nn

from workings.transformer.choices import (
    ALiBi,
    BaseScaling,
    Learned,
    LinearScaling,
    LlamaScaling,
    NoPositions,
    Pairing,
    RelativeBuckets,
    Rotary,
    Sinusoidal,
)
from workings.transformer.config import Config
from workings.transformer.masks import Offset


class Rotation(NamedTuple):
    """Cosines and sines of the angles, (t, 1, r/2) or (b, t, 1, r/2), for the first r coordinates of every head."""

    cosines: Tensor
    sines: Tensor
    pairing: Pairing


class PositionModule(nn.Module):
    """What a stack asks about positions. As it is, it says nothing: `NoPositions`."""

    def add(self, embedded: Tensor, offset: Offset) -> Tensor:
        """The embeddings (b, t, d) with positions `offset`, `offset` + 1, … added to them."""
        return embedded

    def rotation(self, length: int, offset: Offset, like: Tensor) -> Rotation | None:
        """How queries and keys at `length` positions from `offset` are turned."""
        return None

    def bias(self, queries: int, keys: int, offset: Offset, like: Tensor) -> Tensor | None:
        """What is added to the scores: broadcasts to (b, h, t, s)."""
        return None


class _Table(ABC):
    """Rows computed in float64 when first needed, kept in the dtype and on the device last asked for."""

    def __init__(self, rows: int, width: int) -> None:
        self.rows, self.width = rows, width
        self.kept: Tensor | None = None

    @abstractmethod
    def compute(self, positions: Tensor) -> Tensor:
        """The rows of these positions, in their dtype."""

    def take(self, length: int, offset: Offset, like: Tensor) -> Tensor:
        """The rows of `length` positions from `offset`: (t, ·), or (b, t, ·) for an offset for each row."""
        most = (int(offset.max()) if isinstance(offset, Tensor) else offset) + length
        kept = self.kept
        if kept is None or len(kept) < most or kept.dtype != like.dtype or kept.device != like.device:
            self.rows = max(self.rows, most)
            # What is made while nothing is recorded for gradients would be of no use to training later.
            with torch.inference_mode(False):
                positions = torch.arange(self.rows, dtype=torch.float64)
                self.kept = kept = self.compute(positions).to(dtype=like.dtype, device=like.device)
        return _rows(kept, length, offset)


def _rows(table: Tensor, length: int, offset: Offset) -> Tensor:
    if isinstance(offset, Tensor):
        return table[offset[:, None] + torch.arange(length, device=offset.device)]
    return table[offset : offset + length]


class _SinusoidTable(_Table):
    def __init__(self, rows: int, width: int, choice: Sinusoidal) -> None:
        super().__init__(rows, width)
        self.choice = choice

    def compute(self, positions: Tensor) -> Tensor:
        # An odd width's last frequency has a sine and no cosine.
        sine_count = (self.width + 1) // 2
        exponents = torch.arange(sine_count, dtype=torch.float64) * 2 / self.width
        angles = positions[:, None] / self.choice.base**exponents
        cosines = angles.cos()[:, : self.width // 2]
        if self.choice.layout == "halves":
            return torch.cat([angles.sin(), cosines], dim=1)
        table = angles.new_empty(len(positions), self.width)
        table[:, 0::2], table[:, 1::2] = angles.sin(), cosines
        return table


class SinusoidalPositions(PositionModule):
    """Equations (9) and (10)."""

    def __init__(self, config: Config, choice: Sinusoidal) -> None:
        super().__init__()
        self.table = _SinusoidTable(config.context, config.width, choice)

    def add(self, embedded: Tensor, offset: Offset) -> Tensor:
        return embedded + self.table.take(embedded.shape[1], offset, embedded)


class LearnedPositions(PositionModule):
    """One learned vector for each position: weight (context, d)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(config.context, config.width))

    def add(self, embedded: Tensor, offset: Offset) -> Tensor:
        length = embedded.shape[1]
        end = (int(offset.max()) if isinstance(offset, Tensor) else offset) + length
        if end > len(self.weight):
            raise ValueError(
                f"a sequence of {end} tokens is longer than the {len(self.weight)} learned positions; expected at most "
                "Config.context tokens: cut the sequence, or train with a larger context"
            )
        return embedded + _rows(self.weight, length, offset)


class _AngleTable(_Table):
    def __init__(self, rows: int, width: int, choice: Rotary) -> None:
        super().__init__(rows, width)
        self.choice = choice

    def compute(self, positions: Tensor) -> Tensor:
        """Cosines, then sines: (L, 2, r/2)."""
        angles = positions[:, None] * rotary_frequencies(self.choice, self.width)
        return torch.stack([angles.cos(), angles.sin()], dim=1)


def rotary_frequencies(choice: Rotary, width: int) -> Tensor:
    """The angle of each pair of coordinates at position 1, in radians: (width / 2,) in float64."""
    scaling = choice.scaling
    base = choice.base
    if isinstance(scaling, BaseScaling):
        base *= scaling.factor ** (width / (width - 2))
    frequencies = base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)
    match scaling:
        case None | BaseScaling():
            return frequencies
        case LinearScaling():
            return frequencies / scaling.factor
        case LlamaScaling():
            turns = scaling.trained_context * frequencies / (2 * math.pi)
            kept = ((turns - scaling.slow) / (scaling.fast - scaling.slow)).clamp(0.0, 1.0)
            return kept * frequencies + (1 - kept) * frequencies / scaling.factor
        case _:
            assert_never(scaling)


class RotaryPositions(PositionModule):
    """Su et al. (2021), section 3.2."""

    def __init__(self, config: Config, choice: Rotary) -> None:
        super().__init__()
        self.pairing: Pairing = choice.pairing
        self.table = _AngleTable(config.context, round(config.columns * choice.fraction), choice)

    def rotation(self, length: int, offset: Offset, like: Tensor) -> Rotation:
        cosines, sines = self.table.take(length, offset, like).chunk(2, dim=-2)
        return Rotation(cosines, sines, self.pairing)


def rotate(x: Tensor, rotation: Rotation) -> Tensor:
    """Turn pairs of the first coordinates of x, (b, t, heads, c), by the angles of their positions."""
    cosines, sines, pairing = rotation
    turned = 2 * cosines.shape[-1]
    if turned < x.shape[-1]:
        turning, rest = x.tensor_split([turned], dim=-1)
        return torch.cat([rotate(turning, rotation), rest], dim=-1)
    if pairing == "adjacent":
        first, second = x.view(*x.shape[:-1], -1, 2).unbind(-1)
    else:
        first, second = x.chunk(2, dim=-1)
    turned_first = first * cosines - second * sines
    turned_second = second * cosines + first * sines
    if pairing == "adjacent":
        return torch.stack([turned_first, turned_second], dim=-1).flatten(-2)
    return torch.cat([turned_first, turned_second], dim=-1)


def alibi_slopes(heads: int) -> Tensor:
    """The slope of each head: (h,) in float64.

    Powers 2^(-8/h), 2^(-16/h), … for a power of two; other numbers of heads take every second slope of twice as many
    for what is left, as the authors' code does. Press et al. (2022), section 3.
    """
    whole = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (i + 1) / whole) for i in range(whole)]
    slopes += [2 ** (-8 * (i + 0.5) / whole) for i in range(0, 2 * (heads - whole), 2)][: heads - whole]
    return torch.tensor(slopes, dtype=torch.float64)


def distances(queries: int, keys: int, offset: Offset, device: torch.device) -> Tensor:
    """Key position minus query position: (t, s), or (b, 1, t, s) for an offset for each row."""
    steps = torch.arange(queries, device=device)[:, None]
    places = offset[:, None, None, None] + steps if isinstance(offset, Tensor) else offset + steps
    return torch.arange(keys, device=device) - places


class ALiBiPositions(PositionModule):
    """Minus slope times distance, on both sides."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.slopes = alibi_slopes(config.heads)

    def bias(self, queries: int, keys: int, offset: Offset, like: Tensor) -> Tensor:
        away = distances(queries, keys, offset, like.device).abs()
        bias = -self.slopes.to(like)[:, None, None] * away
        return bias if bias.dim() == 4 else bias[None]


def relative_buckets(away: Tensor, buckets: int, furthest: int, both_sides: bool) -> Tensor:
    """The bucket of each distance (key minus query), counted from 0. Raffel et al. (2020), section 2.1, and their code.

    Half of the buckets are for single distances, the rest grow logarithmically up to `furthest`. With `both_sides`,
    half of all are for keys after the query; otherwise these count as distance 0.
    """
    first = torch.zeros_like(away)
    if both_sides:
        buckets //= 2
        first = torch.where(away > 0, buckets, 0)
        away = away.abs()
    else:
        away = (-away).clamp(min=0)
    single = buckets // 2
    # In float32, as the published models compute it: a rounded logarithm decides which bucket an edge falls into.
    grown = (away.clamp(min=1).float() / single).log() / math.log(furthest / single) * (buckets - single)
    shared = (single + grown.long()).clamp(max=buckets - 1)
    return first + torch.where(away < single, away, shared)


class RelativePositions(PositionModule):
    """A learned number for each bucket and head: weight (buckets, h), the same in all layers of a stack."""

    def __init__(self, config: Config, choice: RelativeBuckets, both_sides: bool) -> None:
        super().__init__()
        self.choice, self.both_sides = choice, both_sides
        self.weight = nn.Parameter(torch.empty(choice.buckets, config.heads))

    def bias(self, queries: int, keys: int, offset: Offset, like: Tensor) -> Tensor:
        away = distances(queries, keys, offset, self.weight.device)
        bucket = relative_buckets(away, self.choice.buckets, self.choice.furthest, self.both_sides)
        bias = nn.functional.embedding(bucket, self.weight)
        return bias.permute(2, 0, 1)[None] if bias.dim() == 3 else bias[:, 0].permute(0, 3, 1, 2)


def make_positions(config: Config, both_sides: bool) -> PositionModule:
    """The module of the chosen positions, for a stack that reads on both sides or only backwards."""
    choice = config.positions
    match choice:
        case Sinusoidal():
            return SinusoidalPositions(config, choice)
        case Learned():
            return LearnedPositions(config)
        case Rotary():
            return RotaryPositions(config, choice)
        case ALiBi():
            return ALiBiPositions(config)
        case RelativeBuckets():
            return RelativePositions(config, choice, both_sides)
        case NoPositions():
            return PositionModule()
        case _:
            assert_never(choice)
