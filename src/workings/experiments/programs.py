"""Computations that experiments record: made of the equations, and followed line by line like anyone's code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workings import equations as eq
from workings.equations import Array, EncoderBlockWeights


def by_loops(inputs: Array, normalise: bool = True) -> Array:
    """Score, normalise, mix, for one token after the other, with a loop over all tokens inside each.

    The second text's listings, for every query: they are written with loops because that is what is compared.
    Shapes: inputs (L, d); result (L, d).
    """
    contexts = np.zeros(inputs.shape)
    for place, query in enumerate(inputs):
        scores = np.empty(len(inputs))
        for other, key in enumerate(inputs):
            scores[other] = np.dot(key, query)
        weights = eq.softmax(scores) if normalise else scores
        for other, value in enumerate(inputs):
            contexts[place] += weights[other] * value
    return contexts


def total_weight(scores: Array, token: int) -> Array:
    """What all rows together give one token: one number, whose slopes are those of each row's weight.

    Shapes: scores (n, L); result one number.
    """
    weights = eq.softmax(scores)
    total = np.sum(weights[:, token])
    return total


def at_once(X: Array, W_Q: Array, W_out: Array, b: Array, masked: bool = True) -> Array:
    """One pass over a whole text: for each position, the probability of every word to come next.

    Shapes: X (L, d); W_Q (d, d); W_out (v, d); b (v,); result (L, v).
    """
    mask = eq.causal_mask(len(X), X) if masked else None
    output, weights = eq.attention(X @ W_Q, X, X, mask)
    probabilities = eq.next_token(output, W_out, b)
    return probabilities


def by_prefixes(X: Array, W_Q: Array, W_out: Array, b: Array) -> Array:
    """The same as the generation loop finds it: one prefix after the other, each read anew. Shapes as above."""
    rows = []
    for length in range(1, len(X) + 1):
        prefix = X[:length]
        output, weights = eq.attention(prefix @ W_Q, prefix, prefix, eq.causal_mask(length, prefix))
        latest = eq.next_token(output[-1], W_out, b)
        rows.append(latest)
    probabilities = np.stack(rows)
    return probabilities


def two_blocks(X: Array, block: EncoderBlockWeights, mask: Array) -> Array:
    """The same block twice, one after the other: X (L, d) to (L, d)."""
    one = eq.encoder_block_post(X, block, mask)
    two = eq.encoder_block_post(one, block, mask)
    return two


def stack(X: Array, blocks: Sequence[EncoderBlockWeights], residual: bool, towards: Array) -> Array:
    """Blocks of equation (11) one after the other, with or without the sums around their sub-layers.

    Shapes: X (L, d); towards (L, d), what the output is multiplied by to make one number; result one number.
    """
    rows = X
    for attention, attention_norm, network, network_norm in blocks:
        attended = eq.multi_head(rows, attention.heads, attention.W_O)
        if residual:
            attended = rows + attended
        between = eq.layer_norm(attended, attention_norm.gain, attention_norm.bias, attention_norm.epsilon)
        transformed = eq.feed_forward(between, network.W_1, network.b_1, network.W_2, network.b_2, network.activation)
        if residual:
            transformed = between + transformed
        rows = eq.layer_norm(transformed, network_norm.gain, network_norm.bias, network_norm.epsilon)
    number = np.sum(rows * towards)
    return number
