"""For every equation, calls to make it with: a different prime for every dimension.

L 7 tokens, t 5 queries, s 7 keys, d 11, m 13, d_k 3 (4 where it must be even), d_v 17, f 19, v 23, a 29, batch 2.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy

from workings import equations as eq

from .support import numbers


class Call(NamedTuple):
    """Arguments for one call, as NumPy arrays and plain values."""

    arguments: tuple[Any, ...]
    options: Mapping[str, Any] = MappingProxyType({})


def ids(*shape: int, below: int, seed: int) -> numpy.ndarray:
    """Repeatable ids."""
    return numpy.random.default_rng(seed).integers(0, below, shape)


def hiding(*shape: int, seed: int) -> numpy.ndarray:
    """An additive mask that hides about a third of the keys and always keeps the first."""
    hidden = numpy.random.default_rng(seed).random(shape) < 0.3
    hidden[..., 0] = False
    return numpy.where(hidden, -math.inf, 0.0)


def head_triples(d: int, m: int, seed: int) -> list[tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]]:
    """Two heads with d_k 3 and d_v 17."""
    return [
        tuple(
            0.3 * matrix
            for matrix in (
                numbers(d, 3, seed=seed + i),
                numbers(m, 3, seed=seed + 10 + i),
                numbers(m, 17, seed=seed + 20 + i),
            )
        )
        for i in range(2)
    ]


def attention_weights(m: int, seed: int) -> eq.AttentionWeights:
    return eq.AttentionWeights(head_triples(11, m, seed), 0.3 * numbers(34, 11, seed=seed + 30))


def norm_weights(seed: int) -> eq.NormWeights:
    return eq.NormWeights(1.0 + numbers(11, seed=seed), numbers(11, seed=seed + 1), 1e-3)


def network_weights(seed: int) -> eq.FeedForwardWeights:
    return eq.FeedForwardWeights(
        0.3 * numbers(19, 11, seed=seed),
        numbers(19, seed=seed + 1),
        0.3 * numbers(11, 19, seed=seed + 2),
        numbers(11, seed=seed + 3),
        eq.gelu,
    )


CAUSAL = numpy.triu(numpy.full((5, 5), -math.inf), 1)
X = numbers(2, 7, 11, seed=1)
Y = numbers(2, 5, 11, seed=2)
MEMORY = numbers(2, 7, 13, seed=3)
QUERIES, KEYS, VALUES = numbers(2, 5, 3, seed=4), numbers(2, 7, 3, seed=5), numbers(2, 7, 17, seed=6)
LOGITS = numbers(2, 5, 23, seed=7)
EMPTY_ROW = numpy.where(numpy.arange(5)[:, None] == 3, -math.inf, hiding(5, 7, seed=8))
KEEP = numpy.array([[True] * 7, [True] * 4 + [False] * 3])
ENCODER = eq.EncoderBlockWeights(attention_weights(11, 100), norm_weights(140), network_weights(150), norm_weights(160))
DECODER = eq.DecoderBlockWeights(
    attention_weights(11, 200),
    norm_weights(240),
    attention_weights(13, 300),
    norm_weights(340),
    network_weights(350),
    norm_weights(360),
)
PACKED = (X, numbers(11, 6, seed=20), numbers(11, 6, seed=21), numbers(11, 34, seed=22), numbers(34, 11, seed=23), 2)
BIASES = eq.ProjectionBiases(numbers(6, seed=24), numbers(6, seed=25), numbers(34, seed=26), numbers(11, seed=27))
ROTARY_X, POSITIONS = numbers(2, 7, 4, seed=30), numpy.arange(7)
ADDITIVE = (
    numbers(2, 5, 11, seed=40),
    numbers(2, 7, 13, seed=41),
    VALUES,
    numbers(11, 29, seed=42),
    numbers(13, 29, seed=43),
    numbers(29, seed=44),
)
CROSS = (Y, MEMORY, numbers(11, 3, seed=50), numbers(13, 3, seed=51), numbers(13, 17, seed=52))

CALLS: dict[str, list[Call]] = {
    "lookup": [
        Call((numbers(23, 11, seed=60), ids(7, below=23, seed=61))),
        Call((numbers(23, 11, seed=60), ids(2, 7, below=23, seed=62))),
    ],
    "cosine": [Call((numbers(11, seed=63), numbers(11, seed=64))), Call((X, X[::-1]))],
    "cosine_matrix": [Call((X,))],
    "softmax": [Call((X,)), Call((X,), {"axis": 1}), Call((X[0, :5, :7] + EMPTY_ROW,)), Call((X[0, 0],))],
    "log_softmax": [Call((X,)), Call((X,), {"axis": -2})],
    "causal_mask": [Call((7, X))],
    "padding_mask": [Call((KEEP, X))],
    "plain_attention": [Call((X,))],
    "attention": [
        Call((QUERIES, KEYS, VALUES)),
        Call((QUERIES, KEYS, VALUES, hiding(2, 5, 7, seed=9))),
        Call((QUERIES, KEYS, VALUES, EMPTY_ROW), {"scale": 0.37}),
    ],
    "cross_attention": [Call(CROSS), Call((*CROSS, hiding(5, 7, seed=10)))],
    "additive_attention": [Call(ADDITIVE), Call((*ADDITIVE, hiding(5, 7, seed=11)))],
    "head": [
        Call((X, *head_triples(11, 11, 70)[0])),
        Call((Y, *head_triples(11, 13, 71)[0], hiding(5, 7, seed=12), MEMORY)),
    ],
    "multi_head": [
        Call((X, head_triples(11, 11, 80), numbers(34, 11, seed=81), hiding(7, 7, seed=13))),
        Call((Y, head_triples(11, 13, 82), numbers(34, 11, seed=83)), {"memory": MEMORY}),
    ],
    "split_heads": [Call((X[..., :9], 3))],
    "multi_head_packed": [Call(PACKED), Call(PACKED, {"mask": hiding(7, 7, seed=14), "biases": BIASES})],
    "sinusoidal_positions": [
        Call((7, 12, X)),
        Call((7, 11, X)),
        Call((7, 12, X), {"layout": "halves", "base": 100.0}),
        Call((7, 11, X), {"layout": "halves"}),
    ],
    "add_positions": [Call((X, numbers(7, 11, seed=31)))],
    "rotary": [
        Call((ROTARY_X, POSITIONS)),
        Call((ROTARY_X, POSITIONS), {"pairing": "halves", "base": 100.0}),
        Call((ROTARY_X, numpy.stack([POSITIONS, POSITIONS + 3]))),
    ],
    "layer_norm": [Call((X, *norm_weights(32)))],
    "rms_norm": [Call((X, numbers(11, seed=34))), Call((X, numbers(11, seed=34), 1e-2))],
    "relu": [Call((X,))],
    "gelu": [Call((X,))],
    "gelu_tanh": [Call((X,))],
    "sigmoid": [Call((40.0 * X,))],
    "silu": [Call((40.0 * X,))],
    "feed_forward": [Call((X, *network_weights(35)[:4])), Call((X, *network_weights(35)))],
    "swiglu_feed_forward": [
        Call((X, numbers(19, 11, seed=36), numbers(19, 11, seed=37), numbers(11, 19, seed=38))),
    ],
    "encoder_block_post": [Call((X, ENCODER)), Call((X, ENCODER, hiding(7, 7, seed=15)))],
    "encoder_block_pre": [Call((X, ENCODER)), Call((X, ENCODER, hiding(7, 7, seed=15)))],
    "decoder_block_post": [Call((Y, MEMORY, DECODER, CAUSAL)), Call((Y, MEMORY, DECODER, CAUSAL, hiding(7, seed=16)))],
    "decoder_block_pre": [Call((Y, MEMORY, DECODER, CAUSAL)), Call((Y, MEMORY, DECODER, CAUSAL, hiding(7, seed=16)))],
    "next_token": [Call((numbers(2, 11, seed=45), numbers(23, 11, seed=46), numbers(23, seed=47)))],
    "temperature": [Call((LOGITS, 0.7))],
    "top_k": [Call((LOGITS, 5)), Call((LOGITS, 1)), Call((LOGITS, 50))],
    "top_p": [Call((LOGITS, 0.6)), Call((LOGITS, 1.0)), Call((LOGITS, 1e-9))],
    "greedy": [Call((LOGITS,))],
    "cross_entropy": [
        Call((LOGITS, ids(2, 5, below=23, seed=48))),
        Call((LOGITS, ids(2, 5, below=23, seed=48)), {"label_smoothing": 0.1, "reduction": "mean"}),
    ],
    "teacher_forcing": [Call((ids(2, 5, below=23, seed=49), 0))],
}
