"""The example format: what a file can say.

An example is a TOML file in UTF-8. Every key below can be left out unless it says "required"; any other key is refused.

At the top:

    title         required: one line
    text          one or two sentences about the example
    sentence      required: words of the table, with spaces between them
    decimals      how many decimals are shown (3)
    axes          names of the columns of the embedding table
    called        a second name for X, the rows of the sentence
    [embeddings]  required: word = [numbers], one row of the table E for each word of the vocabulary
    [conventions] the choices that change numbers; see `Conventions`
    [values.NAME] further given numbers: numbers (required), rows and columns (labels), text
    [[question]]  what `--predict` asks first: ask (required, a question), at (required, the address of a number), and
                  what is changed before it is shown: change (an address), to (numbers, or another address)
    [[section]]   required, at least one: the computations, in their order

Each section has

    name          required: what its results are called after: `projected` gives `projected.weights`
    kind          required: which computation, one of `KINDS`
    number        the section of the text it belongs to, in quotes
    title, text   one line; one or two sentences

and the inputs and weights of its kind, which the classes below list in order. An input is the name of an earlier value:
X, E, a NAME of `values`, a section's `name` (its main result) or `name.result`. A weight is a matrix, [[row], [row]],
or such a name; left out, a projection is the identity, a bias 0 and a gain 1. Matrices stand as the equations write
them: X W_Q is (in × out), but W_1 x and W_out h are (out × in).

The classes are plain declarations so that the examples shipped with the package load at once; a user's file is checked
against the same classes by pydantic.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from workings.examples.declaring import declared

Matrix = list[list[float]]
Weight = list[list[float]] | str
Vector = list[float] | str
Mask = Literal["none", "causal"]


@declared
class Conventions:
    """The choices that change numbers.

    scale: "sqrt(d_k)" divides the scores by the root of the key width, "none" leaves them, a number multiplies them.
    norm: "post" normalises after each residual sum, "pre" before each sub-layer.
    empty: weights of a token with nothing to attend to: "zero" makes them 0, "error" refuses.
    layout: of sinusoidal positions, "interleaved" or "halves"; base: of their waves and of rotary ones.
    pairing: coordinates turned together by rotary positions, "adjacent" or "halves".
    activation: of feed-forward networks. epsilon: of layer normalisation, added to the variance inside the root.
    reduction: of the loss over the positions. label_smoothing: the share of a target spread over the vocabulary.
    """

    scale: Literal["sqrt(d_k)", "none"] | float = "sqrt(d_k)"
    norm: Literal["post", "pre"] = "post"
    empty: Literal["zero", "error"] = "zero"
    layout: Literal["interleaved", "halves"] = "interleaved"
    base: float = 10000.0
    pairing: Literal["adjacent", "halves"] = "adjacent"
    activation: Literal["relu", "gelu", "gelu_tanh", "silu"] = "relu"
    epsilon: float = 1e-5
    reduction: Literal["sum", "mean"] = "sum"
    label_smoothing: float = 0.0


@declared
class Value:
    """Given numbers, one list or a list of rows, with a label for each row and column."""

    numbers: list[list[float]] | list[float]
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    text: str = ""


@declared
class Asked:
    """A question to a reader, which a number answers, perhaps after a change."""

    ask: str
    at: str
    change: str = ""
    to: Vector = ""


@declared
class Head:
    """One head: its label ("1", "2", ... in order unless given) and projections."""

    label: str = ""
    W_Q: Weight = ""
    W_K: Weight = ""
    W_V: Weight = ""


@declared
class Heads:
    """Multi-head attention inside a block: [[section.attention.heads]] and W_O."""

    heads: list[Head]
    W_O: Weight = ""


@declared
class Network:
    """The feed-forward network inside a block."""

    W_1: Weight
    W_2: Weight
    b_1: Vector = ""
    b_2: Vector = ""


@declared
class Norm:
    """The gain and bias of a normalisation inside a block."""

    gain: Vector = ""
    bias: Vector = ""


@declared
class Section:
    """What all sections have."""

    name: str
    kind: str
    number: str = ""
    title: str = ""
    text: str = ""


@declared
class FromInput(Section):
    """A section that reads one earlier value."""

    input: str = "X"


@declared
class Lookup(Section):
    """Rows of E for another sentence. Gives ids, rows."""

    sentence: str


@declared
class Cosine(FromInput):
    """Cosines of all pairs of rows, (1). Gives cosine."""


@declared
class PlainAttention(FromInput):
    """Attention without projections and scale, (3)-(5). Gives scores, weights, output, or what `result` calls it."""

    result: str = "output"


@declared
class Query(FromInput):
    """Plain attention of one word, step by step. Gives query, scores, weights, context."""

    token: str


@declared
class Attention(FromInput):
    """Attention, (6), (13). Gives queries, keys, values, scores, scaled_scores, weights, output.

    memory: keys and values come from there. hidden: words that nobody may attend to. scale: see `Conventions`.
    """

    memory: str = ""
    W_Q: Weight = ""
    W_K: Weight = ""
    W_V: Weight = ""
    mask: Mask = "none"
    hidden: list[str] = field(default_factory=list)
    rotary: bool = False
    scale: Literal["", "sqrt(d_k)", "none"] | float = ""


@declared
class CrossAttention(Attention):
    """Attention that asks a memory, (14). Gives what attention gives."""

    memory: str = field()  # required here: without field() the default of Attention would be taken


@declared
class AdditiveAttention(FromInput):
    """A small network scores query and key together. Gives scores, weights, output."""

    W_Q: Weight
    W_K: Weight
    v: Vector
    memory: str = ""
    mask: Mask = "none"


@declared
class MultiHead(FromInput):
    """Several heads, [[section.heads]], side by side, (8). Gives LABEL.weights, ..., concatenated, output."""

    heads: list[Head]
    W_O: Weight = ""
    memory: str = ""
    mask: Mask = "none"
    hidden: list[str] = field(default_factory=list)
    rotary: bool = False
    scale: Literal["", "sqrt(d_k)", "none"] | float = ""


@declared
class Positions(FromInput):
    """Positions, (9), (10), or rotary. Gives encoding and input (sinusoidal), rotated, or input unchanged."""

    encoding: Literal["sinusoidal", "rotary", "none"] = "sinusoidal"


@declared
class Residual(FromInput):
    """What came in plus what was made of it. Gives sum."""

    add: str


@declared
class LayerNorm(FromInput):
    """Layer normalisation, (12). Gives output."""

    gain: Vector = ""
    bias: Vector = ""


@declared
class FeedForward(FromInput):
    """The feed-forward network. Gives projected, hidden, output."""

    W_1: Weight
    W_2: Weight
    b_1: Vector = ""
    b_2: Vector = ""
