"""Experiments of sections 2 to 4 and of the second text, against NumPy by hand and the printed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.facts.support import SWAP, X, softmax
from tests.facts.test_claims_journey import INPUTS, by_loops

from workings import experiments
from workings.experiments import programs, scales
from workings.experiments.material import recorded

from .support import counter_check, failing, outcome, value


def close(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_one_vector_per_word():
    found = outcome("one-vector-per-word")
    rows = np.array([[0.1, 0.1], [1.0, 0.2], [0.1, 0.1], [0.5, 0.1]])  # an, Apple, a, day
    fruit = softmax(rows[1] @ SWAP @ rows.T / math.sqrt(2)) @ rows
    close(value(found, "beside day"), fruit)
    close(np.round(value(found, "beside shares"), 3), [0.358, 0.623])  # as the text prints it
    assert failing(counter_check("one-vector-per-word")) == [
        "how far the two vectors are apart afterwards, in their largest difference"
    ]


def test_perpendicular():
    rows = np.array([X[0], [-0.2, 1.0], X[2], X[3]])
    assert rows[0] @ rows[1] == 0
    close(value(outcome("perpendicular"), "weights"), softmax(rows[0] @ rows.T))
    # Not perpendicular, and just as small: the weights are not those of the claim.
    close(value(counter_check("perpendicular"), "weights"), softmax(X[0] @ X.T))


def test_rows_independent():
    scores = X @ SWAP @ X.T / math.sqrt(2)
    down = np.exp(scores) / np.exp(scores).sum(axis=0)
    # Alone, a row that is normalised down its columns is all 1.
    close(value(counter_check("rows-independent"), "row alone"), np.max(np.abs(1 - down)))
    assert value(counter_check("rows-independent"), "Apple's scores") == (0, 1, 2, 3)
    assert value(outcome("rows-independent"), "Apple's query") == (0,)


def test_the_jacobian_of_the_softmax():
    """What the experiment takes from a Working's gradient, against the formula diag(w) − w wᵀ."""
    scores = np.array([[0.3, -1.0, 2.0, 0.5], [0.0, 0.0, 0.0, 0.0], [9.0, -3.0, 1.0, 0.2]])
    expected = [np.linalg.norm(np.diag(w) - np.outer(w, w)) for w in softmax(scores)]
    close(scales._slopes(scores), expected)


def test_variance():
    """Other draws, in plain NumPy, lead to the same numbers within what the experiment allows."""
    generator = np.random.default_rng(1)
    queries, keys = generator.normal(size=(4000, 64)), generator.normal(size=(4000, 4, 64))
    scores = np.einsum("nd,ntd->nt", queries, keys)
    found = outcome("variance")
    assert np.var(scores) == pytest.approx(64, rel=0.1)
    assert value(found, "variance of the scores, d_k = 64") == pytest.approx(64, rel=0.1)
    for label, factor in (("unscaled", 1.0), ("scaled", 1 / 8)):
        weights = softmax(factor * scores)
        jacobians = weights[:, :, None] * np.eye(4) - weights[:, :, None] * weights[:, None, :]
        close(value(found, f"weights, {label}"), np.median(weights.max(axis=1)), 0.03)
        close(value(found, f"Jacobian, {label}"), np.median(np.linalg.norm(jacobians, axis=(1, 2))), 0.03)


def test_without_the_scale_the_variance_is_not_1():
    assert "variance of the scaled scores, d_k = 64" in failing(counter_check("variance"))
    assert "how many times larger the Jacobian is with the scale" in failing(counter_check("variance"))
    # The width itself in place of its root is a common mistake, and is seen too.
    assert not experiments.load("variance").run(scale=1 / 64).holds


def test_loops_against_products():
    found = outcome("loops-against-products")
    _, _, journey = by_loops(INPUTS, INPUTS[1])
    close(value(found, "context of journey"), journey)
    close(np.round(value(found, "context of journey"), 4), [0.4419, 0.6515, 0.5683])
    working = recorded(programs.by_loops, np.array(INPUTS))
    close(working.result, [by_loops(INPUTS, query)[2] for query in INPUTS])
    assert sum(step.operation == "dot" or "dot" in step.function for step in working.steps) == 36
    assert "largest gap between the two" in failing(counter_check("loops-against-products"))


def test_shape_contract():
    assert value(outcome("shape-contract"), "shape of the input") == 40
    assert len(failing(counter_check("shape-contract"))) == 2


def test_step_as_journey():
    changed = np.array([*INPUTS[:5], INPUTS[1]])
    weights = softmax(changed @ changed.T)
    found = outcome("step-as-journey")
    close(value(found, "weights of Your, after"), weights[0])
    close(value(found, "context of Your, after"), weights[0] @ changed)
    close(np.round(value(found, "context of Your, before"), 4), [0.4421, 0.5931, 0.5790])
