"""Values of a Working as a figure needs them: numbers with the names along both axes. Nothing is computed here."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.figures.errors import FigureError
from workings.frozen import frozen
from workings.recording.operations.bound import as_array
from workings.recording.working import Labels, Ref, Working

Array = np.ndarray[Any, Any]
Names = tuple[str, ...] | None


@frozen
class Matrix:
    """Numbers with two axes, a name for each row and column where there are any, and their address."""

    path: str
    array: Array
    rows: Names = None
    columns: Names = None


def matrix(working: Working, ref: Ref) -> Matrix:
    """A value with one or two axes; a vector is one row."""
    array = as_array(working.value(ref))
    labels = working.labels(ref.step)[len(ref.index) :]
    path = working.index.element_path(ref)
    if array.ndim == 1:
        return Matrix(path, array[None, :], None, named(labels, 0))
    return Matrix(path, array, named(labels, 0), named(labels, 1))


def named(labels: Labels, axis: int) -> Names:
    return labels[axis] if axis < len(labels) else None


def tokens(names: Names, wanted: tuple[str, ...], count: int) -> list[int]:
    """The rows of words that are asked for, by label or zero-based number. Raises FigureError for one not there."""
    known = ", ".join(dict.fromkeys(names)) if names else f"a number from 0 to {count - 1}"
    out = []
    for word in wanted:
        base, _, occurrence = word.rpartition("#")
        if names and word in names:
            out.append(names.index(word))
        elif names and base in names and occurrence.isdigit() and 0 < int(occurrence) <= names.count(base):
            out.append([place for place, name in enumerate(names) if name == base][int(occurrence) - 1])
        elif word.isdecimal() and int(word) < count:
            out.append(int(word))
        else:
            raise FigureError(f"--token {word}: there is no such word here", known)
    return out
