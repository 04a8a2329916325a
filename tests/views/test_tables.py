"""What is shown of an array: which entries, how labels look, what counts as weights."""

import numpy as np
import pytest

from workings.views.tables import Table, chosen, grid, is_distribution, slices, visible


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [
        (3, 5, [0, 1, 2]),
        (9, 5, [0, 1, 2, None, 8]),
        (100, 8, [0, 1, 2, 3, 4, None, 98, 99]),
        (9, 1, [None]),
        (9, 2, [0, None]),
    ],
)
def test_the_entries_that_are_shown(count: int, most: int, expected: list[int | None]) -> None:
    assert chosen(count, most) == expected


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        ([[0.25, 0.75], [1.0, 0.0]], True),
        ([0.2, 0.3, 0.5], True),
        ([[0.5, 0.5], [0.0, 0.0]], True),  # a row with nothing to attend to
        ([[0.0, 1.0], [1.0, 0.0]], False),  # a permutation is no spread of weight
        ([[0.5, 0.6], [0.5, 0.5]], False),
        ([[-0.5, 1.5]], False),
        ([[np.nan, 1.0]], False),
        ([[1], [1]], False),
        ([1.0], False),
    ],
)
def test_weights_are_known_by_their_rows(array: list[object], expected: bool) -> None:
    assert is_distribution(np.asarray(array)) is expected


def test_weights_in_single_precision_are_weights() -> None:
    scores = np.linspace(-3, 3, 50, dtype=np.float32)
    weights = np.exp(scores) / np.exp(scores).sum()
    assert is_distribution(weights)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("word", "word"),
        (" the", "␣the"),
        ("", "␣"),
        ("  ", "␣␣"),
        ("a\tb", "a⇥b"),
        ("\x1b[0m", "�[0m"),
        ("\u202ex", "�x"),
    ],
)
def test_labels_show_what_they_hide(label: str, expected: str) -> None:
    assert visible(label) == expected


def test_a_grid_has_one_count_of_decimals_and_marks_the_largest() -> None:
    table = Table("W", "W", np.array([[0.5, 0.5], [0.125, 0.875]]), (("a", "b"), None), 3, shaded=True)
    found = grid(table, 10, 10)
    assert found.columns == ("0", "1")
    assert [[cell.text for cell in cells] for _, cells in found.rows] == [["0.500", "0.500"], ["0.125", "0.875"]]
    assert [[cell.largest for cell in cells] for _, cells in found.rows] == [[False, False], [False, True]]
    assert found.rows[1][1][1].shade == 1.0


def test_slices_are_counted_over_all_leading_axes() -> None:
    table = Table("T", "T", np.zeros((3, 2, 4, 5)), (None,) * 4, 3)
    assert slices(table, 4) == [(0, 0), (0, 1), None, (2, 1)]
