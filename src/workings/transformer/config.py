"""What a transformer is made of, in one frozen object that checks itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, TypeAlias

from workings.transformer import _records
from workings.transformer.choices import (
    GEGLU,
    BaseScaling,
    Biases,
    DotProduct,
    Dropout,
    FeedForward,
    Gelu,
    LayerNorm,
    LlamaScaling,
    Norm,
    NormalStart,
    Output,
    Placement,
    Pooling,
    Positions,
    PreNorm,
    RelativeBuckets,
    Rotary,
    Score,
    Start,
    SwiGLU,
    TiedOutput,
)
from workings.wording import offering_names

Shape: TypeAlias = Literal["encoder-decoder", "encoder-only", "decoder-only"]


@offering_names
@dataclass(frozen=True, kw_only=True)
class Config:
    """The sizes and choices of one transformer.

    Attributes:
        vocabulary: words of the target, or of the only, vocabulary.
        width: numbers in the vector of a token (d).
        heads: attention heads (h).
        encoder_layers, decoder_layers: blocks of each stack; a stack of none does not exist.
        context: the longest sequence; learned positions cannot go beyond it.
        head_width: numbers in one head's queries, keys and values; width / heads unless given.
        key_value_heads: heads of keys and values: fewer than `heads` is grouped, 1 multi-query attention; `heads`
            unless given.
        inner_width: numbers between the feed-forward layers (f); 4 width unless given, or, for the gated ones, 8/3
            width rounded up to a multiple of 8, which makes as many weights.
        source_vocabulary: words of a source vocabulary with embeddings of its own; shared with the target unless given.
        classes: an encoder-only model scores these instead of words.
        pooling: what the classes are read from: the "mean" of the real tokens or the "first" one.
        window: a token attends to tokens less than this far away; to all unless given.
        causal: a decoder's token attends to itself and what comes before. Without it, nothing can be generated well.
        scaled_embeddings: embeddings are multiplied by √width, as in the 2017 paper.
        embedding_norm: the embeddings with their positions are normalised, as in BERT.

    Raises: ValueError that names the key, what was found and what fits.
    """

    vocabulary: int
    width: int
    heads: int
    encoder_layers: int = 0
    decoder_layers: int = 0
    context: int = 1024
    head_width: int | None = None
    key_value_heads: int | None = None
    inner_width: int | None = None
    source_vocabulary: int | None = None
    classes: int | None = None
    pooling: Pooling = "mean"
    positions: Positions = field(default_factory=Rotary)
    placement: Placement = field(default_factory=PreNorm)
    norm: Norm = field(default_factory=LayerNorm)
    feed_forward: FeedForward = field(default_factory=Gelu)
    score: Score = field(default_factory=DotProduct)
    window: int | None = None
    causal: bool = True
    biases: Biases = field(default_factory=Biases)
    output: Output = field(default_factory=TiedOutput)
    scaled_embeddings: bool = False
    embedding_norm: bool = False
    dropout: Dropout = field(default_factory=Dropout)
    start: Start = field(default_factory=NormalStart)

    def __post_init__(self) -> None:
        _records.check_types(self)
        _check_sizes(self)
        _check_choices(self)

    @property
    def shape(self) -> Shape:
        """Which of the three models this is."""
        if not self.encoder_layers:
            return "decoder-only"
        return "encoder-decoder" if self.decoder_layers else "encoder-only"

    @property
    def columns(self) -> int:
        """The width of one head's queries, keys and values (c)."""
        return self.head_width if self.head_width is not None else self.width // self.heads

    @property
    def groups(self) -> int:
        """The heads of keys and values."""
        return self.key_value_heads if self.key_value_heads is not None else self.heads

    @property
    def inner(self) -> int:
        """The numbers between the feed-forward layers (f)."""
        if self.inner_width is not None:
            return self.inner_width
        if isinstance(self.feed_forward, SwiGLU | GEGLU):
            return -(-8 * self.width // 24) * 8
        return 4 * self.width

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and dictionaries, from which `from_dict` makes an equal Config."""
        return _records.to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Config:
        """The Config of plain data, as JSON and TOML hold it.

        A choice is a table with its "kind", or the kind alone: ``positions = "rotary"``. `dropout` may be a number and
        `biases` true or false. Raises ValueError for an unknown key or kind, offering near ones.
        """
        return _records.from_dict(cls, data)


def _check_sizes(config: Config) -> None:
    """Raise ValueError for a size that is not possible."""
    for key in ("vocabulary", "width", "heads", "context"):
        _at_least(config, key, 1)
    for key in ("head_width", "key_value_heads", "inner_width", "source_vocabulary", "window"):
        if getattr(config, key) is not None:
            _at_least(config, key, 1)
    for key in ("encoder_layers", "decoder_layers"):
        _at_least(config, key, 0)
    if not config.encoder_layers and not config.decoder_layers:
        raise ValueError("encoder_layers and decoder_layers are both 0; expected at least one layer in one of them")
    if config.head_width is None and config.width % config.heads:
        fits = _divisors_near(config.width, config.heads)
        raise ValueError(
            f"heads is {config.heads}, which does not divide the width {config.width}; expected one of {fits}, "
            "or a head_width"
        )
    if config.heads % config.groups:
        fits = _divisors_near(config.heads, config.groups)
        raise ValueError(
            f"key_value_heads is {config.groups}, which does not divide {config.heads} heads; expected one of {fits}"
        )


def _check_choices(config: Config) -> None:
    """Raise ValueError for choices that do not go together or are out of range."""
    for field_of in fields(config):
        choice = getattr(config, field_of.name)
        if is_dataclass(choice) and not isinstance(choice, Dropout):
            _check_positive(choice, field_of.name)
    for place in ("rate", "attention", "inner"):
        share = getattr(config.dropout, place)
        if not 0.0 <= share < 1.0:
            raise ValueError(f"dropout.{place} is {share}; expected at least 0 and below 1")
    if config.classes is not None:
        _at_least(config, "classes", 2)
        if config.shape != "encoder-only":
            raise ValueError(
                f"classes is {config.classes} in a {config.shape} model; expected none: an encoder-only one has them"
            )
    if config.source_vocabulary is not None and config.shape != "encoder-decoder":
        raise ValueError(
            f"source_vocabulary is {config.source_vocabulary} in a {config.shape} model; expected none: only an "
            "encoder-decoder reads a source"
        )
    _check_positions(config)


def _check_positions(config: Config) -> None:
    """Raise ValueError for positions that the sizes do not allow."""
    match config.positions:
        case Rotary(fraction=fraction, scaling=scaling):
            turned = config.columns * fraction
            if turned > config.columns or turned % 2:
                raise ValueError(
                    f"positions: rotary turns pairs of coordinates, but {turned:g} of a head's {config.columns} would "
                    "be turned; expected an even number of them (see head_width and positions.fraction)"
                )
            if isinstance(scaling, BaseScaling) and turned == 2:
                raise ValueError("positions.scaling raises the base, which one pair alone does not use; expected more")
            if isinstance(scaling, LlamaScaling) and scaling.fast <= scaling.slow:
                raise ValueError(f"positions.scaling.fast is {scaling.fast}; expected above slow, {scaling.slow}")
        case RelativeBuckets(buckets=buckets, furthest=furthest):
            if buckets < 4 or buckets % 2:
                raise ValueError(f"positions.buckets is {buckets}; expected an even number, at least 4")
            if furthest <= buckets // 2:
                raise ValueError(
                    f"positions.furthest is {furthest}; expected above {buckets // 2}, half of the buckets"
                )
        case _:
            pass


def _check_positive(choice: Any, path: str) -> None:
    """Raise ValueError unless all numbers of a choice, and of the choices in it, are above 0 and finite."""
    for field_of in fields(choice):
        key, value = f"{path}.{field_of.name}", getattr(choice, field_of.name)
        if is_dataclass(value):
            _check_positive(value, key)
        elif isinstance(value, int | float) and not isinstance(value, bool) and not 0 < value < math.inf:
            raise ValueError(f"{key} is {value}; expected above 0")


def _at_least(config: Config, key: str, least: int) -> None:
    found = getattr(config, key)
    if found < least:
        raise ValueError(f"{key} is {found}; expected at least {least}")


def _divisors_near(number: int, wanted: int) -> str:
    """The divisors of `number`, those nearest to `wanted`, in order."""
    divisors = [d for d in range(1, number + 1) if number % d == 0]
    nearest = sorted(divisors, key=lambda d: (abs(d - wanted), d))[:4]
    return ", ".join(map(str, sorted(nearest)))
