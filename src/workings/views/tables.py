"""Values as tables: what is shown of an array, its labels, its numbers as text, and how heavy each is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workings.frozen import frozen
from workings.reading.numbers import column, number
from workings.recording.working import Labels

GAP = "…"
_MARKS = {"\n": "⏎", "\r": "⏎", "\t": "⇥"}


@frozen
class Table:
    """A value to be shown: its name and address, numbers, labels and decimals.

    ``shaded`` tells a table of weights: rows of positive numbers that sum to 1, drawn the darker the heavier.
    """

    name: str
    path: str
    array: np.ndarray[Any, Any]
    labels: Labels
    decimals: int
    shaded: bool = False
    moment: str = ""  # "before" or "after", in a what-if

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def shape_words(self) -> str:
        return " × ".join(map(str, self.shape))


@frozen
class Cell:
    """One number as text; ``shade`` goes from 0 to 1, the heaviest of the table; None where nothing is shaded."""

    text: str
    shade: float | None = None
    largest: bool = False


@frozen
class Grid:
    """A matrix, a slice of an array with more axes, or a single row, cut to what is shown."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    named_columns: bool
    named_rows: bool
    cut: bool


def visible(text: str) -> str:
    """A label with nothing in it that could move a cursor, hide, or be taken for empty space."""
    if text.isprintable() and text.strip(" ") == text != "":
        return text
    inner = "".join(_MARKS.get(c, c) if c in _MARKS or c.isprintable() else "�" for c in text)
    stripped = inner.strip(" ")
    if not stripped:
        return "␣" * max(len(inner), 1)
    before = len(inner) - len(inner.lstrip(" "))
    after = len(inner) - len(inner.rstrip(" "))
    return "␣" * before + stripped + "␣" * after


def is_distribution(array: np.ndarray[Any, Any]) -> bool:
    """Whether every row holds weights: none negative, with sum 1 (or all 0, where there is nothing to attend to)."""
    if array.dtype.kind != "f" or not array.ndim or not array.size or array.shape[-1] < 2:
        return False
    if not np.all(np.isfinite(array)) or array.min() < 0:
        return False
    totals = array.sum(axis=-1, dtype=float)
    fits = np.isclose(totals, 1, rtol=0, atol=1e-5 if array.dtype == np.float32 else 1e-9)
    spread = bool(np.any((array > 0) & (array < 1)))
    return spread and bool(np.all(fits | (totals == 0)))


def chosen(count: int, most: int) -> list[int | None]:
    """Which of ``count`` entries are shown where there is room for ``most``; None is the gap between them."""
    if count <= most:
        return list(range(count))
    if most < 3:
        return [*range(max(most - 1, 0)), None]
    last = 1 if most < 6 else 2
    first = max(most - last - 1, 1)
    return [*range(first), None, *range(count - last, count)]


def inline(table: Table) -> str:
    """A short vector on one line: ``[0.206  0.319  0.247  0.227]``."""
    cells = column(table.array.reshape(1, -1), table.decimals)[0]
    return f"[{'  '.join(cells)}]"


def scalar(value: Any, decimals: int) -> str:
    """A single number."""
    return number(value.item() if hasattr(value, "item") else value, decimals)


def slices(table: Table, most: int) -> list[tuple[int, ...] | None]:
    """The leading positions of an array with more than two axes, one for each matrix; None where some are left out."""
    leading = table.shape[:-2]
    places = chosen(math.prod(leading), most)
    return [None if p is None else tuple(map(int, np.unravel_index(p, leading))) for p in places]


def grid(table: Table, most_rows: int, most_columns: int, place: tuple[int, ...] = ()) -> Grid:
    """One matrix of a value: all of it, or the slice at ``place``; a vector is a single row."""
    matrix = table.array[place] if place else table.array
    labels = table.labels[len(place) :]
    flat = matrix.ndim == 1
    matrix = matrix.reshape(1, -1) if flat else matrix
    row_labels, column_labels = (None, labels[0]) if flat else (labels[0], labels[1])
    rows, columns = chosen(matrix.shape[0], most_rows), chosen(matrix.shape[1], most_columns)
    part = matrix[np.ix_(_kept(rows), _kept(columns))]
    texts = iter(column(part, table.decimals))
    heaviest = float(table.array.max()) if table.shaded else 0.0
    lines = []
    for at in rows:
        name = GAP if at is None else _label(row_labels, at) if not flat else ""
        if at is None:
            lines.append((name, tuple(Cell(GAP) for _ in columns)))
            continue
        lines.append((name, _cells(matrix[at], next(texts), columns, heaviest)))
    return Grid(
        _caption(table, place), tuple(GAP if c is None else _label(column_labels, c) for c in columns), tuple(lines),
        column_labels is not None, row_labels is not None, None in rows or None in columns,
    )  # fmt: skip


def _cells(row: np.ndarray[Any, Any], texts: list[str], columns: list[int | None], heaviest: float) -> tuple[Cell, ...]:
    parts = iter(texts)
    top = float(row.max()) if heaviest else 0.0
    level = bool(heaviest) and bool(np.all(row == row[0]))
    out = []
    for at in columns:
        if at is None:
            out.append(Cell(GAP))
        elif not heaviest:
            out.append(Cell(next(parts)))
        else:
            out.append(Cell(next(parts), float(row[at]) / heaviest, not level and float(row[at]) == top))
    return tuple(out)


def _kept(places: list[int | None]) -> list[int]:
    return [p for p in places if p is not None]


def _label(labels: tuple[str, ...] | None, place: int) -> str:
    return visible(labels[place]) if labels is not None else str(place)


def _caption(table: Table, place: tuple[int, ...]) -> str:
    """``weights[head 1]``: where in an array with more axes a slice stands."""
    if not place:
        return ""
    names = [_label(table.labels[axis], at) for axis, at in enumerate(place)]
    return f"{table.name}[{', '.join(names)}]"
