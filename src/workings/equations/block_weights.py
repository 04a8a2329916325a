"""The weights of a block, grouped by sub-layer: plain arrays with names."""

from collections.abc import Sequence
from typing import NamedTuple

from workings.equations._arrays import Array
from workings.equations.activations import relu
from workings.equations.heads import Head
from workings.equations.networks import Activation


class AttentionWeights(NamedTuple):
    """Multi-head attention: h triples of W_Q, W_K, W_V, and W_O (h d_v, d)."""

    heads: Sequence[Head]
    W_O: Array


class FeedForwardWeights(NamedTuple):
    """A feed-forward network: W_1 (f, d), b_1 (f,), W_2 (d, f), b_2 (d,), and the function between its layers."""

    W_1: Array
    b_1: Array
    W_2: Array
    b_2: Array
    activation: Activation = relu


class NormWeights(NamedTuple):
    """A layer normalisation: gain (d,), bias (d,), and epsilon."""

    gain: Array
    bias: Array
    epsilon: float = 1e-5


class EncoderBlockWeights(NamedTuple):
    """Two sub-layers, each with its normalisation."""

    attention: AttentionWeights
    attention_norm: NormWeights
    feed_forward: FeedForwardWeights
    feed_forward_norm: NormWeights


class DecoderBlockWeights(NamedTuple):
    """Three sub-layers, each with its normalisation."""

    self_attention: AttentionWeights
    self_attention_norm: NormWeights
    cross_attention: AttentionWeights
    cross_attention_norm: NormWeights
    feed_forward: FeedForwardWeights
    feed_forward_norm: NormWeights
