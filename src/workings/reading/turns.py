"""The turns of loops: what of all that happened in a group belongs to which turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from workings.recording.working import Site, Turn

Event = tuple[int, str, Any]
"""A statement's number, and what happened there."""


@dataclass(eq=False, repr=False)
class Part:
    """Events that follow one another: of one turn of a loop, the first being number 1, or of none."""

    turn: Turn | None = None
    number: int = 0
    events: list[Event] = field(default_factory=list)
    inner: list[Turn] = field(default_factory=list)
    """The turns of the loops inside this turn."""


def parts(events: Iterable[Event], turns: Sequence[Turn], place: Callable[[Event], Site | None]) -> Iterator[Part]:
    """The events of a group in order, taken apart by the turns of its outermost loops.

    ``place`` says where in the source an event stands. A loop is over at the first line that is outside of its block.
    """
    waiting = deque(turns)
    part = Part()
    for event in sorted(events, key=lambda event: event[0]):
        while waiting and waiting[0].statement <= event[0]:
            turn = waiting.popleft()
            if part.turn is not None and inside(turn.site, part.turn.site):
                part.inner.append(turn)
                continue
            yield part
            again = part.turn is not None and part.turn.site == turn.site
            part = Part(turn, part.number + 1 if again else 1)
        if part.turn is not None and _outside(place(event), part.turn.site):
            yield part
            part = Part()
        part.events.append(event)
    yield part


def inside(site: Site, loop: Site) -> bool:
    """Whether a statement stands in the block of a loop."""
    return site.file == loop.file and loop.line < site.line <= loop.end


def _outside(site: Site | None, loop: Site) -> bool:
    return site is not None and (site.file != loop.file or not loop.line <= site.line <= loop.end)
