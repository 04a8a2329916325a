"""What a lowering is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from workings.frozen import frozen
from workings.recording.operations.bound import Bound, Operand

Index = tuple[int, ...]


_NONE: Mapping[str, Any] = MappingProxyType({})


@frozen
class Plan:
    """A composite spelt out: a function, its operands by name, constants, and where in its result the number is."""

    function: Callable[..., Any]
    operands: dict[str, Operand]
    constants: Mapping[str, Any] = _NONE
    slices: Mapping[str, tuple[slice, ...]] = _NONE
    index: Index = ()
    part: int | None = None  # which part of a tuple result


Maker = Callable[[Bound, Index | None], Plan]


def entering(table: dict[str, Maker]) -> Callable[..., Callable[[Maker], Maker]]:
    """A decorator that enters a maker of plans in a family's table, under the names of its operations."""

    def lowers(*names: str) -> Callable[[Maker], Maker]:
        def mark(maker: Maker) -> Maker:
            for name in names:
                table[name] = maker
            return maker

        return mark

    return lowers


def one(i: int) -> slice:
    return slice(i, i + 1)


def each(values: Any, count: int) -> list[int]:
    """A setting for each axis: one number may stand for all of them."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    return [int(value) for value in (listed * count if len(listed) == 1 else listed)]


def row_of(shape: Sequence[int], axes: Sequence[int], index: Index | None) -> tuple[tuple[slice, ...], Index]:
    """The row along ``axes`` that an element of a same-shaped result stands in, and its place there."""
    if index is None:
        return (), ()
    key = tuple(slice(None) if a in axes else one(i) for a, i in enumerate(index))
    return key, tuple(i if a in axes else 0 for a, i in enumerate(index))
