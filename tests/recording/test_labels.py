"""Labels given once reach every later array they belong to, and never one they do not."""

import numpy as np
import pytest

from workings.recording.running import record_function

TOKENS = ("Apple", "shares", "fell", "sharply")
AXES = ("food", "finance")
X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]])


def labels_of(function, **arguments):
    """The labels of a function's result, its argument X labelled with tokens and axes."""
    working = record_function(function, [], {"X": X.copy(), **arguments})
    working.axis_labels[working.argument_parts["X"].step] = (TOKENS, AXES)
    ref = working.result_parts
    return working.labels(ref.step)[len(ref.index) :]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda X: X * 2 + 1, (TOKENS, AXES)),
        (lambda X: X.T, (AXES, TOKENS)),
        (lambda X: X @ X.T, (TOKENS, TOKENS)),
        (lambda X: X @ np.eye(2), (TOKENS, None)),
        (lambda X: np.einsum("ij,kj->ik", X, X), (TOKENS, TOKENS)),
        (lambda X: X.sum(axis=1), (TOKENS,)),
        (lambda X: X.sum(axis=0, keepdims=True), (None, AXES)),
        (lambda X: X.mean(axis=-1), (TOKENS,)),
        (lambda X: X - X.max(axis=-1, keepdims=True), (TOKENS, AXES)),
        (lambda X: X[1:3], (TOKENS[1:3], AXES)),
        (lambda X: X[::-1], (TOKENS[::-1], AXES)),
        (lambda X: X[[2, 0]], (("fell", "Apple"), AXES)),
        (lambda X: X[1], (AXES,)),
        (lambda X: X[:, 0], (TOKENS,)),
        (lambda X: np.concatenate([X, X], axis=0), (TOKENS + TOKENS, AXES)),
        (lambda X: np.stack([X[0], X[1]]), (None, AXES)),
        (lambda X: X[:, None, :], (TOKENS, None, AXES)),
        (lambda X: X.reshape(4, 1, 2), (TOKENS, None, AXES)),
        (lambda X: np.where(X > 0.3, X, 0.0), (TOKENS, AXES)),
        (lambda X: np.where(X > 0.3, 0.0, X), (TOKENS, AXES)),
        (lambda X: np.broadcast_to(X, (3, 4, 2)), (None, TOKENS, AXES)),
    ],
)
def test_labels_travel(function, expected):
    assert labels_of(function) == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda X: X.reshape(2, 4),  # two tokens to a row: neither axis is the tokens any more
        lambda X: X.reshape(-1),
        lambda X: X + X[::-1],  # rows of two tokens: neither's name is right
    ],
)
def test_labels_are_dropped_rather_than_guessed(function):
    assert labels_of(function)[0] is None


def test_a_loop_that_fills_places_from_rows_gives_them_the_labels_of_the_rows():
    def scores(X):
        out = np.zeros(4)
        for i, row in enumerate(X):
            out[i] = row @ X[1]
        return out

    assert labels_of(scores) == (TOKENS,)


def test_a_loop_that_fills_places_from_other_rows_gives_none():
    def shifted(X):
        out = np.zeros(4)
        for i in range(4):
            out[i] = X[(i + 1) % 4] @ X[1]
        return out

    assert labels_of(shifted) == (None,)


def test_a_wrong_count_of_labels_is_refused():
    working = record_function(lambda X: X * 2, [], {"X": X.copy()})
    with pytest.raises(Exception, match="3 labels given for axis 0, which has 4 entries"):
        working.label(working.path(working.argument_parts["X"].step), ["a", "b", "c"])
