"""The example format, continued: blocks, prediction, training, and the table of all kinds."""

from __future__ import annotations

from dataclasses import field

from workings.examples.declaring import declared
from workings.examples.format import (
    AdditiveAttention,
    Asked,
    Attention,
    Conventions,
    Cosine,
    CrossAttention,
    FeedForward,
    FromInput,
    Heads,
    LayerNorm,
    Lookup,
    Mask,
    MultiHead,
    Network,
    Norm,
    PlainAttention,
    Positions,
    Query,
    Residual,
    Section,
    Value,
    Vector,
    Weight,
)


@declared
class EncoderBlock(FromInput):
    """An encoder block, (11). Gives attention.LABEL.weights, between, feed_forward.hidden, ..., output."""

    attention: Heads
    feed_forward: Network
    attention_norm: Norm = field(default_factory=Norm)
    feed_forward_norm: Norm = field(default_factory=Norm)
    mask: Mask = "none"


@declared
class DecoderBlock(FromInput):
    """A decoder block, (11), (13), (14). Gives self_attention., cross_attention., feed_forward. ..., output."""

    memory: str
    self_attention: Heads
    cross_attention: Heads
    feed_forward: Network
    self_attention_norm: Norm = field(default_factory=Norm)
    cross_attention_norm: Norm = field(default_factory=Norm)
    feed_forward_norm: Norm = field(default_factory=Norm)
    mask: Mask = "causal"


@declared
class NextToken(FromInput):
    """Scores and probabilities of every word to follow the last row, (15). Gives logits, probabilities, choice.

    W_out: one row for each word of the table, in its order.
    temperatures, top_k, top_p: each gives probabilities of its own.
    """

    W_out: Weight
    b: Vector = ""
    temperatures: list[float] = field(default_factory=list)
    top_k: int = 0
    top_p: float = 1.0


@declared
class Generation(Section):
    """The loop: look up, run the sections named in `repeat`, append the word they choose. Gives one group per turn.

    repeat: names of earlier sections, the last of kind next-token. stop: a word that ends the loop.
    """

    repeat: list[str]
    turns: int = 3
    stop: str = ""


@declared
class TeacherForcing(Section):
    """The sentence one place late, after the word `begin`. Gives inputs, targets, and rows (of E, for the inputs)."""

    begin: str


@declared
class Loss(FromInput):
    """Cross-entropy of the true next words, the slope of one weight, and one step. Gives logits, probabilities, loss.

    weight: [word, column] of W_out; gives gradient.loss_slopes, ..., gradient.gradient.
    learning_rate: gives step.new_weight, step.loss.
    """

    targets: str
    W_out: Weight
    b: Vector = ""
    weight: list[str | int] = field(default_factory=list)
    learning_rate: float = 0.0


@declared
class Document:
    """A whole file."""

    title: str
    sentence: str
    embeddings: dict[str, list[float]]
    section: list[Section]
    text: str = ""
    decimals: int = 3
    axes: list[str] = field(default_factory=list)
    called: str = ""
    conventions: Conventions = field(default_factory=Conventions)
    values: dict[str, Value] = field(default_factory=dict)
    question: list[Asked] = field(default_factory=list)


KINDS: dict[str, type[Section]] = {
    "lookup": Lookup,
    "cosine": Cosine,
    "plain-attention": PlainAttention,
    "query": Query,
    "attention": Attention,
    "cross-attention": CrossAttention,
    "additive-attention": AdditiveAttention,
    "multi-head": MultiHead,
    "positions": Positions,
    "residual": Residual,
    "layer-norm": LayerNorm,
    "feed-forward": FeedForward,
    "encoder-block": EncoderBlock,
    "decoder-block": DecoderBlock,
    "next-token": NextToken,
    "generation": Generation,
    "teacher-forcing": TeacherForcing,
    "loss": Loss,
}
"""Every kind of section and what it takes."""
