"""A what-if as a page: what was changed, what moved most and by how much, and the results before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from workings.reading.numbers import number
from workings.reading.replay import Moved, Replay
from workings.recording.address import Address, AddressError
from workings.recording.operations.bound import as_array
from workings.recording.working import Ref
from workings.views.document import Block, Document, Heading, Listing, Prose, Step
from workings.views.notices import condition, place
from workings.views.tables import Table, is_distribution

_MOST_MOVED = 10
_MOST_TABLES = 3
_LARGEST_TABLE = 400  # numbers in a value that is shown whole before and after


def tell_replay(replay: Replay) -> Document:
    """The blocks of a page about a what-if."""
    working = replay.working
    blocks: list[Block] = [Heading(1, "What was changed")]
    blocks += [Step(str(a), _text(replay, a), None, "", _said(new), "") for a, new in replay.changes.items()]
    for address in replay.changes:
        blocks += _before_and_after(replay, _whole(replay, address))
    moved = _once(replay.moved(), {_whole(replay, a).step for a in replay.changes})
    blocks.append(Heading(1, "What moved most"))
    if moved:
        blocks.append(Listing("", tuple(_line(replay, m) for m in moved[:_MOST_MOVED])))
    else:
        blocks.append(Prose("Nothing else moved."))
    if len(moved) > _MOST_MOVED:
        blocks.append(Prose(f"{len(moved) - _MOST_MOVED} more values moved, each by less.", "note"))
    shown = [m for m in moved if np.ndim(m.before)][:_MOST_TABLES]
    if shown:
        blocks.append(Heading(1, "Before and after"))
        for each in sorted(shown, key=lambda m: m.ref.step):
            blocks += _before_and_after(replay, each.ref)
    blocks += _limits(replay)
    return Document(f"What if: {', '.join(_text(replay, a) for a in replay.changes)}", working.source.name, blocks)


def _limits(replay: Replay) -> Iterator[Block]:
    """What the replay could not do by itself."""
    home = replay.working.source.file
    if replay.stopped is not None:
        where = place(replay.stopped.site, home) or "a condition"
        turned = f"{condition(replay.stopped)} before and would turn out otherwise now ({where})"
        if replay.rerun is not None:
            yield Prose(f"{turned}, so the whole source was run again with the change.", "note")
        else:
            yield Prose(f"The replay stops there: {turned}. What comes behind it is as it was.", "error")
    if replay.frozen:
        named = replay.working.path
        yield Listing("Frozen: these could not be computed again", tuple((named(s), why) for s, why in replay.frozen.items()))


def _once(moved: list[Moved], changed: set[int]) -> list[Moved]:
    """Each value once, whatever it is called; the ones that were changed by hand not at all."""
    seen: set[Ref] = set()
    out = []
    for each in moved:
        if each.ref not in seen and each.ref.step not in changed:
            seen.add(each.ref)
            out.append(each)
    return out


def _line(replay: Replay, moved: Moved) -> tuple[str, str]:
    """``weights[Apple, shares]``: 0.319 → 0.275, down by 0.044."""
    decimals = replay.working.decimals
    old, new = as_array(moved.before), as_array(moved.after)
    if old.shape != new.shape:
        return moved.path, f"its shape changed: {_shape(old)} → {_shape(new)}"
    at = moved.where.index[len(moved.ref.index) :]
    _, bracket, rest = replay.working.index.element_path(moved.where).partition("[")
    before, after = old[at].item(), new[at].item()
    said = f"{number(before, decimals)} → {number(after, decimals)}"
    if isinstance(before, (int, float)) and isinstance(after, (int, float)) and not isinstance(before, bool):
        gap = after - before
        if np.isfinite(gap):
            said += f", {'up' if gap > 0 else 'down'} by {number(abs(gap), decimals)}"
    return moved.path + bracket + rest, said


def _before_and_after(replay: Replay, ref: Ref) -> Iterator[Block]:
    working = replay.working
    path = working.index.element_path(ref)
    try:
        before = as_array(working.value(ref))
        after = as_array(replay.value(path if replay.rerun is not None else ref))
    except AddressError:
        return
    if before.shape != after.shape or not before.shape or before.size > _LARGEST_TABLE:
        return
    labels = working.labels(ref.step)[len(ref.index) :]
    yield Step(path.split(".")[-1], path, None, "", "", place(working.steps[ref.step].site, working.source.file))
    name = path.split(".")[-1]
    for moment, array in (("before", before), ("after", after)):
        shaded = is_distribution(before) and is_distribution(after)
        yield Table(name, path, array, labels, working.decimals, shaded, moment)


def _whole(replay: Replay, address: str | Ref) -> Ref:
    if isinstance(address, Ref):
        return Ref(address.step)
    parsed = Address.parse(address)
    return replay.working.index.find(Address(parsed.parts, (), parsed.text))


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


def _shape(array: object) -> str:
    return " × ".join(map(str, np.shape(array))) or "a single number"


__all__ = ["Mapping", "tell_replay"]
