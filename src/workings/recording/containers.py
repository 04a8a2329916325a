"""Python lists of numbers as values: a nested list is read as one array, each place keeping its own origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder

LAZY: tuple[type, ...] = (type(iter([])), zip, enumerate, map, filter, range)


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of a regular nested list of numbers; None where it is ragged, empty or holds anything else."""
    kind = type(value)
    if kind in NUMBERS or isinstance(value, np.generic):
        return ()
    if kind is not list and kind is not tuple or not value:
        return None
    first = shape_of(value[0])
    if first is None:
        return None
    for item in value[1:]:
        if shape_of(item) != first:
            return None
    return (len(value), *first)


def read(recorder: Recorder, holder: Any) -> Ref | None:
    """The origin of a list of numbers as a whole: a step of its own when it is made of several origins."""
    shape = shape_of(holder)
    if shape is None or shape == ():
        return None
    if _constant(recorder, holder):
        array = _as_array(holder)
        if array is None:
            return None
        ref = recorder.given(array, lost=False, plain=_pure(holder))
        mark(recorder, holder, ref)
        return ref
    return _read(recorder, holder)


def _read(recorder: Recorder, holder: Any) -> Ref | None:
    shadow = recorder.ledger.shadow_of(holder)
    parts: list[Any] = []
    for position, (item, tag) in enumerate(zip(holder, shadow.tags, strict=True)):
        if type(item) in (list, tuple):
            part = _read(recorder, item)
            if part is None:
                return None
            parts.append(part)
        elif isinstance(tag, Ref):
            parts.append(tag)
        elif tag is CONSTANT:
            parts.append(item)
        else:
            known = recorder.ledger.scalar_ref(item) if isinstance(item, np.generic) else None
            if known is None:
                known = recorder.given(item)
            shadow.tags[position] = known
            parts.append(known)
    if shadow.ref is not None and len(parts) == len(shadow.inputs) and all(map(_same, parts, shadow.inputs)):
        return shadow.ref
    whole = _whole(recorder, parts)
    if whole is None:
        array = _as_array(holder)
        if array is None:
            return None
        inputs: list[Ref] = []
        places: dict[Ref, int] = {}
        slots: list[Any] = []
        for part in parts:
            if isinstance(part, Ref):
                if part not in places:
                    places[part] = len(inputs)
                    inputs.append(part)
                slots.append(Slot(places[part]))
            else:
                slots.append(part)
        whole = recorder.step("list", "recording.list", tuple(inputs), tuple(slots), {}, value=array)
        recorder.working.steps[whole.step].plain = _pure(holder)
    shadow.ref, shadow.inputs = whole, parts
    return whole


def _same(first: Any, second: Any) -> bool:
    return first is second or (isinstance(first, Ref) and first == second)


def _whole(recorder: Recorder, parts: list[Any]) -> Ref | None:
    """Parts that are exactly the rows of one earlier value, in order, are that value."""
    first = parts[0]
    if not isinstance(first, Ref) or not first.index or first.index[-1] != 0:
        return None
    stem = first.index[:-1]
    shape = recorder.working.steps[first.step].shape
    if len(shape) <= len(stem) or shape[len(stem)] != len(parts):
        return None
    if all(isinstance(p, Ref) and p.step == first.step and p.index == (*stem, i) for i, p in enumerate(parts)):
        return Ref(first.step, stem)
    return None


def _constant(recorder: Recorder, holder: Any) -> bool:
    shadow = recorder.ledger.shadow_of(holder)
    if shadow.ref is not None:
        return False
    return all(
        _constant(recorder, item) if type(item) in (list, tuple) else tag is CONSTANT
        for item, tag in zip(holder, shadow.tags, strict=True)
    )


def mark(recorder: Recorder, holder: Any, ref: Ref) -> None:
    """Every place of a nested list is now known as the same place of one value."""
    inputs = [Ref(ref.step, (*ref.index, i)) for i in range(len(holder))]
    tags: list[Tag] = []
    for item, inner in zip(holder, inputs, strict=True):
        if type(item) in (list, tuple):
            mark(recorder, item, inner)
            tags.append(None)
        else:
            tags.append(inner)
    shadow = recorder.ledger.shadow(holder, tags)
    shadow.ref, shadow.inputs = ref, inputs


def adopt(recorder: Recorder, holder: Any) -> None:
    """A list that came from outside as an input: its numbers are given, not lost."""
    if shape_of(holder) in (None, ()):
        if type(holder) in (list, tuple):
            for item in holder:
                if type(item) in (list, tuple):
                    adopt(recorder, item)
                elif isinstance(item, np.ndarray) and item.dtype.kind in "fiubc":
                    recorder.found(recorder.ledger.read(item))
        return
    shadow = recorder.ledger.shadow_of(holder)
    if shadow.ref is None and not any(isinstance(t, Ref) for t in _leaves(recorder, holder)):
        array = _as_array(holder)
        if array is not None:
            mark(recorder, holder, recorder.given(array, lost=False, plain=_pure(holder)))


def _leaves(recorder: Recorder, holder: Any) -> list[Tag]:
    out: list[Tag] = []
    for item, tag in zip(holder, recorder.ledger.shadow_of(holder).tags, strict=True):
        out += _leaves(recorder, item) if type(item) in (list, tuple) else [tag]
    return out


def _pure(holder: Any) -> bool:
    return all(_pure(i) if type(i) in (list, tuple) else type(i) in NUMBERS for i in holder)


def _as_array(holder: Any) -> np.ndarray[Any, Any] | None:
    array = np.array(holder)
    return array if array.dtype.kind in "fiubc" else None
