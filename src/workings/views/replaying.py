"""A what-if as a page: what was changed, what moved most and by how much, and the results before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from workings.reading.numbers import number
from workings.reading.replay import Moved, Replay
from workings.recording.address import Address, AddressError
from workings.recording.operations.bound import as_array
from workings.recording.working import Ref, Working
from workings.views.document import Block, Document, Heading, Listing, Pair, Prose, Step
from workings.views.lines import within_package
from workings.views.naming import addresses, last_name
from workings.views.notices import condition, place
from workings.views.tables import Table, is_distribution, scalar

_MOST_MOVED = 10
_MOST_TABLES = 3
_LARGEST_TABLE = 400  # numbers in a value that is shown whole before and after


def tell_replay(replay: Replay) -> Document:
    """The blocks of a page about a what-if."""
    working = replay.working
    names = addresses(working)
    changed = {_whole(replay, address) for address in replay.changes}
    blocks: list[Block] = [Heading(1, "What was changed")]
    for ref in sorted(changed, key=lambda r: r.step):
        blocks += _before_and_after(replay, ref, names, set_here=True)
        blocks += _given_again(working, ref)
    moved = _worth_telling(replay, {ref.step for ref in changed})
    blocks.append(Heading(1, "What moved most"))
    if moved:
        blocks.append(Listing("", tuple(_line(replay, m, names) for m in moved[:_MOST_MOVED])))
    else:
        blocks.append(Prose("Nothing else moved."))
    if len(moved) > _MOST_MOVED:
        blocks.append(Prose(f"{len(moved) - _MOST_MOVED} more values moved, each by less.", "note"))
    results = _results(moved)
    if results:
        blocks.append(Heading(1, "Before and after"))
        for each in results:
            blocks += _before_and_after(replay, each.ref, names)
    blocks += _limits(replay)
    return Document(f"What if: {', '.join(_text(replay, a) for a in replay.changes)}", working.source.name, blocks)


def _given_again(working: Working, ref: Ref) -> Iterator[Block]:
    """A name that a program gives to several numbers: which of them was changed, and how to name the others."""
    own = next((b for b in working.bindings if b.ref == ref), None)
    if own is None:
        return
    made = working.steps[ref.step]
    also = [b for b in working.bindings if b.ref == ref and b.group == own.group and b.statement != made.statement]
    also = [b for b in also if b.name != own.name and not within_package(b.site)]
    if also:
        named = ", ".join(dict.fromkeys(f"{b.name} ({place(b.site, working.source.file)})" for b in also[:4]))
        yield Prose(
            f"{own.name} is this number's first name, and {named} names the same number: it is changed under all of "
            "them. To change it under one alone, write another number there.", "note",
        )  # fmt: skip
    alike = [b for b in working.bindings if (b.group, b.name) == (own.group, own.name)]
    others = [b for b in alike if b.ref != ref]
    if others:
        listed = ", ".join(f"{working.path(b.ref.step)} ({place(b.site, working.source.file)})" for b in others[:4])
        more = ", …" if len(others) > 4 else ""
        yield Prose(f"{own.name} is set again elsewhere: {listed}{more}; what was changed is this one alone.", "note")


def _results(moved: list[Moved]) -> list[Moved]:
    """The weights that moved most, and the last value that moved."""
    shown = [m for m in moved if 1 <= np.ndim(m.before) <= 2]
    heavy = [m for m in shown if is_distribution(as_array(m.before))][: _MOST_TABLES - 1]
    last = sorted(shown, key=lambda m: m.ref.step)[-1:]
    return sorted({m.ref: m for m in heavy + last}.values(), key=lambda m: m.ref.step)


def _limits(replay: Replay) -> Iterator[Block]:
    """What the replay could not do by itself."""
    home = replay.working.source.file
    if replay.stopped is not None:
        where = place(replay.stopped.site, home) or "a condition"
        turned = f"{condition(replay.working, replay.stopped)} before and would turn out otherwise now ({where})"
        if replay.rerun is not None:
            yield Prose(f"{turned}, so the whole source was run again with the change.", "note")
        else:
            yield Prose(f"The replay stops there: {turned}. What comes behind it is as it was.", "error")
    if replay.frozen:
        frozen = tuple((replay.working.path(step), why) for step, why in replay.frozen.items())
        yield Listing("Frozen: these could not be computed again", frozen)


def _worth_telling(replay: Replay, changed: set[int]) -> list[Moved]:
    """Each value once, whatever it is called; not those changed by hand, nor what only our equations name."""
    theirs = {b.ref for b in replay.working.bindings if not within_package(b.site)}
    found: dict[Ref, Moved] = {}
    for each in replay.moved():
        if each.ref in theirs and each.ref.step not in changed:
            found.setdefault(each.ref, each)
    return list(found.values())


def _line(replay: Replay, moved: Moved, names: dict[Ref, str]) -> tuple[str, str]:
    """``weights[Apple, shares]``: 0.319 → 0.275, down by 0.044."""
    decimals = replay.working.decimals
    path = names.get(moved.ref, moved.path)
    old, new = as_array(moved.before), as_array(moved.after)
    if old.shape != new.shape:
        return path, f"its shape changed: {_shape(old)} → {_shape(new)}"
    at = moved.where.index[len(moved.ref.index) :]
    _, bracket, rest = replay.working.index.element_path(moved.where).partition("[")
    before, after = old[at].item(), new[at].item()
    said = f"{number(before, decimals)} → {number(after, decimals)}"
    if isinstance(before, (int, float)) and isinstance(after, (int, float)) and not isinstance(before, bool):
        gap = after - before
        if np.isfinite(gap):
            said += f", {'up' if gap > 0 else 'down'} by {number(abs(gap), decimals)}"
    return path + bracket + rest, said


def _before_and_after(replay: Replay, ref: Ref, names: dict[Ref, str], *, set_here: bool = False) -> Iterator[Block]:
    working = replay.working
    path = names.get(ref) or working.index.element_path(ref)
    try:
        before = as_array(working.value(ref))
        again = replay.rerun is not None and not set_here
        after = as_array(replay.value(path if again else ref))
    except AddressError:
        return
    name, where = last_name(path), place(working.steps[ref.step].site, working.source.file)
    if before.shape != after.shape or before.size > _LARGEST_TABLE:
        return
    if not before.shape:
        decimals = working.decimals
        result = f"{scalar(before[()], decimals)} → {scalar(after[()], decimals)}"
        yield Step(name, path, None, "", "", where, 1, result)
        return
    labels = working.labels(ref.step)[len(ref.index) :]
    shaded = is_distribution(before) and is_distribution(after)
    yield Step(name, path, None, "", "", where)
    yield Pair(
        Table(name, path, before, labels, working.decimals, shaded, "before"),
        Table(name, path, after, labels, working.decimals, shaded, "after"),
    )


def _whole(replay: Replay, address: str | Ref) -> Ref:
    if isinstance(address, Ref):
        return Ref(address.step)
    return replay.working.index.whole(Address.parse(address))[0]


def _text(replay: Replay, address: str | Ref) -> str:
    new = replay.changes[address]
    name = address if isinstance(address, str) else replay.working.index.element_path(address)
    return f"{name} = {_said(new)}"


def _said(new: object) -> str:
    if isinstance(new, str):
        return new
    values = np.asarray(new).reshape(-1)
    shown = ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values[:8].tolist())
    return shown + (", …" if values.size > 8 else "")


def _shape(array: np.ndarray[Any, Any]) -> str:
    return " × ".join(map(str, array.shape)) or "a single number"
