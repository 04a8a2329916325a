"""What holds for every input: sums, shifts, distances, and who may not influence whom."""

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workings import equations as eq

from .cases import DECODER, ENCODER, X, Y
from .support import assert_close, numbers

few = settings(max_examples=40, deadline=None)
scores_5_by_7 = arrays(numpy.float64, (5, 7), elements=st.floats(-50.0, 50.0))
seeds = st.integers(0, 2**32 - 1)


@few
@given(scores_5_by_7, st.floats(-100.0, 100.0))
def test_softmax_rows_sum_to_one_and_ignore_a_constant(scores: numpy.ndarray, constant: float) -> None:
    weights = eq.softmax(scores)
    assert numpy.all(weights >= 0.0)
    assert_close(weights.sum(axis=-1), numpy.ones(5))
    assert_close(eq.softmax(scores + constant), weights)
    assert_close(numpy.exp(eq.log_softmax(scores)), weights)


@few
@given(arrays(numpy.bool_, (5, 7)))
def test_hidden_keys_weigh_exactly_nothing(hidden: numpy.ndarray) -> None:
    mask = numpy.where(hidden, -math.inf, 0.0)
    weights = eq.attention(numbers(5, 3, seed=1), numbers(7, 3, seed=2), numbers(7, 2, seed=3), mask)[1]
    assert numpy.all(weights[hidden] == 0.0)
    assert numpy.all(weights[~hidden] > 0.0)
    assert_close(weights.sum(axis=-1), 1.0 * ~hidden.all(axis=-1))


@few
@given(seeds, st.permutations(range(7)))
def test_attention_without_positions_knows_no_order(seed: int, order: list[int]) -> None:
    tokens = numbers(7, 3, seed=seed)
    assert_close(eq.plain_attention(tokens[order])[0], eq.plain_attention(tokens)[0][order])


@few
@given(seeds)
def test_an_average_stays_among_the_values(seed: int) -> None:
    values = numbers(7, 2, seed=seed)
    output, _ = eq.attention(numbers(5, 3, seed=seed + 1), numbers(7, 3, seed=seed + 2), values)
    assert numpy.all(output <= values.max(axis=0) + 1e-12)
    assert numpy.all(output >= values.min(axis=0) - 1e-12)


@few
@given(st.integers(0, 3), seeds)
def test_no_block_of_a_decoder_sees_later_tokens(position: int, seed: int) -> None:
    changed = Y.copy()
    changed[:, position + 1 :] = numbers(2, 4 - position, 11, seed=seed)
    mask = eq.causal_mask(5, Y)
    memory = numbers(2, 7, 13, seed=5)
    for block in (eq.decoder_block_post, eq.decoder_block_pre):
        before, after = block(Y, memory, DECODER, mask), block(changed, memory, DECODER, mask)
        assert_close(after[:, : position + 1], before[:, : position + 1])
        assert not numpy.allclose(after[:, position + 1 :], before[:, position + 1 :])


@few
@given(st.integers(1, 6), seeds)
def test_padding_never_changes_a_real_token(real: int, seed: int) -> None:
    padded = X.copy()
    padded[:, real:] = 100.0 * numbers(2, 7 - real, 11, seed=seed)
    mask = eq.padding_mask(numpy.arange(7) < real, X)
    for block in (eq.encoder_block_post, eq.encoder_block_pre):
        assert_close(block(padded, ENCODER, mask)[:, :real], block(X[:, :real], ENCODER))


def test_a_batch_of_two_equals_two_batches_of_one() -> None:
    for block in (eq.encoder_block_post, eq.encoder_block_pre):
        assert_close(block(X, ENCODER), numpy.stack([block(X[0], ENCODER), block(X[1], ENCODER)]))


@pytest.mark.parametrize("pairing", ["adjacent", "halves"])
@few
@given(seed=seeds, shift=st.integers(-50, 50))
def test_rotary_scores_depend_only_on_distance(pairing: eq.Pairing, seed: int, shift: int) -> None:
    queries, keys, positions = numbers(5, 6, seed=seed), numbers(7, 6, seed=seed + 1), numpy.arange(7)

    def scores(offset: int) -> numpy.ndarray:
        turned_queries = eq.rotary(queries, positions[:5] + offset, pairing=pairing)
        turned_keys = eq.rotary(keys, positions + offset, pairing=pairing)
        return turned_queries @ turned_keys.T

    assert_close(scores(shift), scores(0))
    lengths = numpy.linalg.norm(eq.rotary(keys, positions, pairing=pairing), axis=-1)
    assert_close(lengths, numpy.linalg.norm(keys, axis=-1))


