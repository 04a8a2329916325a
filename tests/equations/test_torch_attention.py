"""Attention, heads and blocks against PyTorch's own, in float64: values and the gradient of every operand."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy
import pytest

from workings import equations as eq

from .support import activation_named, assert_close, assert_same_values_and_gradients, numbers

torch = pytest.importorskip("torch")
functional = torch.nn.functional

Tensor: TypeAlias = Any
Module: TypeAlias = Any
Parameters: TypeAlias = Mapping[str, Tensor]

QUERIES, KEYS, VALUES = numbers(2, 3, 5, 7, seed=1), numbers(2, 3, 11, 7, seed=2), numbers(2, 3, 11, 13, seed=3)
MAY_ATTEND = numpy.random.default_rng(4).random((5, 11)) < 0.6
MAY_ATTEND[:, 0] = True


def additive(may_attend: numpy.ndarray) -> Tensor:
    return torch.asarray(numpy.where(may_attend, 0.0, -math.inf))


def test_scaled_dot_product_attention() -> None:
    assert_same_values_and_gradients(
        lambda Q, K, V: eq.attention(Q, K, V)[0], functional.scaled_dot_product_attention, QUERIES, KEYS, VALUES
    )


def test_scaled_dot_product_attention_with_a_scale() -> None:
    assert_same_values_and_gradients(
        lambda Q, K, V: eq.attention(Q, K, V, scale=0.3)[0],
        lambda Q, K, V: functional.scaled_dot_product_attention(Q, K, V, scale=0.3),
        QUERIES,
        KEYS,
        VALUES,
    )


def test_scaled_dot_product_attention_with_a_boolean_mask() -> None:
    assert_same_values_and_gradients(
        lambda Q, K, V: eq.attention(Q, K, V, additive(MAY_ATTEND))[0],
        lambda Q, K, V: functional.scaled_dot_product_attention(Q, K, V, attn_mask=torch.asarray(MAY_ATTEND)),
        QUERIES,
        KEYS,
        VALUES,
    )


def test_scaled_dot_product_attention_with_a_bias_as_mask() -> None:
    assert_same_values_and_gradients(
        lambda Q, K, V, M: eq.attention(Q, K, V, M)[0],
        lambda Q, K, V, M: functional.scaled_dot_product_attention(Q, K, V, attn_mask=M),
        QUERIES,
        KEYS,
        VALUES,
        numbers(3, 5, 11, seed=5),
    )


def test_scaled_dot_product_attention_causal() -> None:
    assert_same_values_and_gradients(
        lambda Q, K, V: eq.attention(Q, K, V, eq.causal_mask(11, Q))[0],
        lambda Q, K, V: functional.scaled_dot_product_attention(Q, K, V, is_causal=True),
        numbers(2, 3, 11, 7, seed=6),
        KEYS,
        VALUES,
    )


def test_a_query_with_every_key_hidden_gets_zeros_and_finite_gradients() -> None:
    may_attend = MAY_ATTEND.copy()
    may_attend[3] = False
    assert_same_values_and_gradients(
        lambda Q, K, V: eq.attention(Q, K, V, additive(may_attend))[0],
        lambda Q, K, V: functional.scaled_dot_product_attention(Q, K, V, attn_mask=torch.asarray(may_attend)),
        QUERIES,
        KEYS,
        VALUES,
    )


# nn.MultiheadAttention: width 10 for 2 heads of 5; 7 queries, 11 keys, memory of width 13.
def packed(parameters: Parameters, width: int) -> tuple[Tensor, ...]:
    """Their three packed projections, turned to stand to the right of the rows."""
    if "in_proj_weight" in parameters:
        stacked = parameters["in_proj_weight"]
        projections = tuple(stacked[i * width : (i + 1) * width].mT for i in range(3))
    else:
        projections = tuple(parameters[f"{letter}_proj_weight"].mT for letter in "qkv")
    return (*projections, parameters["out_proj.weight"].mT)


def triples(projections: tuple[Tensor, ...], head_count: int) -> list[tuple[Tensor, ...]]:
    """The matrices of each head, cut out of the packed ones."""
    sliced = [eq.split_heads(matrix, head_count) for matrix in projections]
    return list(zip(*sliced, strict=True))


def leaves_of(module: Module, seed: int, without: str = "-") -> dict[str, numpy.ndarray]:
    """Every parameter, with numbers of its own in place of the initial ones."""
    names = [name for name, _ in module.named_parameters() if without not in name]
    return {
        name: 0.4 * numbers(*module.get_parameter(name).shape, seed=seed + place) for place, name in enumerate(names)
    }


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_with_biases_over_itself(masked: bool) -> None:
    module = torch.nn.MultiheadAttention(10, 2, batch_first=True, dtype=torch.float64)
    leaves = leaves_of(module, 10)
    may_attend = numpy.tril(numpy.ones((7, 7), dtype=bool))

    def ours(X: Tensor, *tensors: Tensor) -> Tensor:
        parameters = dict(zip(leaves, tensors, strict=True))
        b = parameters["in_proj_bias"]
        biases = eq.ProjectionBiases(b[:10], b[10:20], b[20:], parameters["out_proj.bias"])
        mask = eq.causal_mask(7, X) if masked else None
        return eq.multi_head_packed(X, *packed(parameters, 10), 2, mask, biases=biases)

    def theirs(X: Tensor, *tensors: Tensor) -> Tensor:
        hidden = torch.asarray(~may_attend) if masked else None
        parameters = dict(zip(leaves, tensors, strict=True))
        return torch.func.functional_call(module, parameters, (X, X, X), {"attn_mask": hidden, "need_weights": False})[
            0
        ]

    assert_same_values_and_gradients(ours, theirs, numbers(3, 7, 10, seed=20), *leaves.values())


@pytest.mark.parametrize("form", ["packed", "triples"])
def test_multi_head_attention_over_a_padded_memory_of_its_own_width(form: str) -> None:
    module = torch.nn.MultiheadAttention(10, 2, bias=False, kdim=13, vdim=13, batch_first=True, dtype=torch.float64)
    leaves = leaves_of(module, 30)
    keep = torch.asarray(numpy.arange(11)[None, :] < numpy.array([[11], [4], [7]]))

    def ours(X: Tensor, memory: Tensor, *tensors: Tensor) -> Tensor:
        projections = packed(dict(zip(leaves, tensors, strict=True)), 10)
        mask = eq.padding_mask(keep, X)
        if form == "packed":
            return eq.multi_head_packed(X, *projections, 2, mask, memory)
        return eq.multi_head(X, triples(projections[:3], 2), projections[3], mask, memory)

    def theirs(X: Tensor, memory: Tensor, *tensors: Tensor) -> Tensor:
        parameters = dict(zip(leaves, tensors, strict=True))
        options = {"key_padding_mask": ~keep, "need_weights": False}
        return torch.func.functional_call(module, parameters, (X, memory, memory), options)[0]

    inputs = (numbers(3, 7, 10, seed=40), numbers(3, 11, 13, seed=41), *leaves.values())
    assert_same_values_and_gradients(ours, theirs, *inputs)


def test_the_weights_of_attention_are_those_nn_multihead_attention_reports() -> None:
    module = torch.nn.MultiheadAttention(10, 2, bias=False, batch_first=True, dtype=torch.float64)
    X = torch.asarray(numbers(7, 10, seed=42))
    W_Q, W_K, _, _ = packed(dict(module.named_parameters()), 10)
    their_weights = module(X, X, X, average_attn_weights=False)[1]
    for number in range(2):
        columns = slice(5 * number, 5 * number + 5)
        assert_close(eq.attention(X @ W_Q[:, columns], X @ W_K[:, columns], X)[1], their_weights[number])


# Blocks: width 10 for 2 heads of 5, inner width 13, 7 targets, 11 tokens of memory, batch 3.
def attention_of(parameters: Parameters, prefix: str) -> eq.AttentionWeights:
    inner = {name.removeprefix(prefix): value for name, value in parameters.items() if name.startswith(prefix)}
    *projections, W_O = packed(inner, 10)
    return eq.AttentionWeights(triples(tuple(projections), 2), W_O)


def norm_of(parameters: Parameters, number: int) -> eq.NormWeights:
    return eq.NormWeights(parameters[f"norm{number}.weight"], parameters[f"norm{number}.bias"], 1e-3)


def network_of(parameters: Parameters, activation: str) -> eq.FeedForwardWeights:
    layers = [parameters[f"linear{number}.{kind}"] for number in (1, 2) for kind in ("weight", "bias")]
    return eq.FeedForwardWeights(*layers, activation_named(activation))


OPTIONS = {"dropout": 0.0, "layer_norm_eps": 1e-3, "batch_first": True, "dtype": torch.float64}


def without_attention_biases(layer: Module) -> Module:
    """The article's heads have no biases; a layer's are set to 0."""
    for name, parameter in layer.named_parameters():
        if "attn" in name and "bias" in name:
            torch.nn.init.zeros_(parameter)
    return layer


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True], ids=["post", "pre"])
def test_encoder_block(norm_first: bool, activation: str) -> None:
    layer = without_attention_biases(
        torch.nn.TransformerEncoderLayer(10, 2, 13, activation=activation, norm_first=norm_first, **OPTIONS)
    )
    leaves = {name: value for name, value in leaves_of(layer, 50).items() if not ("attn" in name and "bias" in name)}
    block_equation = eq.encoder_block_pre if norm_first else eq.encoder_block_post
    keep = torch.asarray(numpy.arange(7)[None, :] < numpy.array([[7], [3], [5]]))

    def ours(X: Tensor, *tensors: Tensor) -> Tensor:
        parameters = dict(zip(leaves, tensors, strict=True))
        block = eq.EncoderBlockWeights(
            attention_of(parameters, "self_attn."),
            norm_of(parameters, 1),
            network_of(parameters, activation),
            norm_of(parameters, 2),
        )
        return block_equation(X, block, eq.padding_mask(keep, X))

    def theirs(X: Tensor, *tensors: Tensor) -> Tensor:
        parameters = dict(zip(leaves, tensors, strict=True))
        return torch.func.functional_call(layer, parameters, (X,), {"src_key_padding_mask": ~keep})

    assert_same_values_and_gradients(ours, theirs, numbers(3, 7, 10, seed=70), *leaves.values())


@pytest.mark.parametrize("norm_first", [False, True], ids=["post", "pre"])
def test_decoder_block(norm_first: bool) -> None:
    layer = without_attention_biases(torch.nn.TransformerDecoderLayer(10, 2, 13, norm_first=norm_first, **OPTIONS))
    leaves = {name: value for name, value in leaves_of(layer, 80).items() if not ("attn" in name and "bias" in name)}
    block_equation = eq.decoder_block_pre if norm_first else eq.decoder_block_post
    keep = torch.asarray(numpy.arange(11)[None, :] < numpy.array([[11], [3], [5]]))
    hidden = torch.asarray(~numpy.tril(numpy.ones((7, 7), dtype=bool)))

    def ours(Y: Tensor, memory: Tensor, *tensors: Tensor) -> Tensor:
        parameters = dict(zip(leaves, tensors, strict=True))
        block = eq.DecoderBlockWeights(
            attention_of(parameters, "self_attn."),
            norm_of(parameters, 1),
            attention_of(parameters, "multihead_attn."),
            norm_of(parameters, 2),
            network_of(parameters, "relu"),
            norm_of(parameters, 3),
        )
        return block_equation(Y, memory, block, eq.causal_mask(7, Y), eq.padding_mask(keep, Y))

    def theirs(Y: Tensor, memory: Tensor, *tensors: Tensor) -> Tensor:
        parameters = dict(zip(leaves, tensors, strict=True))
        options = {"tgt_mask": hidden, "memory_key_padding_mask": ~keep}
        return torch.func.functional_call(layer, parameters, (Y, memory), options)

    inputs = (numbers(3, 7, 10, seed=100), numbers(3, 11, 10, seed=101), *leaves.values())
    assert_same_values_and_gradients(ours, theirs, *inputs)
