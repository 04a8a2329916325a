"""What the second text claims, proved on its example; the loops are written out here in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples.support import run

from workings import equations as eq
from workings.recording.running import record_script

from .support import SCRIPTS, assert_close, softmax

INPUTS = [
    [0.43, 0.15, 0.89],
    [0.55, 0.87, 0.66],
    [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33],
    [0.77, 0.25, 0.10],
    [0.05, 0.80, 0.55],
]
PRINTED = (
    "tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])\n"
    "tensor([[0.4421, 0.5931, 0.5790],\n        [0.4419, 0.6515, 0.5683],\n        [0.4431, 0.6496, 0.5671],\n"
    "        [0.4304, 0.6298, 0.5510],\n        [0.4671, 0.5910, 0.5266],\n        [0.4177, 0.6503, 0.5645]])\n"
)


def by_loops(inputs, query):
    """Score, normalise, mix, one number at a time."""
    scores = [sum(a * b for a, b in zip(row, query, strict=True)) for row in inputs]
    total = sum(math.exp(score) for score in scores)
    weights = [math.exp(score) / total for score in scores]
    context = [0.0] * len(query)
    for weight, row in zip(weights, inputs, strict=True):
        context = [c + weight * x for c, x in zip(context, row, strict=True)]
    return scores, weights, context


def test_the_listings_print_what_the_text_prints():
    pytest.importorskip("torch")
    assert record_script(SCRIPTS / "second_text.py").printed == PRINTED


def test_one_query_by_score_normalise_mix():
    working = run("journey")
    scores, weights, context = by_loops(INPUTS, INPUTS[1])
    assert_close(working["query.scores"], scores)
    assert_close(working["query.weights"], weights)
    assert_close(working["query.context"], context)


def test_the_weights_sum_to_1():
    assert_close(run("journey")["query.weights"].value.sum(), 1.0)
    assert_close(run("journey")["all.weights"].value.sum(axis=1), np.ones(6))


def test_a_context_vector_is_a_weighted_average():
    working = run("journey")
    context = working["query.context"].value
    assert_close(context, np.average(INPUTS, axis=0, weights=working["query.weights"].value))
    assert np.all((np.min(INPUTS, axis=0) < context) & (context < np.max(INPUTS, axis=0)))


def test_the_same_word_has_another_context_vector_in_another_sentence():
    here, there = run("journey"), run("journey", "one journey starts")
    assert here["inputs"].value[1].tolist() == there["inputs"].value[1].tolist() == INPUTS[1]
    assert here["all.contexts"].labels[0][1] == there["all.contexts"].labels[0][1] == "journey"
    assert np.max(np.abs(here["all.contexts"].value[1] - there["all.contexts"].value[1])) > 0.05


def test_six_runs_of_the_loops_are_the_rows_of_two_products():
    working = run("journey")
    for row, query in enumerate(INPUTS):
        _, weights, context = by_loops(INPUTS, query)
        assert_close(working["all.weights"].value[row], weights)
        assert_close(working["all.contexts"].value[row], context)
    inside = [step for step in working.steps if working.path(step.number).startswith("all.")]
    assert sum(step.operation == "matmul" for step in inside) == 2


def test_every_token_goes_through_the_routine_by_itself():
    working = run("journey")
    assert_close(working["all.weights"].value[1], working["query.weights"])
    replayed = working.replay({"all.scores[journey]": [0.0] * 6})
    same = (replayed["all.weights"] == working["all.weights"].value).all(axis=1)
    assert same.tolist() == [True, False, True, True, True, True]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1), st.data())
def test_as_many_come_out_as_went_in_as_wide_and_in_their_order(length, width, seed, data):
    rows = np.random.default_rng(seed).normal(size=(length, width))
    output, weights = eq.plain_attention(rows)
    assert output.shape == rows.shape
    assert weights.shape == (length, length)
    assert np.all(output <= rows.max(axis=0) + 1e-12)
    assert np.all(output >= rows.min(axis=0) - 1e-12)
    one, two = (data.draw(st.integers(0, length - 1)) for _ in range(2))
    exchanged = list(range(length))
    exchanged[one], exchanged[two] = two, one
    assert_close(eq.plain_attention(rows[exchanged])[0], output[exchanged])


def test_a_row_of_weights_is_made_from_its_own_tokens_scores():
    working = run("journey")
    assert working["all.weights"].labels == (("Your", "journey", "starts", "with", "one", "step"),) * 2
    for row, asking in enumerate(INPUTS):
        assert_close(working["all.weights"].value[row], softmax(np.array(INPUTS) @ asking))


def test_raw_embeddings_are_compared_with_no_learned_matrix():
    working = run("journey")
    assert_close(working["all.scores"], np.array(INPUTS) @ np.array(INPUTS).T)
    given_arrays = {working.path(s.number) for s in working.steps if s.operation == "given" and s.shape}
    assert given_arrays == {"E", "ids"}


def test_step_made_equal_to_journey():
    working = run("journey")
    replayed = working.replay({"X[step]": "X[journey]"})
    weights, contexts = replayed["all.weights"], replayed["all.contexts"]
    assert weights[:, 5].tolist() == weights[:, 1].tolist()
    assert contexts[5].tolist() == contexts[1].tolist()
    before = working["all.weights"].value[0]
    assert before[[1, 5]].round(4).tolist() == [0.2006, 0.1452]
    assert weights[0, [1, 5]].round(4).tolist() == [0.1900, 0.1900]
    assert (weights[0] < before).tolist() == [True] * 5 + [False]
    assert working["all.contexts"].value[0].round(4).tolist() == [0.4421, 0.5931, 0.5790]
    assert contexts[0].round(4).tolist() == [0.5165, 0.6173, 0.5984]
    changed = np.array([*INPUTS[:5], INPUTS[1]])
    assert_close(weights, softmax(changed @ changed.T))
