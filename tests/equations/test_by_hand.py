"""Small cases whose answers can be worked out on paper, and what each equation refuses."""

import math
from collections.abc import Callable

import numpy
import pytest

from workings import equations as eq

from .support import assert_close

INFINITY = math.inf
LOGITS = numpy.log(numpy.array([0.1, 0.5, 0.3, 0.1]))


def test_softmax_of_logarithms_gives_the_proportions() -> None:
    assert_close(eq.softmax(numpy.log(numpy.array([1.0, 2.0, 5.0]))), numpy.array([0.125, 0.25, 0.625]))


def test_softmax_of_large_scores_does_not_overflow() -> None:
    assert_close(eq.softmax(numpy.array([1e300, 1e300, -1e300])), numpy.array([0.5, 0.5, 0.0]))


def test_a_hidden_score_weighs_exactly_nothing() -> None:
    numpy.testing.assert_array_equal(eq.softmax(numpy.array([0.0, -INFINITY, 0.0])), [0.5, 0.0, 0.5])


def test_a_row_with_nothing_to_attend_to_weighs_nothing() -> None:
    scores = numpy.array([[0.0, 0.0], [-INFINITY, -INFINITY]])
    numpy.testing.assert_array_equal(eq.softmax(scores), [[0.5, 0.5], [0.0, 0.0]])
    numpy.testing.assert_array_equal(eq.softmax(scores.T, axis=0), [[0.5, 0.0], [0.5, 0.0]])


@pytest.mark.parametrize(
    ("scores", "axis", "place"),
    [
        (numpy.array([[0.0, 0.0], [-INFINITY, -INFINITY]]), -1, "row 1 "),
        (numpy.array([[0.0, -INFINITY], [0.0, -INFINITY]]), 0, "row 1 "),
        (numpy.where(numpy.arange(6).reshape(2, 3, 1) == 5, -INFINITY, numpy.zeros((2, 3, 4))), -1, "row 1, 2 "),
        (numpy.full(3, -INFINITY), -1, "the only row "),
    ],
)
def test_the_policy_error_names_the_row(scores: numpy.ndarray, axis: int, place: str) -> None:
    with pytest.raises(ValueError, match=f"^{place}has nothing to attend to"):
        eq.softmax(scores, axis, "error")
    with pytest.raises(ValueError, match=f"^{place}has nothing to attend to"):
        eq.log_softmax(scores, axis)


def test_the_policy_error_reaches_attention() -> None:
    ones = numpy.ones((2, 2))
    mask = numpy.array([[0.0, 0.0], [-INFINITY, -INFINITY]])
    with pytest.raises(ValueError, match=r"^row 1 has nothing to attend to"):
        eq.attention(ones, ones, ones, mask, empty="error")
    numpy.testing.assert_array_equal(eq.attention(ones, ones, ones, mask)[0], [[1.0, 1.0], [0.0, 0.0]])


def test_causal_mask_of_equation_13() -> None:
    expected = [[0.0, -INFINITY, -INFINITY], [0.0, 0.0, -INFINITY], [0.0, 0.0, 0.0]]
    numpy.testing.assert_array_equal(eq.causal_mask(3, numpy.ones(1)), expected)


def test_padding_mask_hides_keys_from_every_query() -> None:
    keep = numpy.array([[True, True, False], [True, False, False]])
    expected = [[[0.0, 0.0, -INFINITY]], [[0.0, -INFINITY, -INFINITY]]]
    numpy.testing.assert_array_equal(eq.padding_mask(keep), expected)


def test_scale_is_a_multiplier_and_defaults_to_one_over_the_root_of_d_k() -> None:
    queries, keys = numpy.array([[2.0, 0.0, 0.0, 0.0]]), numpy.eye(4)
    by_default = numpy.array([math.e, 1.0, 1.0, 1.0]) / (math.e + 3.0)
    unscaled = numpy.array([math.e**2, 1.0, 1.0, 1.0]) / (math.e**2 + 3.0)
    assert_close(eq.attention(queries, keys, keys)[1], by_default[None, :])
    assert_close(eq.attention(queries, keys, keys, scale=0.5)[1], by_default[None, :])
    assert_close(eq.attention(queries, keys, keys, scale=1.0)[1], unscaled[None, :])


