"""What came out of an experiment: the numbers it measured, each beside what it must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

Value: TypeAlias = bool | int | float | tuple[float, ...]
Relation: TypeAlias = Literal["=", "≈", "≥", "≤"]


@dataclass(frozen=True)
class Measured:
    """One measured value, and how it must stand to another.

    Attributes:
        label: what was measured.
        value: yes or no, a number, or a row of numbers.
        relation: how the value must stand to `expected`; None where it is shown only, and nothing is judged by it.
        expected: what it is compared with; a row of numbers is compared number by number.
        tolerance: how far it may be from `expected`, for the relation "≈".
        decimals: how many are shown.
    """

    label: str
    value: Value
    relation: Relation | None = None
    expected: Value | None = None
    tolerance: float = 0.0
    decimals: int = 4

    @property
    def meets(self) -> bool | None:
        """Whether the value is what it must be; None where it is shown only. NaN meets nothing."""
        if self.relation is None:
            return None
        value, expected = np.asarray(self.value), np.asarray(self.expected)
        if value.shape != expected.shape:
            return False
        match self.relation:
            case "=":
                meets = value == expected
            case "≈":
                meets = np.abs(value - expected) <= self.tolerance
            case "≥":
                meets = value >= expected
            case "≤":
                meets = value <= expected
        return bool(np.all(meets))


def exactly(label: str, value: Any, expected: Any, decimals: int = 4) -> Measured:
    """A value that must be equal to the last bit."""
    return Measured(label, plain(value), "=", plain(expected), decimals=decimals)


def is_so(label: str, value: Any) -> Measured:
    """Something that must be so."""
    return Measured(label, bool(value), "=", True)


def about(label: str, value: Any, expected: Any, tolerance: float, decimals: int = 4) -> Measured:
    """A value that must be as near as `tolerance` to what is expected."""
    return Measured(label, plain(value), "≈", plain(expected), tolerance, decimals)


def at_least(label: str, value: Any, expected: Any, decimals: int = 4) -> Measured:
    """A value that must not be smaller."""
    return Measured(label, plain(value), "≥", plain(expected), decimals=decimals)


def at_most(label: str, value: Any, expected: Any, decimals: int = 4) -> Measured:
    """A value that must not be larger."""
    return Measured(label, plain(value), "≤", plain(expected), decimals=decimals)


def shown(label: str, value: Any, decimals: int = 4) -> Measured:
    """A value that nothing is judged by, such as a time."""
    return Measured(label, plain(value), decimals=decimals)


def plain(value: Any) -> Value:
    """A number of any library as Python's own; a row of them as a tuple."""
    array = np.asarray(value)
    if array.ndim > 1:
        raise ValueError(f"a measured value has {array.ndim} axes; expected a number or a row of numbers")
    numbers = array.tolist()
    return tuple(numbers) if isinstance(numbers, list) else numbers


@dataclass(frozen=True)
class Outcome:
    """What happened, in a sentence or two, and the values it is judged by. It holds where each of these meets."""

    happened: str
    values: Sequence[Measured]

    @property
    def holds(self) -> bool:
        """Whether what must come out came out. An outcome that judges nothing holds for nothing."""
        judged = [measured.meets for measured in self.values if measured.meets is not None]
        return bool(judged) and all(judged)

    def __str__(self) -> str:
        from workings.experiments.telling import outcome_text

        return outcome_text(self)

    def _repr_html_(self) -> str:
        from workings.views.notebook import plain

        return plain(str(self))
