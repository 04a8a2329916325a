"""Python lists of numbers as values: a nested list is read as one array, each place keeping its own origin."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.frozen import frozen
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder

DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
CONTAINERS = (list, tuple, *DICTS)
_DEEPEST = 32  # axes an array can have on every NumPy; a list nested in itself has more


def shape_of(value: Any, depth: int = 0) -> tuple[int, ...] | None:
    """The shape of a regular nested list of numbers; None where it is ragged, empty or holds anything else."""
    kind = type(value)
    if kind in NUMBERS or isinstance(value, np.generic):
        return ()
    if (kind is not list and kind is not tuple) or not value or depth > _DEEPEST:
        return None
    first = shape_of(value[0], depth + 1)
    if first is None:
        return None
    for item in value[1:]:  # the first is not looked at again: that would double the work at every depth
        if shape_of(item, depth + 1) != first:
            return None
    return (len(value), *first)


def read(recorder: Recorder, holder: Any) -> Ref | None:
    """The origin of a list of numbers as a whole: a step of its own when it is made of several origins."""
    shape = shape_of(holder)
    if shape is None or shape == ():
        return None
    if _constant(recorder, holder) and kind_of(holder) is not None:
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
            part = read(recorder, item)
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
    """A container that came from outside as an input: its numbers are given, not lost."""
    _adopt(recorder, holder, set())


def _adopt(recorder: Recorder, holder: Any, done: set[int]) -> None:
    if id(holder) in done or not holder:
        return
    done.add(id(holder))
    shape = shape_of(holder) if type(holder) in (list, tuple) else None
    if shape is not None and kind_of(holder) is not None and not _known(recorder, holder):
        array = _as_array(holder)
        if array is not None:
            mark(recorder, holder, recorder.given(array, lost=False, plain=_pure(holder)))
            return
    shadow = recorder.ledger.shadow_of(holder)
    for place, item in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
        kind = type(item)
        if kind in NUMBERS:
            if shadow.tags[place] is None and kind is not bool and kind is not np.bool_:
                shadow.tags[place] = recorder.given(item, lost=False)
        elif isinstance(item, np.generic):
            if recorder.ledger.scalar_ref(item) is None and item.dtype.kind in "fiubc":
                recorder.ledger.scalar(item, recorder.given(item, lost=False))
        elif isinstance(item, (list, tuple, dict)):
            _adopt(recorder, item, done)
        elif type(item) is np.ndarray and item.dtype.kind in "fiubc":
            recorder.found(recorder.ledger.read(item))
        elif recorder.tensors is not None and recorder.tensors.is_tensor(item):
            recorder.tensors.adopt(item)


def _known(recorder: Recorder, holder: Any) -> bool:
    """Whether any place of a nested list has an origin already."""
    shadow = recorder.ledger.existing_shadow(holder)
    if shadow is not None and (shadow.ref is not None or any(t is not None for t in shadow.tags)):
        return True
    return any(type(i) in (list, tuple) and _known(recorder, i) for i in holder)


def is_plain(holder: Any) -> bool:
    """Whether a value is a list or tuple of Python's numbers."""
    return type(holder) in (list, tuple) and shape_of(holder) is not None and _pure(holder)


def kind_of(holder: Any) -> type | None:
    """The one type that every number of a nested list has; None where there are several."""
    kinds = {kind_of(i) if type(i) in (list, tuple) else type(i) for i in holder}
    return kinds.pop() if len(kinds) == 1 else None


def _pure(holder: Any) -> bool:
    return all(_pure(i) if type(i) in (list, tuple) else type(i) in NUMBERS for i in holder)


def _as_array(holder: Any) -> np.ndarray[Any, Any] | None:
    try:
        array = np.array(holder)
    except (ValueError, OverflowError):
        return None
    return array if array.dtype.kind in "fiubc" else None


@frozen
class Made:
    """An object of a result: how to make it again from its parts."""

    kind: Any
    parts: Any

    def make(self, parts: Any) -> Any:
        if isinstance(parts, dict):
            instance = object.__new__(self.kind)
            instance.__dict__.update(parts)
            return instance
        return self.kind(parts)
