"""What travels through rewritten source: boxes with values and their origins, and frames with those of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workings.recording.ledger import Tag
from workings.recording.working import Ref, Site, Slot

LOST = "origin not recorded"


class Box:
    """A value on its way through an expression, with its origin."""

    __slots__ = ("tag", "value")

    def __init__(self, value: Any, tag: Any = None) -> None:
        self.value = value
        self.tag = tag


class Frame:
    """One activation of a rewritten scope: the origins of its variables, and where it stands."""

    __slots__ = (
        "around",
        "classes",
        "collect",
        "collector",
        "followed",
        "group",
        "holders",
        "imported",
        "kept",
        "site",
        "statement",
        "tags",
    )

    def __init__(self, group: int, site: Site | None = None, statement: int = 0) -> None:
        self.tags: dict[str, tuple[Any, Tag]] = {}
        self.group = group
        self.site = site
        self.statement = statement
        self.collect: dict[int, list[Tag]] = {}
        self.collector: list[Tag] | None = None
        self.kept: dict[int, Box] = {}
        self.holders: dict[str, Any] = {}
        self.imported: set[str] = set()
        self.classes: dict[tuple[str, str], Box] = {}
        self.followed = True
        self.around: Frame | None = None  # the frame of the line that a comprehension stands in


_SLOTS = tuple(map(Slot, range(16)))  # they are all alike, and immutable


def slot(inputs: list[Ref], ref: Ref) -> Slot:
    """The place of an input among the inputs, where it is put unless it is there."""
    position = 0
    for known in inputs:
        if known.step == ref.step and known.index == ref.index:
            break
        position += 1
    else:
        inputs.append(ref)
    return _SLOTS[position] if position < len(_SLOTS) else Slot(position)


def in_a_row(args: Sequence[Any]) -> list[Box]:
    """Boxes in a row; a starred part comes as a list of boxes."""
    if list not in map(type, args):
        return list(args)
    out: list[Box] = []
    for arg in args:
        if type(arg) is list:
            out.extend(arg)
        else:
            out.append(arg)
    return out
