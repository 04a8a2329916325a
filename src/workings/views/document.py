"""What a page consists of, whatever it is written in: a list of blocks that each text view prints in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workings.frozen import frozen
from workings.reading.formula import Formula
from workings.reading.line import Line as Arithmetic
from workings.views.tables import Table

DEPTHS = ("sentences", "steps", "numbers")


@frozen
class Heading:
    """A section: its level from 1, title, number in the text, address and the numbers of its equation."""

    level: int
    text: str
    number: str = ""
    path: str = ""
    label: str = ""
    place: str = ""


@frozen
class Prose:
    """A sentence or two. ``kind`` is "sentence" (what a section does), "note" (an aside) or "error"."""

    text: str
    kind: str = "sentence"


@frozen
class Displayed:
    """An equation on a line of its own, with its numbers, the letters of its names, and the group it is about."""

    latex: str
    label: str
    symbols: Mapping[str, str]
    group: int


@frozen
class Step:
    """A line of the source: its formula or its text, what is said beside it, its address and its place.

    ``result`` is the value where it is a single number; ``times`` how often a loop ran the line. ``line`` is its group
    and statement; where that is a helper, the formula has the symbols of what the names stand for outside. The formula
    of a ``stated`` result is that number, as the source writes it.
    """

    name: str
    path: str
    formula: Formula | None
    code: str
    sentence: str
    place: str
    times: int = 1
    result: str = ""
    line: tuple[int, int] | None = None
    helper: bool = False
    stated: bool = False


@frozen
class Loop:
    """The line that opens a loop."""

    code: str
    sentence: str
    place: str


@frozen
class Turn(Heading):
    """A turn of a loop: the blocks up to its next turn, or to where the loop is over, belong to it.

    ``loop`` is what the loop is called, ``group`` the group of the Working that the turn happened in.
    """

    loop: str = ""
    group: int = 0


@frozen
class Over:
    """The end of the loop whose turns have this level."""

    level: int


@frozen
class Same:
    """Names for values that are shown elsewhere: pairs of name and address (or number)."""

    names: tuple[tuple[str, str], ...]

    @property
    def chains(self) -> list[list[str]]:
        """Names with the same value, and that value at the end: queries, keys, values, X."""
        found: dict[str, list[str]] = {}
        for name, address in self.names:
            found.setdefault(address, []).append(name)
        return [[*names, address] for address, names in found.items()]


@frozen
class Worked:
    """Arithmetic of elements: pairs of what is worked out and its line; ``more`` says what is left out."""

    lines: tuple[tuple[str, Arithmetic], ...]
    more: str = ""


@frozen
class Listing:
    """A named list of pairs: the conventions card, what was not followed."""

    title: str
    rows: tuple[tuple[str, str], ...]


@frozen
class Pair:
    """A value before and after a change."""

    before: Table
    after: Table


@frozen
class Printed:
    """What the script printed."""

    text: str


Block = Heading | Prose | Displayed | Step | Loop | Turn | Over | Same | Table | Pair | Worked | Listing | Printed


@dataclass(eq=False, repr=False)
class Document:
    """A page: its title, where the computation comes from, and its blocks in order."""

    title: str
    origin: str
    blocks: list[Block] = field(default_factory=list)
