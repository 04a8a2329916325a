"""What experiments compute on: the shipped examples, and two of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workings import examples
from workings.reading.numbers import number
from workings.recording.running import record_function
from workings.recording.working import Working

Numbers = NDArray[np.float64]
ROUNDING = 1e-12
"""How far two float64 results may differ where the same sum is taken in another order."""

_FILES = Path(__file__).parent / "files"


def run(name: str, sentence: str | None = None) -> Working:
    """An example, for its own sentence or another: a shipped one, or one of the files beside this module."""
    own = _FILES / f"{name}.toml"
    return examples.load(own if own.is_file() else name).run(sentence)


def recorded(function: Callable[..., Any], *arguments: Any) -> Working:
    """The Working of one call: of an equation, or of a function of `programs`."""
    return record_function(function, arguments, {})


def multiplications(working: Working) -> int:
    """How many products the matrix products of a Working take."""
    total = 0
    for step in working.steps:
        if step.operation == "matmul":
            total += int(np.prod(step.shape)) * int(np.shape(working.value(step.inputs[0]))[-1])
    return total


def gap(one: Any, other: Any) -> float:
    """The largest difference between two arrays, number by number."""
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other))))


def moved_rows(before: Any, after: Any) -> list[int]:
    """Which rows are not the same to the last bit."""
    changed = (np.asarray(before) != np.asarray(after)).any(axis=-1)
    return [int(row) for row in np.flatnonzero(changed)]


def words_of(working: Working, address: str) -> tuple[str, ...]:
    """The words along the rows of a value."""
    names = working[address].labels[0]
    assert names is not None
    return names


def said(value: float) -> str:
    """A number as a sentence writes it, however small: 0.953, 5.7×10⁻¹⁵."""
    return number(float(value), 3, least=0) if abs(value) >= 0.0005 or value == 0 else number(float(value), 2)


def point(numbers: Any, decimals: int = 2) -> str:
    """A vector as a sentence writes it: (1.14, −0.79)."""
    return f"({', '.join(f'{each:.{decimals}f}' for each in numbers)})".replace("-", "−")


def listed(words: Any) -> str:
    """Words as a sentence lists them."""
    *first, last = map(str, words) if words else ["none"]
    return f"{', '.join(first)} and {last}" if first else last