def test_additive_attention_one_pair_at_a_time() -> None:
    rows = numpy.random.default_rng(5)
    queries, keys, values = rows.standard_normal((2, 3)), rows.standard_normal((5, 7)), rows.standard_normal((5, 11))
    W_Q, W_K, v = rows.standard_normal((3, 13)), rows.standard_normal((7, 13)), rows.standard_normal(13)
    output, weights = eq.additive_attention(queries, keys, values, W_Q, W_K, v)
    for i, query in enumerate(queries):
        exponentials = []
        for key in keys:
            features = [math.tanh(sum(query * W_Q[:, a]) + sum(key * W_K[:, a])) for a in range(13)]
            exponentials.append(math.exp(sum(v[a] * features[a] for a in range(13))))
        expected = numpy.array(exponentials) / sum(exponentials)
        assert_close(weights[i], expected)
        assert_close(output[i], sum(weight * value for weight, value in zip(expected, values, strict=True)))


def test_sinusoids_in_both_layouts() -> None:
    angles = [1.0, 1.0 / 10.0, 1.0 / 100.0]
    interleaved = [function(angle) for angle in angles for function in (math.sin, math.cos)]
    halves = [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]
    like = numpy.ones(1)
    assert_close(eq.sinusoidal_positions(2, 6, like, base=1000.0)[1], numpy.array(interleaved))
    assert_close(eq.sinusoidal_positions(2, 6, like, base=1000.0, layout="halves")[1], numpy.array(halves))


def test_sinusoids_of_odd_width_end_with_a_sine() -> None:
    like = numpy.ones(1)
    slow = 1.0 / 10000.0 ** (2.0 / 3.0)
    interleaved = eq.sinusoidal_positions(2, 3, like)[1]
    assert_close(interleaved, numpy.array([math.sin(1.0), math.cos(1.0), math.sin(slow)]))
    halves = eq.sinusoidal_positions(2, 3, like, layout="halves")[1]
    assert_close(halves, numpy.array([math.sin(1.0), math.sin(slow), math.cos(1.0)]))


def test_rotary_turns_by_a_right_angle() -> None:
    quarter = numpy.array([math.pi / 2.0])
    x = numpy.array([[1.0, 2.0, 3.0, 4.0]])
    assert_close(eq.rotary(x, quarter, base=1.0), numpy.array([[-2.0, 1.0, -4.0, 3.0]]))
    assert_close(eq.rotary(x, quarter, base=1.0, pairing="halves"), numpy.array([[-3.0, -4.0, 1.0, 2.0]]))


def test_rotary_is_multiplication_by_a_complex_number() -> None:
    x = numpy.random.default_rng(6).standard_normal((7, 10))
    positions = numpy.arange(7)
    angles = positions[:, None] * 10000.0 ** (-2.0 * numpy.arange(5) / 10.0)
    adjacent = (x[:, 0::2] + 1j * x[:, 1::2]) * numpy.exp(1j * angles)
    assert_close(eq.rotary(x, positions)[:, 0::2], adjacent.real)
    assert_close(eq.rotary(x, positions)[:, 1::2], adjacent.imag)
    halves = (x[:, :5] + 1j * x[:, 5:]) * numpy.exp(1j * angles)
    assert_close(eq.rotary(x, positions, pairing="halves"), numpy.concatenate([halves.real, halves.imag], axis=1))


def test_layer_norm_divides_by_n_and_keeps_epsilon_in_the_root() -> None:
    x, ones, zeros = numpy.array([1.0, 0.0, 0.0, 0.0]), numpy.ones(4), numpy.zeros(4)
    assert_close(eq.layer_norm(x, ones, zeros, 0.0)[0], numpy.float64(math.sqrt(3.0)))
    assert_close(eq.layer_norm(x, ones, zeros, 0.0625)[0], numpy.float64(1.5))
    assert_close(eq.layer_norm(x, 2.0 * ones, ones, 0.0625)[0], numpy.float64(4.0))


