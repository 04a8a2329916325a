"""The equations of the transformer, each written once as a pure function over the array API standard.

The same lines run on NumPy arrays, PyTorch tensors and any other array that follows the standard, in the dtype of their
operands. Each function carries its description as `function.equation`, and `EQUATIONS` lists them all by name.

"The article" in these pages is Sitraka Forler, "The attention mechanism and the transformer, step by step", whose
numbers, sections and letters are used throughout. Matrices stand as it writes them: X W^Q is (in × out), but W_1 x and
W_out h are (out × in).

Axis letters: L tokens; t queries or targets; s keys or tokens of the memory; d width of a token, m width of a token of
the memory; d_k and d_v width of one head's keys and values; h heads; f inner width of a network; v words of the
vocabulary. "..." stands for any leading axes.
"""

from workings.equations._arrays import Array, namespace
from workings.equations._description import EQUATIONS, Equation, equation, equation_of
from workings.equations.activations import gelu, gelu_tanh, relu, sigmoid, silu
from workings.equations.attentions import additive_attention, attention, cross_attention, plain_attention
from workings.equations.block_weights import (
    AttentionWeights,
    DecoderBlockWeights,
    EncoderBlockWeights,
    FeedForwardWeights,
    NormWeights,
)
from workings.equations.decoder_blocks import decoder_block_post, decoder_block_pre
from workings.equations.distributions import EmptyPolicy, log_softmax, softmax
from workings.equations.embeddings import cosine, cosine_matrix, lookup
from workings.equations.encoder_blocks import encoder_block_post, encoder_block_pre
from workings.equations.heads import Head, ProjectionBiases, head, multi_head, multi_head_packed, split_heads
from workings.equations.loss import Reduction, cross_entropy, teacher_forcing
from workings.equations.masks import causal_mask, padding_mask
from workings.equations.networks import Activation, feed_forward, swiglu_feed_forward
from workings.equations.norms import layer_norm, rms_norm
from workings.equations.positions import Layout, Pairing, add_positions, rotary, sinusoidal_positions
from workings.equations.prediction import greedy, next_token, temperature, top_k, top_p

__all__ = [
    "EQUATIONS",
    "Activation",
    "Array",
    "AttentionWeights",
    "DecoderBlockWeights",
    "EmptyPolicy",
    "EncoderBlockWeights",
    "Equation",
    "FeedForwardWeights",
    "Head",
    "Layout",
    "NormWeights",
    "Pairing",
    "ProjectionBiases",
    "Reduction",
    "add_positions",
    "additive_attention",
    "attention",
    "causal_mask",
    "cosine",
    "cosine_matrix",
    "cross_attention",
    "cross_entropy",
    "decoder_block_post",
    "decoder_block_pre",
    "encoder_block_post",
    "encoder_block_pre",
    "equation",
    "equation_of",
    "feed_forward",
    "gelu",
    "gelu_tanh",
    "greedy",
    "head",
    "layer_norm",
    "log_softmax",
    "lookup",
    "multi_head",
    "multi_head_packed",
    "namespace",
    "next_token",
    "padding_mask",
    "plain_attention",
    "relu",
    "rms_norm",
    "rotary",
    "sigmoid",
    "silu",
    "sinusoidal_positions",
    "softmax",
    "split_heads",
    "swiglu_feed_forward",
    "teacher_forcing",
    "temperature",
    "top_k",
    "top_p",
]
