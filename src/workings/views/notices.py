"""The end of every page: the conventions card, what was not followed, what a condition decided, what was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from workings.reading.arithmetic import arithmetic
from workings.reading.notation import Notation
from workings.recording.operations.expression import Relation
from workings.recording.working import Guard, Loss, Site, Working
from workings.views.document import Block, Listing, Printed, Prose
from workings.views.naming import in_notebook
from workings.views.tables import visible

_MOST = 12
_KINDS = {
    "opaque": "not opened",
    "origin not recorded": "origin not recorded",
    "frozen": "frozen",
}


def closing(working: Working) -> Iterator[Block]:
    """The last blocks of a page."""
    if working.printed.strip():
        yield Printed(working.printed)
    for note in working.notes:
        yield Prose(note)
    if working.conventions:
        yield Listing("Conventions", tuple(working.conventions.items()))
    decided = _decided(working)
    if decided:
        yield Listing("Decided by these numbers", decided)
    losses = working.unfollowed()
    if losses:
        yield Listing("Not followed", _lost(losses, working.source.file))
    elif len(working):
        yield Prose("Every number was followed to where it came from.", "note")


def place(site: Site | None, home: str = "") -> str:
    """``line 6`` in the source itself, ``attentions.py:78`` elsewhere; empty where there is no line."""
    if site is None or not site.line:
        return ""
    if home and site.file == home:
        return f"line {site.line}"
    return f"{'another cell' if in_notebook(site.file) else Path(site.file).name}:{site.line}"


def _lost(losses: list[Loss], home: str) -> tuple[tuple[str, str], ...]:
    counts: dict[tuple[str, str], int] = {}
    for loss in losses:
        where = place(loss.site, home)
        what = loss.what + (f", {where}" if where else "")
        key = (_KINDS.get(loss.kind, loss.kind), what)
        counts[key] = counts.get(key, 0) + 1
    rows = [(kind, what if n == 1 else f"{what} ({n} times)") for (kind, what), n in counts.items()]
    if len(rows) > _MOST:
        rows = [*rows[:_MOST], ("and", f"{len(rows) - _MOST} more")]
    return tuple(rows)


_CONDITIONS = {"a condition", "a comparison", "a membership test", "a test that is not followed"}
"""The reasons of guards at which a program goes one way or the other; at others it stops, or puts things in order."""


def _decided(working: Working) -> tuple[tuple[str, str], ...]:
    rows: dict[tuple[str, str], None] = {}
    for guard in working.guards:
        own = guard.site is not None and guard.site.file == working.source.file
        if own and guard.reason in _CONDITIONS and isinstance(guard.value, bool):
            rows[place(guard.site, working.source.file), condition(working, guard)] = None
    listed = list(rows)
    if len(listed) > _MOST:
        listed = [*listed[:_MOST], ("and", f"{len(listed) - _MOST} more")]
    return tuple(listed)


def condition(working: Working, guard: Guard) -> str:
    """``total > 3 was true``: as the source writes it where that is all that the line asks, else with its numbers."""
    text = guard.site.text.strip().splitlines()[0] if guard.site is not None and guard.site.text else guard.reason
    if _ASKED.match(text) and not _SEVERAL.search(text):
        text = _ASKED.sub("", text).rstrip(":")
    else:
        asked = arithmetic(working, guard.ref, depth=0).last.expression
        text = Notation(working.decimals).write(asked) if isinstance(asked, Relation) else text
    return f"{visible(text)} was {'true' if guard.value else 'false'}"


_ASKED = re.compile(r"(if|elif|while|assert) ")
_SEVERAL = re.compile(r" (and|or|if|else|for) ")
