"""What a walk through a Working consists of: sections, the lines in them, and the values that these make."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workings.equations import Equation
from workings.frozen import frozen
from workings.reading.arithmetic import arithmetic
from workings.reading.formula import Formula
from workings.reading.line import Arithmetic
from workings.recording.operations import meaning, movement
from workings.recording.working import Labels, Ref, Site, Working


@frozen
class Value:
    """A value as it is shown: its address, its numbers, its labels."""

    path: str
    ref: Ref
    array: np.ndarray[Any, Any]
    labels: Labels
    name: str = ""  # what the line calls it; empty where it has no name of its own

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)


@frozen
class Entry:
    """One line of the walk: a statement of the source (or a given value), what it makes, and how."""

    path: str
    sentence: str
    formula: Formula | None
    site: Site | None
    values: tuple[Value, ...]
    steps: tuple[int, ...]
    times: int = 1
    given: bool = False
    operation: str = ""
    note: str = ""
    repeats: bool = False
    """Whether every value here has been shown before, under this or another name."""
    about: str = ""
    """What the operation does, in general: where no line of source makes the value, or numbers change their type."""
    unwritten: bool = False
    """Whether no line of source makes the value: a library did, or a model that was recorded."""
    moved: bool = False
    """Whether only numbers that are shown elsewhere are laid out in another way."""
    held: bool = False
    """Whether the line makes an object that only holds such numbers: they are shown where they are used."""
    line: tuple[int, int] | None = None
    """The group and the statement of the recording that it is, of several runs the last."""


@dataclass(eq=False, repr=False)
class Section:
    """A group of the Working: a section of an example, a call, a module."""

    path: str
    name: str
    title: str
    kind: str
    sentence: str = ""
    equation: Equation | None = None
    number: str = ""
    detail: str = ""
    level: int = 0
    group: int = 0
    site: Site | None = None
    items: list[Section | Entry] = field(default_factory=list)

    def sections(self) -> Iterator[Section]:
        """This section and every one inside it, in order."""
        yield self
        for item in self.items:
            if isinstance(item, Section):
                yield from item.sections()

    def entries(self) -> Iterator[Entry]:
        """The entries of this section and of those inside it, in order."""
        for item in self.items:
            if isinstance(item, Section):
                yield from item.entries()
            else:
                yield item


def sample(working: Working, entry: Entry) -> tuple[int, ...] | None:
    """The element of an entry's value that is worked out as its example: the second of the first row.

    Where a line wrote elsewhere in an array or a list, and that element is from before, the first that it wrote.
    """
    if not entry.values or entry.given:
        return None
    ref, shape = entry.values[0].ref, entry.values[0].shape
    if any(n == 0 for n in shape):
        return None
    usual = (*(0 for _ in shape[:-1]), min(1, shape[-1] - 1)) if shape else ()
    step = working.steps[ref.step]
    if step.operation not in _FILLED or ref.index:
        return usual
    if step.operation == "list":
        written: Iterable[tuple[int, ...]] = itertools.islice(itertools.product(*map(range, shape)), _LOOKED_AT)
    else:
        new = movement.position_map(working, step)[0] != 0
        written = [tuple(map(int, np.argwhere(new)[0]))] if new.any() else []
    own = {*entry.steps}
    return next((at for at in (usual, *written) if _made_by(working, Ref(ref.step, at)) in own), usual)


_FILLED = ("put", "put_flat", "list")
_LOOKED_AT = 64  # places of a list


def _made_by(working: Working, ref: Ref) -> int:
    """The step that made a number, back through those that only moved it."""
    while meaning.kind(working.steps[ref.step]) == "movement":
        source = movement.source_of(working, working.steps[ref.step], ref.index)
        if source is None:
            break
        ref = source
    return ref.step


def worked(working: Working, value: Value, index: tuple[int, ...]) -> Arithmetic:
    """The arithmetic of one element of a shown value, in one line."""
    return arithmetic(working, Ref(value.ref.step, value.ref.index + index), depth=0)