def test_rms_norm_keeps_the_mean() -> None:
    x = numpy.array([3.0, 4.0, 0.0, 0.0])
    assert_close(eq.rms_norm(x, numpy.ones(4), 0.0), x / 2.5)


@pytest.mark.parametrize(
    ("activation", "x", "expected"),
    [
        (eq.relu, -3.0, 0.0),
        (eq.relu, 3.0, 3.0),
        (eq.gelu, 1.0, 0.8413447460685429),
        (eq.gelu, -1.0, -0.15865525393145707),
        (eq.gelu_tanh, 1.0, 0.8411919906082768),
        (eq.sigmoid, math.log(3.0), 0.75),
        (eq.sigmoid, -math.log(3.0), 0.25),
        (eq.sigmoid, -1e4, 0.0),
        (eq.sigmoid, 1e4, 1.0),
        (eq.silu, -math.log(3.0), -0.25 * math.log(3.0)),
    ],
)
def test_activations(activation: Callable[[numpy.ndarray], numpy.ndarray], x: float, expected: float) -> None:
    assert_close(activation(numpy.array([x])), numpy.array([expected]))


def test_feed_forward_multiplies_from_the_left() -> None:
    W_1, b_1 = numpy.array([[1.0, 0.0], [0.0, 1.0], [1.0, -3.0]]), numpy.array([0.0, -1.0, 0.5])
    W_2, b_2 = numpy.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]), numpy.array([10.0, 20.0])
    # W_1 x + b_1 = (1, 1, -4.5), of which the last is cut to 0.
    numpy.testing.assert_array_equal(eq.feed_forward(numpy.array([1.0, 2.0]), W_1, b_1, W_2, b_2), [13.0, 21.0])


def test_next_token_multiplies_from_the_left() -> None:
    W_out, b = numpy.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), numpy.log(numpy.array([1.0, 2.0, 5.0]))
    h = numpy.array([0.0, math.log(3.0)])
    assert_close(eq.next_token(h, W_out, b), numpy.array([1.0, 6.0, 5.0]) / 12.0)


def test_temperature_two_takes_the_square_root_of_proportions() -> None:
    logits = numpy.log(numpy.array([1.0, 4.0, 25.0]))
    assert_close(eq.softmax(eq.temperature(logits, 2.0)), numpy.array([1.0, 2.0, 5.0]) / 8.0)


def kept(filtered_logits: numpy.ndarray) -> list[int]:
    return list(numpy.flatnonzero(filtered_logits > -INFINITY))


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [1]), (2, [1, 2]), (3, [0, 1, 2, 3]), (4, [0, 1, 2, 3]), (9, [0, 1, 2, 3])]
)
def test_top_k_keeps_ties(k: int, expected: list[int]) -> None:
    filtered_logits = eq.top_k(LOGITS, k)
    assert kept(filtered_logits) == expected
    numpy.testing.assert_array_equal(filtered_logits[expected], LOGITS[expected])


@pytest.mark.parametrize(
    ("p", "expected"), [(1e-12, [1]), (0.4, [1]), (0.6, [1, 2]), (0.85, [0, 1, 2, 3]), (1.0, [0, 1, 2, 3])]
)
def test_top_p_keeps_the_token_that_reaches_p_and_ties(p: float, expected: list[int]) -> None:
    assert kept(eq.top_p(LOGITS, p)) == expected


def test_top_p_stops_exactly_at_p() -> None:
    # Powers of two, whose totals carry no rounding.
    logits = numpy.log(2.0) * numpy.array([-1.0, -2.0, -3.0, -3.0])
    assert kept(eq.top_p(logits, 0.5)) == [0]
    assert kept(eq.top_p(logits, 0.75)) == [0, 1]
    assert kept(eq.top_p(eq.top_k(logits, 2), 0.99)) == [0, 1]


