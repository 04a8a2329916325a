"""Experiments of sections 5, 7, 8 and 9, against NumPy by hand and PyTorch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.facts.support import softmax
from tests.facts.test_claims_transformer import layer_norm

from workings.experiments import blocks, costs, gradients, programs
from workings.experiments.material import multiplications, recorded, run

from .support import counter_check, failing, measured, outcome, value


def close(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


# -- section 5 --------------------------------------------------------------------------------------------------------


def test_heads_cost():
    length, width = 6, 24
    assert value(outcome("heads-cost"), "of one head") == 4 * length * width**2 + 2 * length**2 * width
    for heads, counted in zip((1, 2, 3, 4, 6, 8, 12, 24), value(counter_check("heads-cost"), "heads"), strict=True):
        assert counted == heads * (4 * length * width**2 + 2 * length**2 * width)


def test_the_counted_heads_are_equation_8():
    narrow = costs._multi_head(4, True)
    assert narrow.result.shape == (6, 24)
    assert len([step for step in narrow.steps if step.operation == "softmax" or step.function.endswith("exp")]) == 4


# -- section 7 --------------------------------------------------------------------------------------------------------


def test_feed_forward_per_token():
    working = run("encoder-block")
    W_1, b_1, W_2, b_2 = (working[f"block.feed_forward.{name}"].value for name in ("W_1", "b_1", "W_2", "b_2"))
    for row, token in enumerate(working["block.between"].value):
        alone = W_2 @ np.maximum(0, W_1 @ token + b_1) + b_2
        close(working["block.feed_forward.output"].value[row], alone)
    assert value(counter_check("feed-forward-per-token"), "feed-forward output") == (0, 1, 2, 3)


def two_blocks_by_hand(rows, mask):
    """The example's block, twice, written out."""
    for _ in range(2):
        attended = np.zeros((3, 3))
        for column, (asks, answers) in enumerate(((0, 1), (1, 2)), start=1):
            queries, keys, values = rows[:, [asks]], 2 * rows[:, [answers]], rows[:, [answers]]
            attended[:, [column]] = softmax(queries @ keys.T + mask) @ values
        between = layer_norm(rows + attended)
        hidden = np.maximum(0, between @ np.array([[1, 0, -1], [0, 0, 1]]).T + [0, 0.5])
        rows = layer_norm(between + hidden @ np.array([[-1, 0], [1, 0], [0, 1]]).T)
    return rows


def test_two_blocks():
    changed = np.eye(3)
    changed[2] = [0.0, 0.8, 0.5]
    for name, asks_fell in (("one", True), ("other", False)):
        mask = blocks._mask(asks_fell)
        moved = np.max(np.abs(two_blocks_by_hand(np.eye(3), mask)[0] - two_blocks_by_hand(changed, mask)[0]))
        found = outcome("two-blocks") if name == "one" else counter_check("two-blocks")
        close(value(found, "Apple moves after the second block"), moved)


def test_the_stack_with_residual_sums_is_equation_11():
    from workings import equations as eq

    generator = np.random.default_rng(3)
    X, towards = generator.normal(size=(2, 4, 8))
    drawn = [gradients._block(generator) for _ in range(3)]
    rows = X
    for block in drawn:
        rows = eq.encoder_block_post(rows, block)
    close(programs.stack(X, drawn, True, towards), np.sum(rows * towards))


