"""Attention: the plain dot product (3)(5), scaled and masked (6)(13), across two sequences (14), and additive."""

import math

from workings.equations._arrays import Array, namespace
from workings.equations._checks import check_mask
from workings.equations._description import equation
from workings.equations.distributions import EMPTY_VARIANT, EmptyPolicy, softmax
from workings.equations.masks import POLARITY

ORIENTATION = "Rows are queries and columns are keys: row i says where token i looks."


@equation(
    number=(3, 5),
    title="Attention with the plain dot product",
    sentence="Every token becomes a weighted average of all tokens, weighted by how well their vectors match its own.",
    latex=r"Y = \operatorname{softmax}\!\left(XX^{\mathsf T}\right) X, \qquad "
    r"\vec{y}_i = \sum_{j=1}^{L} w_{ij}\,\vec{x}_j",
    shapes={"X": "... L d", "result": "... L d; ... L L"},
    symbols={"X": "X", "scores": "S", "weights": "W", "output": "Y"},
    section="3",
    source="Vaswani et al. (2017), section 3.2, without projections and scale",
    variants={"scale": "None: the scores are not divided by anything.", "orientation": ORIENTATION},
)
def plain_attention(X: Array) -> tuple[Array, Array]:
    """Average the tokens of X, weighted by the softmax of their dot products.

    Shapes: X (..., L, d); output (..., L, d); weights (..., L, L).
    Source: equations (3) and (5).
    """
    xp = namespace(X)
    scores = X @ xp.matrix_transpose(X)
    weights = softmax(scores)
    output = weights @ X
    return output, weights


@equation(
    number=(6, 13),
    title="Scaled dot-product attention",
    sentence="Each query is matched with every key, and takes home a mix of the values in proportion to the matches.",
    latex=r"\operatorname{Attention}(Q, K, V) = "
    r"\operatorname{softmax}\!\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}} + M\right) V",
    shapes={
        "queries": "... t d_k",
        "keys": "... s d_k",
        "values": "... s d_v",
        "mask": "... t s",
        "scale": "number",
        "empty": "choice",
        "result": "... t d_v; ... t s",
    },
    symbols={
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "mask": "M",
        "d_k": "d_k",
        "scores": "S",
        "scaled_scores": r"S / \sqrt{d_k}",
        "masked_scores": r"S / \sqrt{d_k} + M",
        "weights": "W",
        "output": "Y",
    },
    section="4",
    source="Vaswani et al. (2017), section 3.2.1",
    variants={
        "scale": "Scores are divided by the square root of d_k, the width of one head's keys, not of the model's d. A "
        "number multiplies them instead: 1.0 leaves them as they are, which is what T5 does.",
        "mask": POLARITY,
        "empty": EMPTY_VARIANT,
        "orientation": ORIENTATION,
    },
)
def attention(
    queries: Array,
    keys: Array,
    values: Array,
    mask: Array | None = None,
    scale: float | None = None,
    empty: EmptyPolicy = "zero",
) -> tuple[Array, Array]:
    """Mix the values for each query, weighted by the softmax of its scaled dot products with the keys.

    Shapes: queries (..., t, d_k); keys (..., s, d_k); values (..., s, d_v); mask broadcasts to (..., t, s) and is added
    to the scaled scores; output (..., t, d_v); weights (..., t, s).
    Raises: TypeError for a boolean mask; ValueError under the policy "error" for a query with every key hidden.
    Source: equations (6) and (13).
    """
    xp = namespace(queries, keys, values)
    d_k = keys.shape[-1]
    scores = queries @ xp.matrix_transpose(keys)
    if scale is None:
        scaled_scores = scores / math.sqrt(d_k)
    else:
        scaled_scores = scores * scale
    if mask is None:
        weights = softmax(scaled_scores, empty=empty)
    else:
        check_mask(mask)
        masked_scores = scaled_scores + mask
        weights = softmax(masked_scores, empty=empty)
    output = weights @ values
    return output, weights