def test_the_two_pairings_are_one_permutation_apart() -> None:
    x, positions = numbers(7, 6, seed=6), numpy.arange(7)
    to_halves = [0, 2, 4, 1, 3, 5]
    assert_close(eq.rotary(x, positions)[:, to_halves], eq.rotary(x[:, to_halves], positions, pairing="halves"))


@few
@given(st.integers(0, 40), st.integers(1, 20))
def test_a_step_in_position_is_always_the_same_turn(position: int, step: int) -> None:
    encoding = eq.sinusoidal_positions(61, 6, X)
    sines, cosines = encoding[:, 0::2], encoding[:, 1::2]
    turn_sines, turn_cosines = sines[step], cosines[step]
    assert_close(sines[position + step], sines[position] * turn_cosines + cosines[position] * turn_sines)
    assert_close(cosines[position + step], cosines[position] * turn_cosines - sines[position] * turn_sines)


def test_the_two_layouts_hold_the_same_numbers() -> None:
    interleaved, halves = eq.sinusoidal_positions(7, 6, X), eq.sinusoidal_positions(7, 6, X, layout="halves")
    numpy.testing.assert_array_equal(interleaved[:, [0, 2, 4, 1, 3, 5]], halves)


@few
@given(seeds, st.floats(-10.0, 10.0), st.floats(0.1, 10.0))
def test_layer_norm_ignores_shift_and_scale(seed: int, shift: float, scale: float) -> None:
    x, ones, zeros = numbers(5, 7, seed=seed), numpy.ones(7), numpy.zeros(7)
    normalised = eq.layer_norm(x, ones, zeros, 0.0)
    assert_close(normalised.mean(axis=-1), numpy.zeros(5))
    assert_close(normalised.var(axis=-1), numpy.ones(5))
    numpy.testing.assert_allclose(eq.layer_norm(scale * x + shift, ones, zeros, 0.0), normalised, rtol=0, atol=1e-10)
    assert_close(eq.rms_norm(scale * x, ones, 0.0), eq.rms_norm(x, ones, 0.0))


@few
@given(seeds)
def test_heads_cut_from_packed_projections_are_the_same_heads(seed: int) -> None:
    W_Q, W_K, W_V, W_O = (
        numbers(*shape, seed=seed + i) for i, shape in enumerate([(11, 6), (11, 6), (11, 34), (34, 11)])
    )
    heads = list(zip(eq.split_heads(W_Q, 2), eq.split_heads(W_K, 2), eq.split_heads(W_V, 2), strict=True))
    assert_close(eq.multi_head_packed(X, W_Q, W_K, W_V, W_O, 2), eq.multi_head(X, heads, W_O))


@few
@given(st.permutations(range(7)), st.floats(0.01, 0.99), st.integers(1, 7))
def test_the_nucleus_is_as_small_as_it_can_be(ranks: list[int], p: float, k: int) -> None:
    logits = 0.75 * numpy.array(ranks)
    nucleus = numpy.sort(eq.softmax(logits)[eq.top_p(logits, p) > -math.inf])
    assert nucleus.sum() >= p - 1e-12
    assert nucleus[1:].sum() < p + 1e-12
    assert sorted(logits[eq.top_k(logits, k) > -math.inf]) == sorted(logits)[-k:]
    assert eq.greedy(logits) == ranks.index(6)


@few
@given(scores_5_by_7)
def test_cross_entropy_of_a_smoothed_target_is_a_blend(logits: numpy.ndarray) -> None:
    targets = numpy.arange(5)
    everywhere = [eq.cross_entropy(logits, numpy.full(5, word)) for word in range(7)]
    blend = 0.75 * eq.cross_entropy(logits, targets) + 0.25 * sum(everywhere) / 7.0
    assert_close(eq.cross_entropy(logits, targets, 0.25), blend)