@pytest.mark.parametrize("residual", [True, False])
def test_the_gradient_of_the_stack_is_pytorchs(residual):
    torch = pytest.importorskip("torch")
    from torch.nn import functional

    generator = np.random.default_rng(4)
    X, towards = generator.normal(size=(2, 4, 8))
    drawn = [gradients._block(generator) for _ in range(2)]
    given = torch.tensor(X, requires_grad=True)
    rows = given
    for (heads, W_O), _, network, _ in drawn:
        mixed = []
        for W_Q, W_K, W_V in heads:
            queries, keys, values = (rows @ torch.tensor(matrix) for matrix in (W_Q, W_K, W_V))
            mixed.append(functional.scaled_dot_product_attention(queries, keys, values))
        attended = torch.cat(mixed, dim=-1) @ torch.tensor(W_O)
        between = functional.layer_norm(rows + attended if residual else attended, (8,))
        hidden = functional.relu(functional.linear(between, torch.tensor(network.W_1)))
        transformed = functional.linear(hidden, torch.tensor(network.W_2))
        rows = functional.layer_norm(between + transformed if residual else transformed, (8,))
    (rows * torch.tensor(towards)).sum().backward()
    close(gradients._slope(X, drawn, residual, towards), given.grad.norm().item(), 1e-10)


@pytest.mark.slow
def test_residual_gradient():
    found = outcome("residual-gradient")
    kept, lost = value(found, "each draw, with residual"), value(found, "each draw, without")
    assert np.median(kept) / np.median(lost) >= 20
    assert all(one > other for one, other in zip(kept, lost, strict=True))
    assert value(counter_check("residual-gradient"), "times larger") == 1


# -- section 8 --------------------------------------------------------------------------------------------------------


def test_mask_zeros():
    rows = run("decoder-block")["X"].value  # the self-attention of the example has no projections
    mask = np.triu(np.full((4, 4), -np.inf), 1)
    assert not softmax(rows @ rows.T / math.sqrt(3) + mask)[np.triu_indices(4, 1)].any()
    nearly = softmax(rows @ rows.T / math.sqrt(3) + np.triu(np.full((4, 4), -10.0), 1))
    close(value(counter_check("mask-zeros"), "above the diagonal"), nearly[np.triu_indices(4, 1)])
    assert value(outcome("mask-zeros"), "earlier outputs") == (0, 0, 0, 0)


# -- section 9 --------------------------------------------------------------------------------------------------------

LOGITS = np.array([0.0, 4, 0, 0, -1])  # of Apple alone, for Apple, shares, fell, sharply, end


def test_temperature():
    found = outcome("temperature")
    expected = [softmax(LOGITS / T).max() for T in (0.01, 0.5, 1, 2, 1e6)]
    close(value(found, "largest probability"), expected)
    assert len(failing(counter_check("temperature"))) == 4


def test_teacher_forcing():
    """By hand: the example's numbers, forty-eight words, one pass; and how many products that takes."""
    table = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]])
    rows = table[[place % 4 for place in range(48)]]
    weights = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [0, 3, 3]])
    mask = np.triu(np.full((48, 48), -np.inf), 1)
    mixed = softmax(3 * rows @ rows.T / math.sqrt(3) + mask) @ rows
    expected = softmax(mixed @ weights.T + [0, 0, 0, 0, -1])
    operands = (rows, 3 * np.eye(3), weights, np.array([0.0, 0, 0, 0, -1]))
    close(programs.at_once(*operands), expected)
    close(programs.by_prefixes(*operands), expected)
    at_once = 48 * 9 + 2 * 48**2 * 3 + 48 * 15
    by_loop = sum(n * 9 + 2 * n**2 * 3 + 15 for n in range(1, 49))
    assert value(outcome("teacher-forcing"), "multiplications: at once") == (at_once, by_loop)
    assert len(failing(counter_check("teacher-forcing"))) == 2


def test_length():
    found = outcome("length")
    assert value(found, "2 L² d") == 2 * 64**2 * 64
    assert value(counter_check("length"), "multiplications, each") == (2.0, 2.0)
    # Time is shown and not judged.
    assert measured(found, "milliseconds").meets is None
    assert measured(found, "power of the length").meets is None


def test_multiplications_are_those_of_the_matrix_products():
    working = recorded(np.matmul, np.ones((3, 4)), np.ones((4, 5)))
    assert multiplications(working) == 3 * 4 * 5