@equation(
    number=14,
    title="Cross-attention",
    sentence="The sequence being written asks the questions; the sequence that was read answers them.",
    latex=r"\operatorname{Cross}(Y, Z) = \operatorname{Attention}\!\left(YW^Q,\; ZW^K,\; ZW^V\right)",
    shapes={
        "targets": "... t d",
        "memory": "... s m",
        "W_Q": "d d_k",
        "W_K": "m d_k",
        "W_V": "m d_v",
        "mask": "... t s",
        "result": "... t d_v; ... t s",
    },
    symbols={
        "targets": "Y",
        "memory": "Z",
        "W_Q": "W^Q",
        "W_K": "W^K",
        "W_V": "W^V",
        "mask": "M",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "output": r"\operatorname{Cross}(Y, Z)",
        "weights": "W",
    },
    section="8",
    source="Vaswani et al. (2017), section 3.2.3",
    variants={"mask": POLARITY, "orientation": "Rows are tokens of the target, columns are tokens of the memory."},
)
def cross_attention(
    targets: Array, memory: Array, W_Q: Array, W_K: Array, W_V: Array, mask: Array | None = None
) -> tuple[Array, Array]:
    """Let `targets` ask and `memory` answer.

    Shapes: targets (..., t, d); memory (..., s, m), m being d unless the memory has its own width; W_Q (d, d_k);
    W_K (m, d_k); W_V (m, d_v); mask broadcasts to (..., t, s); output (..., t, d_v); weights (..., t, s).
    Raises: TypeError for a boolean mask.
    Source: equation (14).
    """
    queries = targets @ W_Q
    keys = memory @ W_K
    values = memory @ W_V
    output, weights = attention(queries, keys, values, mask)
    return output, weights


@equation(
    title="Additive attention",
    sentence="Query and key are projected and added, and a small network with one output scores the sum.",
    latex=r"s_{ij} = \vec{v}_a^{\mathsf T} \tanh\!\left(\vec{q}_i W^Q + \vec{k}_j W^K\right), \qquad "
    r"\vec{y}_i = \sum_j \operatorname{softmax}_j(s_{i1}, \dots, s_{iL})\, \vec{v}_j",
    shapes={
        "queries": "... t m",
        "keys": "... s n",
        "values": "... s d_v",
        "W_Q": "m a",
        "W_K": "n a",
        "v": "a",
        "mask": "... t s",
        "result": "... t d_v; ... t s",
    },
    symbols={
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "W_Q": "W^Q",
        "W_K": "W^K",
        "v": r"\vec{v}_a",
        "mask": "M",
        "projected_queries": "QW^Q",
        "projected_keys": "KW^K",
        "sums": r"\vec{q}_i W^Q + \vec{k}_j W^K",
        "features": r"\tanh(\vec{q}_i W^Q + \vec{k}_j W^K)",
        "scores": "S",
        "masked_scores": "S + M",
        "weights": "W",
        "output": "Y",
    },
    source="Bahdanau, Cho and Bengio (2015), section 3.1 and appendix A.1.2",
    variants={
        "scale": "None: the scores are not divided by anything.",
        "mask": POLARITY,
        "orientation": "The matrices stand to the right of the rows (in × out); the paper writes W s and U h.",
    },
)
def additive_attention(
    queries: Array, keys: Array, values: Array, W_Q: Array, W_K: Array, v: Array, mask: Array | None = None
) -> tuple[Array, Array]:
    """Mix the values for each query, weighted by a small network's score of query and key together.

    Shapes: queries (..., t, m); keys (..., s, n); values (..., s, d_v); W_Q (m, a); W_K (n, a); v (a,); mask broadcasts
    to (..., t, s); output (..., t, d_v); weights (..., t, s).
    Raises: TypeError for a boolean mask.
    Source: Bahdanau, Cho and Bengio (2015), section 3.1.
    """
    projected_queries = queries @ W_Q
    projected_keys = keys @ W_K
    # Every query meets every key: axes (..., t, 1, a) and (..., 1, s, a).
    sums = projected_queries[..., :, None, :] + projected_keys[..., None, :, :]
    features = namespace(sums).tanh(sums)
    scores = features @ v
    if mask is None:
        weights = softmax(scores)
    else:
        check_mask(mask)
        masked_scores = scores + mask
        weights = softmax(masked_scores)
    output = weights @ values
    return output, weights
