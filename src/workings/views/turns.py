"""Loops told turn by turn: which of them, where a loop begins and ends, and what one turn writes into an array."""

from __future__ import annotations

from collections import Counter

import numpy as np

from workings.frozen import evolve
from workings.reading.sections import Entry, Section, Value
from workings.reading.turns import inside
from workings.recording.operations import movement
from workings.recording.working import Ref, Site, Turn, Working
from workings.views.lines import within_package

_MOST = 64
"""Turns of one line; of a loop with more, and of the loops inside it, the last turn stands for all."""


def told_apart(working: Working) -> list[Turn]:
    """The turns of loops in the reader's own code that are few enough to be told one by one."""
    own = [turn for turn in working.turns if not within_package(turn.site)]
    counts = Counter((turn.group, turn.site) for turn in own)
    many = [key for key, count in counts.items() if count > _MOST]

    def held(turn: Turn) -> bool:
        return any(turn.group == group and (turn.site == site or inside(turn.site, site)) for group, site in many)

    return [turn for turn in own if not held(turn)]


def begins(items: list[Section | Entry], place: int) -> bool:
    """Whether the item is the first turn of a loop."""
    return _is_turn(items[place]) and (place == 0 or not _same_loop(items[place], items[place - 1]))


def ends(items: list[Section | Entry], place: int) -> bool:
    """Whether the item is the last turn of a loop."""
    return _is_turn(items[place]) and (place + 1 == len(items) or not _same_loop(items[place], items[place + 1]))


def code(loop: Site) -> str:
    """The line that opens a loop, without its colon and its comment."""
    line = loop.text.splitlines()[0].rstrip()
    if loop.comment and line.endswith(loop.comment):
        line = line.removesuffix(loop.comment).rstrip("# ")
    return line.rstrip(": ")


def written(working: Working, value: Value) -> Value:
    """Of an array that a line writes a number or a row into, that part: the rest is there from before."""
    step = working.steps[value.ref.step]
    if value.ref.index or step.operation not in ("put", "put_flat"):
        return value
    new = movement.position_map(working, step)[0] != 0
    index: tuple[int, ...] = ()
    while new.ndim and np.count_nonzero(rows := new.reshape(len(new), -1).any(axis=1)) == 1:
        index += (int(rows.argmax()),)
        new = new[index[-1]]
    if not index or not new.all():
        return value
    ref = Ref(value.ref.step, index)
    array, labels = np.asarray(value.array[index]), value.labels[len(index) :]
    return evolve(value, path=working.index.element_path(ref), ref=ref, array=array, labels=labels)


def _is_turn(item: Section | Entry) -> bool:
    return isinstance(item, Section) and item.kind == "turn"


def _same_loop(item: Section | Entry, other: Section | Entry) -> bool:
    return _is_turn(other) and item.site == other.site
