"""Scores into weights that sum to 1 (equation 4), and the policy for a row that has nothing to attend to."""

import math
from typing import Literal, TypeAlias

from workings.equations._arrays import Array, namespace
from workings.equations._checks import check_choice, has_empty_row, refuse_empty_rows
from workings.equations._description import equation

EmptyPolicy: TypeAlias = Literal["zero", "error"]
"""What becomes of a row whose scores are all -inf: weights that are all exactly 0, or a ValueError."""

EMPTY_POLICIES = ("zero", "error")

EMPTY_VARIANT = (
    "A row whose scores are all -inf: 'zero' makes all its weights exactly 0, as fused attention does; 'error' refuses "
    "it. Dividing 0 by 0 would give NaN."
)


@equation(
    number=4,
    title="Softmax",
    sentence="A list of scores becomes positive weights that sum to 1: exponentials, each divided by their total.",
    latex=r"w_{ij} = \frac{\exp(s_{ij})}{\sum_{\ell=1}^{L} \exp(s_{i\ell})}",
    shapes={"scores": "... L", "axis": "integer", "empty": "choice", "result": "... L"},
    symbols={
        "scores": "S",
        "largest": r"\max_{\ell} s_{i\ell}",
        "shifted": r"s_{ij} - \max_{\ell} s_{i\ell}",
        "exponentials": r"\exp(s_{ij} - \max_{\ell} s_{i\ell})",
        "totals": r"\sum_{j} \exp(s_{ij} - \max_{\ell} s_{i\ell})",
        "weights": "W",
    },
    section="3",
    source="Bridle (1990)",
    variants={
        "axis": "The weights along this axis sum to 1; the last axis, the keys, unless another is named.",
        "empty": EMPTY_VARIANT,
        "shift": "The largest score is subtracted first: the weights stay the same and no exponential overflows.",
    },
)
def softmax(scores: Array, axis: int = -1, empty: EmptyPolicy = "zero") -> Array:
    """Turn scores into weights that are positive and sum to 1 along `axis`.

    A score of -inf gets a weight of exactly 0. A row of nothing but -inf follows the policy `empty`.

    Shapes: scores (..., L), or L at `axis`; result the same.
    Raises: ValueError for an unknown policy, and under the policy "error" for a row that is all -inf.
    Source: equation (4).
    """
    check_choice("empty", empty, EMPTY_POLICIES)
    xp = namespace(scores)
    largest = xp.max(scores, axis=axis, keepdims=True)
    if has_empty_row(largest):
        return _softmax_beside_empty_rows(scores, largest, axis, empty)
    shifted = scores - largest
    exponentials = xp.exp(shifted)
    totals = xp.sum(exponentials, axis=axis, keepdims=True)
    weights = exponentials / totals
    return weights


def _softmax_beside_empty_rows(scores: Array, largest: Array, axis: int, empty: EmptyPolicy) -> Array:
    """The softmax of scores in which some rows are all -inf; see `softmax`."""
    if empty == "error":
        refuse_empty_rows(largest, axis)
    xp = namespace(scores)
    empty_rows = largest == -math.inf
    # The rows are filled before the softmax, not mended after it: a NaN on the way would reach the gradient.
    filled_scores = xp.where(empty_rows, 0.0, scores)
    filled_weights = softmax(filled_scores, axis)
    weights = xp.where(empty_rows, 0.0, filled_weights)
    return weights


@equation(
    title="Logarithm of the softmax",
    sentence="The logarithm of each weight is its score minus the logarithm of the total of all exponentials.",
    latex=r"\log w_{ij} = s_{ij} - \log \sum_{\ell=1}^{L} \exp(s_{i\ell})",
    shapes={"scores": "... L", "axis": "integer", "result": "... L"},
    symbols={
        "scores": "S",
        "largest": r"\max_{\ell} s_{i\ell}",
        "shifted": r"s_{ij} - \max_{\ell} s_{i\ell}",
        "exponentials": r"\exp(s_{ij} - \max_{\ell} s_{i\ell})",
        "totals": r"\sum_{j} \exp(s_{ij} - \max_{\ell} s_{i\ell})",
        "log_weights": r"\log W",
    },
    section="9",
    source="Goodfellow, Bengio and Courville (2016), section 6.2.2.3",
    variants={
        "axis": "The weights along this axis sum to 1; the last axis unless another is named.",
        "empty": "A row whose scores are all -inf is always refused: there is no distribution over nothing.",
    },
)
def log_softmax(scores: Array, axis: int = -1) -> Array:
    """The logarithm of the softmax, without passing through weights that are too small to hold.

    Shapes: scores (..., L), or L at `axis`; result the same, in nats, never above 0.
    Raises: ValueError for a row that is all -inf.
    Source: the logarithm of equation (4).
    """
    xp = namespace(scores)
    largest = xp.max(scores, axis=axis, keepdims=True)
    refuse_empty_rows(largest, axis)
    shifted = scores - largest
    exponentials = xp.exp(shifted)
    totals = xp.sum(exponentials, axis=axis, keepdims=True)
    log_weights = shifted - xp.log(totals)
    return log_weights
