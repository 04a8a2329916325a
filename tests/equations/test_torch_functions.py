"""Everything else that PyTorch has a function for, in float64: values and gradients."""

import math
from typing import Any

import numpy
import pytest

from workings import equations as eq

from .support import activation_named, assert_close, assert_same_values_and_gradients, numbers

torch = pytest.importorskip("torch")
functional = torch.nn.functional

X = numbers(3, 5, 7, seed=1)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax_and_its_logarithm(axis: int) -> None:
    assert_same_values_and_gradients(lambda x: eq.softmax(x, axis), lambda x: functional.softmax(x, axis), X)
    assert_same_values_and_gradients(lambda x: eq.log_softmax(x, axis), lambda x: functional.log_softmax(x, axis), X)


def test_softmax_far_from_zero_and_with_ties() -> None:
    scores = numpy.array([[700.0, 0.0, -700.0], [900.0, 900.0, 100.0], [0.0, 0.0, 0.0]])
    assert_same_values_and_gradients(eq.softmax, lambda x: functional.softmax(x, -1), scores)
    assert_same_values_and_gradients(eq.log_softmax, lambda x: functional.log_softmax(x, -1), scores)


def test_softmax_with_hidden_scores() -> None:
    mask = torch.asarray(numpy.where(numpy.random.default_rng(2).random((5, 7)) < 0.4, -math.inf, 0.0))
    assert_same_values_and_gradients(lambda x: eq.softmax(x + mask), lambda x: functional.softmax(x + mask, -1), X)


def test_lookup() -> None:
    ids = torch.asarray(numpy.random.default_rng(3).integers(0, 11, (3, 5)))
    table = numbers(11, 7, seed=4)
    assert_same_values_and_gradients(lambda E: eq.lookup(E, ids), lambda E: functional.embedding(ids, E), table)
    assert_same_values_and_gradients(lambda E: eq.lookup(E, ids[0]), lambda E: functional.embedding(ids[0], E), table)


def test_cosine() -> None:
    a, b = numbers(3, 7, seed=5), numbers(3, 7, seed=6)
    assert_same_values_and_gradients(eq.cosine, functional.cosine_similarity, a, b)
    assert_same_values_and_gradients(
        eq.cosine_matrix, lambda x: functional.cosine_similarity(x[:, None, :], x[None, :, :], dim=-1), a
    )


@pytest.mark.parametrize("epsilon", [1e-5, 0.3])
def test_norms(epsilon: float) -> None:
    gain, bias = numbers(7, seed=7), numbers(7, seed=8)
    assert_same_values_and_gradients(
        lambda x, g, b: eq.layer_norm(x, g, b, epsilon),
        lambda x, g, b: functional.layer_norm(x, (7,), g, b, epsilon),
        X,
        gain,
        bias,
    )
    assert_same_values_and_gradients(
        lambda x, g: eq.rms_norm(x, g, epsilon), lambda x, g: functional.rms_norm(x, (7,), g, epsilon), X, gain
    )


def gelu_tanh(x: Any) -> Any:
    return functional.gelu(x, approximate="tanh")


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("relu", functional.relu),
        ("gelu", functional.gelu),
        ("gelu_tanh", gelu_tanh),
        ("sigmoid", torch.sigmoid),
        ("silu", functional.silu),
    ],
)
def test_activations(name: str, theirs: Any) -> None:
    ours = activation_named(name)
    # 0 is among them, where slopes are a matter of convention, and numbers whose exponentials overflow.
    places = numpy.array([0.0, -0.0, 1e-9, -1e-9, 30.0, -30.0, 800.0, -800.0])
    assert_same_values_and_gradients(ours, theirs, X)
    assert_same_values_and_gradients(ours, theirs, places)


def test_feed_forward() -> None:
    def theirs(x: Any, W_1: Any, b_1: Any, W_2: Any, b_2: Any) -> Any:
        return functional.linear(functional.relu(functional.linear(x, W_1, b_1)), W_2, b_2)

    weights = numbers(11, 7, seed=9), numbers(11, seed=10), numbers(7, 11, seed=11), numbers(7, seed=12)
    assert_same_values_and_gradients(eq.feed_forward, theirs, X, *weights)


def test_swiglu_feed_forward() -> None:
    def theirs(x: Any, W_gate: Any, W_up: Any, W_down: Any) -> Any:
        gated = functional.silu(functional.linear(x, W_gate)) * functional.linear(x, W_up)
        return functional.linear(gated, W_down)

    weights = numbers(11, 7, seed=13), numbers(11, 7, seed=14), numbers(7, 11, seed=15)
    assert_same_values_and_gradients(eq.swiglu_feed_forward, theirs, X, *weights)


def test_next_token() -> None:
    def theirs(h: Any, W_out: Any, b: Any) -> Any:
        return functional.softmax(functional.linear(h, W_out, b), -1)

    inputs = numbers(3, 7, seed=16), numbers(11, 7, seed=17), numbers(11, seed=18)
    assert_same_values_and_gradients(eq.next_token, theirs, *inputs)
    assert_same_values_and_gradients(eq.next_token, theirs, inputs[0][0], *inputs[1:])


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("label_smoothing", [0.0, 0.1, 1.0])
def test_cross_entropy(label_smoothing: float, reduction: Any) -> None:
    targets = torch.asarray(numpy.random.default_rng(19).integers(0, 7, (3, 5)))

    def theirs(logits: Any) -> Any:
        flat = logits.reshape(-1, 7), targets.reshape(-1)
        return functional.cross_entropy(*flat, label_smoothing=label_smoothing, reduction=reduction)

    assert_same_values_and_gradients(
        lambda logits: eq.cross_entropy(logits, targets, label_smoothing, reduction), theirs, X
    )


def test_top_k_and_greedy() -> None:
    logits = torch.asarray(X)
    values, indices = torch.topk(logits, 3)
    expected = torch.full_like(logits, -math.inf).scatter(-1, indices, values)
    assert_close(eq.top_k(logits, 3), expected)
    assert_close(eq.greedy(logits), torch.argmax(logits, -1))


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.99])
def test_top_p(p: float) -> None:
    logits = torch.asarray(X)
    probabilities, order = torch.sort(functional.softmax(logits, -1), descending=True)
    removed = probabilities.cumsum(-1) - probabilities >= p
    expected = logits.masked_fill(removed.gather(-1, order.argsort(-1)), -math.inf)
    assert_close(eq.top_p(logits, p), expected)


def test_parameters_are_tensors_too() -> None:
    parameter = torch.nn.Parameter(torch.asarray(X))
    assert_close(eq.softmax(parameter), functional.softmax(parameter, -1))