def test_greedy_takes_the_first_of_equals() -> None:
    assert eq.greedy(numpy.array([0.0, 7.0, 7.0])) == 1


def test_cross_entropy_by_hand() -> None:
    logits, targets = numpy.log(numpy.array([[1.0, 3.0], [1.0, 1.0]])), numpy.array([0, 1])
    assert_close(eq.cross_entropy(logits, targets), numpy.float64(math.log(4.0) + math.log(2.0)))
    assert_close(eq.cross_entropy(logits, targets, reduction="mean"), numpy.float64(1.5 * math.log(2.0)))
    first = 0.9 * math.log(4.0) + 0.1 * (math.log(4.0) + math.log(4.0 / 3.0)) / 2.0
    assert_close(eq.cross_entropy(logits, targets, 0.1), numpy.float64(first + math.log(2.0)))


def test_teacher_forcing_shifts_right() -> None:
    inputs, targets = eq.teacher_forcing(numpy.array([[5, 7, 2], [8, 2, 2]]), 1)
    numpy.testing.assert_array_equal(inputs, [[1, 5, 7], [1, 8, 2]])
    numpy.testing.assert_array_equal(targets, [[5, 7, 2], [8, 2, 2]])


ONES = numpy.ones((2, 2))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (TypeError, "mask is boolean", lambda: eq.attention(ONES, ONES, ONES, ONES > 0)),
        (TypeError, "mask is boolean", lambda: eq.additive_attention(ONES, ONES, ONES, ONES, ONES, ONES[0], ONES > 0)),
        (TypeError, "expected booleans, True for", lambda: eq.padding_mask(numpy.array([1, 0]))),
        (IndexError, "id 2 is out of range; expected 0 to 1", lambda: eq.lookup(ONES, numpy.array([0, 2]))),
        (IndexError, "id -1 is out of range; expected 0 to 1", lambda: eq.lookup(ONES, numpy.array([-1]))),
        (TypeError, "ids have dtype float64; expected integers from 0 to 1", lambda: eq.lookup(ONES, ONES[0])),
        (IndexError, "id -1 is out of range", lambda: eq.cross_entropy(ONES, numpy.array([0, -1]))),
        (ValueError, "'none'; expected 'sum' or 'mean'", lambda: eq.cross_entropy(ONES, ONES, reduction="none")),
        (ValueError, "label_smoothing is 1.5", lambda: eq.cross_entropy(ONES, numpy.array([0, 1]), 1.5)),
        (ValueError, "empty is 'nan'; expected 'zero' or 'error'", lambda: eq.softmax(ONES, empty="nan")),
        (ValueError, "expected 'interleaved' or 'halves'", lambda: eq.sinusoidal_positions(2, 2, ONES, layout="x")),
        (ValueError, "expected 'adjacent' or 'halves'", lambda: eq.rotary(ONES, numpy.arange(2), pairing="x")),
        (ValueError, "expected an even width", lambda: eq.rotary(numpy.ones((2, 3)), numpy.arange(2))),
        (ValueError, "7 columns cannot be shared out equally among 2", lambda: eq.split_heads(numpy.ones((2, 7)), 2)),
        (ValueError, "among 0 heads", lambda: eq.split_heads(ONES, 0)),
        (ValueError, "temperature is 0", lambda: eq.temperature(LOGITS, 0.0)),
        (ValueError, "temperature is nan", lambda: eq.temperature(LOGITS, math.nan)),
        (ValueError, "k is 0", lambda: eq.top_k(LOGITS, 0)),
        (ValueError, "p is 0", lambda: eq.top_p(LOGITS, 0.0)),
        (ValueError, "p is 1.5", lambda: eq.top_p(LOGITS, 1.5)),
    ],
)
def test_refusals(error: type[Exception], message: str, call: Callable[[], object]) -> None:
    with pytest.raises(error, match=message):
        call()


def test_no_ids_are_no_rows() -> None:
    assert eq.lookup(ONES, numpy.zeros(0, dtype=int)).shape == (0, 2)
