"""Several attentions side by side (equation 8), from one triple of matrices per head or from packed projections."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from workings.equations._arrays import Array, namespace
from workings.equations._description import equation
from workings.equations.attentions import attention, cross_attention
from workings.equations.masks import POLARITY

Head: TypeAlias = tuple[Array, Array, Array]
"""The matrices of one head: W_Q (d, d_k), W_K (d, d_k) and W_V (d, d_v)."""


class ProjectionBiases(NamedTuple):
    """What packed projections may add: b_Q (h d_k,), b_K (h d_k,), b_V (h d_v,) and b_O (d,)."""

    b_Q: Array
    b_K: Array
    b_V: Array
    b_O: Array


@equation(
    number=8,
    title="One head",
    sentence="A head looks at the tokens through its own three projections and attends in that smaller space.",
    latex=r"\text{head}_i = \operatorname{Attention}\!\left(XW^Q_i,\; XW^K_i,\; XW^V_i\right)",
    shapes={
        "X": "... t d",
        "W_Q": "d d_k",
        "W_K": "m d_k",
        "W_V": "m d_v",
        "mask": "... t s",
        "memory": "... s m",
        "result": "... t d_v",
    },
    symbols={
        "X": "X",
        "W_Q": "W^Q_i",
        "W_K": "W^K_i",
        "W_V": "W^V_i",
        "mask": "M",
        "memory": "Z",
        "queries": "Q_i",
        "keys": "K_i",
        "values": "V_i",
        "weights": "W_i",
        "output": r"\text{head}_i",
    },
    section="5",
    source="Vaswani et al. (2017), section 3.2.2",
    variants={"mask": POLARITY, "memory": "Without one, queries, keys and values all come from X."},
)
def head(X: Array, W_Q: Array, W_K: Array, W_V: Array, mask: Array | None = None, memory: Array | None = None) -> Array:
    """The output of one head, over X itself or over a memory.

    Shapes: X (..., t, d); W_Q (d, d_k); W_K (m, d_k); W_V (m, d_v); mask broadcasts to (..., t, s); memory (..., s, m);
    result (..., t, d_v). Without a memory, s is t and m is d.
    Raises: TypeError for a boolean mask.
    Source: equation (8), second line; equation (14) with a memory.
    """
    if memory is not None:
        output, weights = cross_attention(X, memory, W_Q, W_K, W_V, mask)
    else:
        queries = X @ W_Q
        keys = X @ W_K
        values = X @ W_V
        output, weights = attention(queries, keys, values, mask)
    return output


@equation(
    number=8,
    title="Multi-head attention",
    sentence="Several heads read the same tokens, each in its own way; their outputs are put side by side and mixed.",
    latex=r"\operatorname{MultiHead}(X) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O",
    shapes={
        "X": "... t d",
        "heads": "(h triples: d d_k, m d_k, m d_v)",
        "W_O": "hd_v d",
        "mask": "... t s",
        "memory": "... s m",
        "result": "... t d",
    },
    symbols={
        "X": "X",
        "heads": r"(W^Q_i, W^K_i, W^V_i)_{i=1}^{h}",
        "W_O": "W^O",
        "mask": "M",
        "memory": "Z",
        "outputs": r"\text{head}_1, \dots, \text{head}_h",
        "concatenated": r"\operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)",
        "output": "A",
    },
    section="5",
    source="Vaswani et al. (2017), section 3.2.2",
    variants={
        "mask": POLARITY,
        "memory": "Without one, queries, keys and values all come from X.",
        "bias": "None: the projections are matrices only. Packed projections may have biases.",
    },
)
def multi_head(
    X: Array, heads: Sequence[Head], W_O: Array, mask: Array | None = None, memory: Array | None = None
) -> Array:
    """Run every head, concatenate the outputs and mix them with W_O.

    Shapes: X (..., t, d); heads h triples W_Q (d, d_k), W_K (m, d_k), W_V (m, d_v); W_O (h d_v, d); mask broadcasts to
    (..., t, s) and is the same for all heads; memory (..., s, m); result (..., t, d).
    Raises: TypeError for a boolean mask.
    Source: equation (8); equation (14) in every head with a memory.
    """
    xp = namespace(X)
    outputs = [head(X, W_Q, W_K, W_V, mask, memory) for W_Q, W_K, W_V in heads]
    concatenated = xp.concat(outputs, axis=-1)
    output = concatenated @ W_O
    return output


@equation(
    title="Splitting into heads",
    sentence="The columns are cut into equal slices from left to right, one for each head.",
    latex=r"Q_i = Q_{\cdot,\, (i-1) c + 1 \,:\, i c}, \qquad c = \frac{\text{columns of } Q}{h}",
    shapes={"packed": "... L hc", "head_count": "integer", "result": "(h arrays: ... L c)"},
    symbols={"packed": "Q", "head_count": "h", "width": "c", "slices": r"Q_1, \dots, Q_h"},
    section="5",
    source="Vaswani et al. (2017), section 3.2.2",
    variants={"order": "Head by head. A head's columns lie next to each other, as in nn.MultiheadAttention."},
)
def split_heads(packed: Array, head_count: int) -> list[Array]:
    """Cut the last axis into `head_count` equal slices.

    Shapes: packed (..., L, h c); result h arrays (..., L, c).
    Raises: ValueError when the columns cannot be shared out equally.
    """
    columns = packed.shape[-1]
    if head_count < 1 or columns % head_count != 0:
        raise ValueError(f"{columns} columns cannot be shared out equally among {head_count} heads")
    width = columns // head_count
    slices = [packed[..., number * width : (number + 1) * width] for number in range(head_count)]
    return slices


@equation(
    number=8,
    title="Multi-head attention from packed projections",
    sentence="All heads' projections stand side by side in one matrix, and each head takes its slice of the product.",
    latex=r"\operatorname{MultiHead}(X) = "
    r"\operatorname{Concat}_i\!\left(\operatorname{Attention}(Q_i, K_i, V_i)\right) W^O, \qquad "
    r"(Q_1 \cdots Q_h) = X\,(W^Q_1 \cdots W^Q_h)",
    shapes={
        "X": "... t d",
        "W_Q": "d hd_k",
        "W_K": "m hd_k",
        "W_V": "m hd_v",
        "W_O": "hd_v d",
        "head_count": "integer",
        "mask": "... t s",
        "memory": "... s m",
        "biases": "(hd_k, hd_k, hd_v, d)",
        "result": "... t d",
    },
    symbols={
        "X": "X",
        "W_Q": r"(W^Q_1 \cdots W^Q_h)",
        "W_K": r"(W^K_1 \cdots W^K_h)",
        "W_V": r"(W^V_1 \cdots W^V_h)",
        "W_O": "W^O",
        "head_count": "h",
        "mask": "M",
        "memory": "Z",
        "source": "Z",
        "biases": r"\vec{b}^Q, \vec{b}^K, \vec{b}^V, \vec{b}^O",
        "queries": r"(Q_1 \cdots Q_h)",
        "keys": r"(K_1 \cdots K_h)",
        "values": r"(V_1 \cdots V_h)",
        "outputs": r"\text{head}_1, \dots, \text{head}_h",
        "concatenated": r"\operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)",
        "output": "A",
    },
    section="5",
    source="Vaswani et al. (2017), section 3.2.2",
    variants={
        "mask": POLARITY,
        "memory": "Without one, queries, keys and values all come from X.",
        "biases": "Added after each projection; none unless given. nn.MultiheadAttention has them by default.",
        "orientation": "The matrices stand to the right of the rows (in × out); nn.MultiheadAttention keeps them "
        "transposed, the three below one another.",
    },
)
def multi_head_packed(
    X: Array,
    W_Q: Array,
    W_K: Array,
    W_V: Array,
    W_O: Array,
    head_count: int,
    mask: Array | None = None,
    memory: Array | None = None,
    biases: ProjectionBiases | None = None,
) -> Array:
    """Multi-head attention with all heads' projections in one matrix each; equal to `multi_head` over the slices.

    Shapes: X (..., t, d); W_Q (d, h d_k); W_K (m, h d_k); W_V (m, h d_v); W_O (h d_v, d); mask broadcasts to
    (..., t, s) and is the same for all heads; memory (..., s, m); result (..., t, d).
    Raises: TypeError for a boolean mask; ValueError when the columns cannot be shared out among the heads.
    Source: equation (8).
    """
    xp = namespace(X)
    source = X if memory is None else memory
    queries = X @ W_Q
    keys = source @ W_K
    values = source @ W_V
    if biases is not None:
        queries = queries + biases.b_Q
        keys = keys + biases.b_K
        values = values + biases.b_V
    slices = zip(
        split_heads(queries, head_count), split_heads(keys, head_count), split_heads(values, head_count), strict=True
    )
    outputs = [attention(Q_i, K_i, V_i, mask)[0] for Q_i, K_i, V_i in slices]
    concatenated = xp.concat(outputs, axis=-1)
    output = concatenated @ W_O
    if biases is not None:
        output = output + biases.b_O
    return output
