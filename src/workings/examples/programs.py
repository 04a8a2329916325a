"""Small steps between the equations, written to be recorded like anyone's code."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any


def project(rows: Array, matrix: Array) -> Array:
    """Rows times a matrix: X W (in × out)."""
    projected = rows @ matrix
    return projected


def add(rows: Array, change: Array) -> Array:
    """The residual sum."""
    total = rows + change
    return total


def row_of(rows: Array, place: int) -> Array:
    """One token's vector."""
    row = rows[place]
    return row


def query_scores(rows: Array, query: Array) -> Array:
    """The dot product of one query with every row."""
    scores = rows @ query
    return scores


def weighted_sum(weights: Array, rows: Array) -> Array:
    """One weighted average of the rows."""
    context = weights @ rows
    return context


def side_by_side(outputs: list[Array]) -> Array:
    """The outputs of the heads, one next to the other."""
    concatenated = np.concat(outputs, axis=-1)
    return concatenated


def append(ids: Array, choice: Array) -> Array:
    """The prefix with the chosen word at its end."""
    longer = np.concat([ids, np.reshape(choice, (1,))])
    return longer


def last_row(rows: Array) -> Array:
    """The vector at the latest position."""
    latest = rows[-1]
    return latest


def output_scores(rows: Array, W_out: Array, b: Array) -> Array:
    """The score of every word after each row."""
    logits = rows @ np.matrix_transpose(W_out) + b
    return logits


def chain_rule(probabilities: Array, targets: Array, rows: Array, word: int, column: int, share: float) -> Array:
    """The slope of the loss along one weight of W_out: the one in the row of `word`, at `column`.

    At each position the loss changes with the probability of the true word, that probability with the score of `word`,
    and that score with the weight; the three slopes are multiplied, and the positions added up.
    """
    positions = np.arange(len(targets))
    true_probabilities = probabilities[positions, targets]
    loss_slopes = -share / true_probabilities
    is_true = np.where(targets == word, 1.0, 0.0)
    probability_slopes = true_probabilities * (is_true - probabilities[:, word])
    score_slopes = rows[:, column]
    contributions = loss_slopes * probability_slopes * score_slopes
    gradient = np.sum(contributions)
    return gradient


def moved_weight(W_out: Array, word: int, column: int, rate: float, gradient: float) -> Array:
    """W_out with that one weight moved against its slope."""
    old_weight = W_out[word, column]
    new_weight = old_weight - rate * gradient
    new_W_out = W_out.copy()
    new_W_out[word, column] = new_weight
    return new_W_out
