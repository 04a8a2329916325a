"""Attributes and subscripts, read, written and deleted."""

from __future__ import annotations

import collections
import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers, held, user_code
from workings.recording.containers import CONTAINERS, DICTS
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

_LOOKUPS = {list.__getitem__, tuple.__getitem__, collections.deque.__getitem__}
_MAKERS = {id(np.c_): "numpy.c_", id(np.r_): "numpy.r_"}
_DESCRIPTIONS = (np.dtype, np.finfo, np.iinfo, type, types.FunctionType)


# -- attributes -----------------------------------------------------------------------------------------------------


def attribute(calls: Calls, frame: Frame, box: Box, name: str) -> Box:
    """``box.name``."""
    holder = box.value
    recorder = calls.recorder
    if type(holder) is np.ndarray or isinstance(holder, np.generic):
        return _array_attribute(calls, box, name)
    if calls.is_tensor(holder):
        value = getattr(holder, name)
        if name in ("shape", "ndim"):
            return _size(calls, value, recorder.tensors.read(holder))
        return calls.box(value, CONSTANT if type(value) in NUMBERS else None)
    if isinstance(holder, types.ModuleType):
        value = getattr(holder, name)
        inner = recorder.modules.get(id(holder.__dict__))
        if inner is None and not user_code.is_user_module(holder):
            return calls.box(value, CONSTANT if type(value) in NUMBERS else None)
        return recorder.load(inner or recorder.module(holder.__dict__), name, value)
    if type(holder) in NUMBERS and f"number.{name}" in functions.BY_NAME:
        value = getattr(holder, name)
        if box.tag is CONSTANT:
            return calls.box(value, CONSTANT)
        return recorder.record(functions.BY_NAME[f"number.{name}"], (box,), {}, value)
    value, tag = calls.look_up(frame, box, name)
    return calls.box(value, _attribute_tag(calls, holder, name, value, tag))


def _attribute_tag(calls: Calls, holder: Any, name: str, value: Any, tag: Tag) -> Tag:
    recorder = calls.recorder
    ledger = recorder.ledger
    if tag is not None:
        if name in getattr(holder, "__dict__", ()):  # a cached property has just put it there
            ledger.set_attribute(holder, name, value, tag)
        return tag
    if isinstance(holder, tuple) and name in getattr(holder, "_fields", ()):
        return ledger.place(holder, holder._fields.index(name))  # type: ignore[attr-defined]
    tag = ledger.attribute(holder, name, value)
    if tag is not None:
        return tag
    kind = type(value)
    if kind in NUMBERS or isinstance(value, np.generic):
        if kind is bool or kind is np.bool_ or (isinstance(holder, _DESCRIPTIONS) and not _is_users(holder)):
            return CONSTANT
        if isinstance(value, np.generic) and ledger.scalar_ref(value) is not None:
            return ledger.scalar_ref(value)
        if not user_code.is_user_type(type(holder)) and not isinstance(holder, type):
            setting = recorder.tensors is not None and recorder.tensors.handles(type(holder))
            return CONSTANT if kind is int or setting else recorder.given(value)
        lost = any(ledger.is_born(o) and name in getattr(o, "__dict__", ()) for o in (holder, *type(holder).__mro__))
        tag = recorder.given(value, lost=lost, note="" if lost else "an attribute set before recording")
        ledger.set_attribute(holder, name, value, tag)
        recorder.bind(recorder.current, name, tag)
        return tag
    before = not ledger.is_born(holder)
    if type(value) is np.ndarray and value.dtype.kind in "fiubc" and not ledger.knows(value):
        ref = ledger.read(value)
        if before:
            recorder.found(ref)
        recorder.bind(recorder.current, name, ref)
    elif calls.is_tensor(value):
        ref, new = recorder.tensors.adopt(value)
        if new:
            recorder.bind(recorder.current, name, ref)
    elif before and isinstance(value, (list, tuple, dict)):
        containers.adopt(recorder, value)
    return None


def _is_users(holder: Any) -> bool:
    return isinstance(holder, type) and user_code.is_user_type(holder)


def _array_attribute(calls: Calls, box: Box, name: str) -> Box:
    holder = box.value
    value = getattr(holder, name)
    if name in ("T", "mT", "real", "imag") and holder.dtype.kind in "fiubc":
        if value is holder:
            return box
        return calls.recorder.record(functions.BY_NAME[f"ndarray.{name}"], (box,), {}, value)
    if name == "flat" and type(holder) is np.ndarray:
        calls.flats[id(value)] = (value, holder)
        return calls.box(value)
    if name == "size" and type(holder) is np.ndarray and calls.recorder.ledger.varies(holder):
        return calls.recorder.record(functions.BY_NAME["numpy.size"], (box,), {}, value)
    if name in ("shape", "size", "ndim"):
        known = type(holder) is np.ndarray and holder.dtype.kind in "fiubc"
        return _size(calls, value, calls.recorder.ledger.read(holder) if known else None)
    if isinstance(value, (int, float)):
        return calls.box(value, CONSTANT)
    return calls.box(value)


def _size(calls: Calls, value: Any, ref: Ref | None) -> Box:
    if isinstance(value, tuple):
        if ref is not None and ref.step in calls.recorder.working.varying:
            calls.recorder.ledger.shadow(value, [size_step(calls, ref, value, i, v) for i, v in enumerate(value)])
            return calls.box(value)
        calls.recorder.ledger.shadow(value, [CONSTANT] * len(value))
        return calls.box(value, ("shape", ref))
    return calls.box(value, CONSTANT)


def length(calls: Calls, array: Any) -> Box:
    """How many rows an array has."""
    ref = calls.recorder.ledger.read(array)
    return calls.box(len(array), size_step(calls, ref, array.shape, 0, len(array)))


def size_step(calls: Calls, ref: Ref | None, shape: Any, key: Any, value: Any) -> Tag:
    """The length of one axis, as a number that can be traced to its array."""
    if ref is None or type(key) is not int:
        return CONSTANT
    recorder = calls.recorder
    axis = key % len(shape)
    known = calls.sizes.get((ref, axis))
    if known is not None:
        return known
    size = recorder.step("size", "recording.size", (ref,), (Slot(0), axis), {}, value=value)
    calls.sizes[ref, axis] = size
    if ref.step not in recorder.working.varying:
        recorder.fixed.add(size.step)
    return size


def set_attribute(calls: Calls, frame: Frame, holder: Box, name: str, box: Box) -> None:
    """``holder.name = value``."""
    recorder, target, value, tag = calls.recorder, holder.value, box.value, box.tag
    if type(target) is np.ndarray:
        _set_shape(calls, target, name, box)
        return
    calls.perform(frame, lambda h, v: setattr(h, name, v), [holder, box])
    kind = type(value)
    if tag is CONSTANT and kind in NUMBERS and kind is not bool:
        tag = recorder.given(value, lost=False)
        if kind is int:
            recorder.counters.add(tag.step)
    descriptor = None if isinstance(target, type) else getattr(type(target), name, None)
    if isinstance(descriptor, property) or (hasattr(descriptor, "__set__") and not _is_slot(descriptor)):
        return  # what it keeps, and where, has been seen inside
    if isinstance(target, types.ModuleType):
        recorder.store(recorder.module(target.__dict__), name, calls.box(value, tag))
        return
    recorder.ledger.set_attribute(target, name, value, tag)
    if kind is not bool:
        ref = recorder.ref(calls.box(value, tag))
        if ref is not None:
            recorder.bind(frame, name, ref)
        elif kind in CONTAINERS:
            held.name_places(recorder, frame, name, value)


def _is_slot(descriptor: Any) -> bool:
    return isinstance(descriptor, types.MemberDescriptorType)


def _set_shape(calls: Calls, array: Any, name: str, box: Box) -> None:
    """``array.shape = …`` gives the same object another form."""
    ledger = calls.recorder.ledger
    if name != "shape" or array.dtype.kind not in "fiubc":
        known = array.dtype.kind in "fiubc"
        before = ledger.read(array) if known else None
        setattr(array, name, box.value)
        if before is not None and name in ("strides", "dtype"):
            ledger.reform(array, calls.recorder.given(array))
        return
    before = ledger.read(array)
    array.shape = box.value
    step = calls.recorder.step("reshape", "ndarray.reshape", (before,), (Slot(0), tuple(array.shape)), {}, value=array)
    ledger.reform(array, step)


# -- subscripts -----------------------------------------------------------------------------------------------------


def getitem(calls: Calls, frame: Frame, box: Box, index: Box) -> Box:
    """``box[index]``."""
    holder, key = box.value, index.value
    recorder = calls.recorder
    kind = type(holder)
    if type(holder) is np.ndarray and holder.dtype.kind in "fiubc":
        return _array_item(calls, box, index)
    if calls.is_tensor(holder):
        return recorder.tensors.operation(frame, operator.getitem, [box, index])  # type: ignore[no-any-return]
    known = (
        isinstance(holder, tuple) and kind not in calls.users and recorder.ledger.existing_shadow(holder) is not None
    )
    if kind is list or kind is tuple or known or (calls.is_sequence(holder) and kind.__getitem__ in _LOOKUPS):
        return _list_item(calls, box, index)
    if kind in DICTS:
        return _dict_item(calls, frame, box, index)
    if id(holder) in _MAKERS and (type(key) is tuple or type(key) is np.ndarray):
        return recorder.record(functions.BY_NAME[_MAKERS[id(holder)]], (index,), {}, holder[key])
    if id(holder) in calls.flats and type(key) is int:
        return _flat_item(calls, calls.flats[id(holder)][1], key, holder[key])
    value, tag = calls.perform(frame, operator.getitem, [box, index])
    return calls.box(value, tag)


def _list_item(calls: Calls, box: Box, index: Box) -> Box:
    holder, key = box.value, index.value
    recorder = calls.recorder
    if type(key) is slice:
        value = holder[key]
        if isinstance(value, (list, tuple)) and value:
            recorder.ledger.shadow(value, list(recorder.ledger.shadow_of(holder).tags[key]))
        return calls.box(value)
    recorder.guard(index, "a list index")
    value = holder[key]
    if type(box.tag) is tuple and box.tag[0] == "shape":
        return calls.box(value, size_step(calls, box.tag[1], holder, key, value))
    return calls.box(value, recorder.ledger.place(holder, operator.index(key)))


def _dict_item(calls: Calls, frame: Frame, box: Box, index: Box) -> Box:
    holder, key = box.value, index.value
    recorder = calls.recorder
    recorder.guard(index, "a key")
    if key not in holder:
        if type(holder) is collections.defaultdict and holder.default_factory is not None:
            made = calls.call(frame, holder.default_factory, [], {})
            tag = CONSTANT if made.tag is None and type(made.value) in NUMBERS else made.tag
            put_in_dict(calls, holder, key, made.value, tag)
            return calls.box(made.value, tag)
        return calls.box(holder[key], CONSTANT)  # a Counter's 0, or Python's own KeyError
    value = holder[key]
    return calls.box(value, recorder.ledger.entry(holder, key, value))


def put_in_dict(calls: Calls, holder: Any, key: Any, value: Any, tag: Tag) -> None:
    """One entry of a dictionary, with its origin."""
    shadow = calls.recorder.ledger.shadow_if_fresh(holder)
    holder[key] = value
    if shadow is None:
        shadow = calls.recorder.ledger.shadow_of(holder)
    shadow.tags[key] = tag
    shadow.items[key] = value
    calls.recorder.ledger.changed(shadow)


def _flat_item(calls: Calls, array: Any, position: int, value: Any) -> Box:
    whole = calls.recorder.ledger.read(array)
    place = np.unravel_index(position % array.size, array.shape)
    part = Ref(whole.step, whole.index + tuple(map(int, place)))
    calls.recorder.ledger.scalar(value, part)
    return calls.box(value, part)


def _array_item(calls: Calls, box: Box, index: Box) -> Box:
    recorder = calls.recorder
    holder, key = box.value, index.value
    value = holder[key]
    if (type(key) is int and index.tag is CONSTANT) or not _from_data(calls, index):
        whole = key if type(key) is tuple else (key,)
        if whole and all(type(k) is int or isinstance(k, np.integer) for k in whole):
            ref = recorder.ledger.read(holder)
            steps = tuple([int(k) % n for k, n in zip(whole, holder.shape, strict=False)])
            part = Ref(ref.step, ref.index + steps)
            if type(value) is np.ndarray:
                recorder.ledger.view(value, holder, part, steps)
                return calls.box(value)
            recorder.ledger.scalar(value, part)
            return calls.box(value, part)
    return recorder.record(functions.BY_NAME["recording.getitem"], (box, index), {}, value)


def _from_data(calls: Calls, index: Box) -> bool:
    """Whether an index depends on numbers that may change: then it is an input of the step, not a place.

    An index made of constants and loop counters is a place; should a counter be changed, the source runs again.
    """
    recorder = calls.recorder
    value = index.value
    if type(value) is tuple:
        tags = recorder.ledger.shadow_of(value).tags if value else []
        boxes = [calls.box(v, t) for v, t in zip(value, tags, strict=True)]
    else:
        boxes = [index]
    refs: list[Box] = []
    for box in boxes:
        tag = recorder.tag_of(box)
        if isinstance(tag, Ref):
            refs.append(calls.box(box.value, tag))
    if any(b.tag.step not in recorder.fixed and b.tag.step not in recorder.counters for b in refs):
        return True
    for box in refs:
        recorder.guard(box, "an index")
    return False


def setitem(calls: Calls, frame: Frame, box: Box, index: Box, value: Box) -> None:
    """``box[index] = value``."""
    holder, key = box.value, index.value
    recorder = calls.recorder
    if type(holder) is np.ndarray and holder.dtype.kind in "fiubc":
        _set_array_item(calls, box, index, value)
    elif calls.is_tensor(holder):
        recorder.tensors.operation(frame, operator.setitem, [box, index, value])
        if not recorder.tensors.ledger.owns(holder):
            recorder.tensors.read(holder)  # the line is about the window it wrote through
    elif type(holder) in (list, collections.deque):
        _set_list_item(calls, frame, box, index, value)
    elif type(holder) in DICTS:
        recorder.guard(index, "a key")
        put_in_dict(calls, holder, key, value.value, value.tag)
        _put_down(calls, frame, value)
        held.name_put(recorder, frame, holder, key)
    elif id(holder) in calls.flats:
        array = calls.flats[id(holder)][1]
        change = functions.BY_NAME["changed.flat"]
        calls.change(frame, change, calls.box(array), [index, value], {}, lambda i, v: operator.setitem(holder, i, v))
    else:
        calls.perform(frame, operator.setitem, [box, index, value])


def _set_list_item(calls: Calls, frame: Frame, box: Box, index: Box, value: Box) -> None:
    holder, key = box.value, index.value
    ledger = calls.recorder.ledger
    if type(key) is slice:
        items, new = calls.items_of(value)
        calls.recorder.current = frame
        tags = list(ledger.shadow_of(holder).tags)
        holder[key] = items
        tags[key] = new
        ledger.shadow(holder, tags)
        return
    calls.recorder.guard(index, "a list index")
    shadow = ledger.shadow_of(holder)
    holder[key] = value.value
    shadow.items[key] = value.value
    shadow.tags[key] = value.tag
    ledger.changed(shadow)
    _put_down(calls, frame, value)


def _put_down(calls: Calls, frame: Frame, box: Box) -> None:
    """A line that does no more than put a number into a container is a step like any other."""
    recorder, tag = calls.recorder, box.tag
    if type(box.value) in NUMBERS and type(box.value) is not bool:
        there = isinstance(tag, Ref) and recorder.working.steps[tag.step].statement != frame.statement
        if tag is CONSTANT or there:
            recorder.write(functions.BY_NAME["recording.same"], (box,), {}, box.value)


def _set_array_item(calls: Calls, box: Box, index: Box, value: Box) -> None:
    recorder = calls.recorder
    holder, key = box.value, index.value
    if type(value.value) is np.ndarray and is_basic(key) and _same_memory(holder[key], value.value):
        return  # the second half of ``holder[key] += …``: it is already there
    inputs = [recorder.ledger.read(holder)]
    new = recorder.template(value, inputs)
    where = recorder.template(index, inputs) if _from_data(calls, index) else _plain_index(calls, index, inputs)
    recorder.ledger.before_write(holder)
    holder[key] = value.value
    ref = recorder.step("put", "recording.put", tuple(inputs), (Slot(0), new, where), {}, value=holder)
    recorder.ledger.after_write(holder, ref)


def _plain_index(calls: Calls, index: Box, inputs: list[Ref]) -> Any:
    """An index that does not depend on data: numbers stand as they are, arrays are inputs."""
    key = index.value
    parts = key if type(key) is tuple else (key,)
    if all(isinstance(p, (int, np.integer, slice, type(None), type(Ellipsis))) for p in parts):
        return key
    return calls.recorder.template(index, inputs)


def delitem(calls: Calls, frame: Frame, box: Box, index: Box) -> None:
    """``del box[index]``."""
    holder, key = box.value, index.value
    ledger = calls.recorder.ledger
    if type(holder) in (list, collections.deque):
        calls.recorder.guard(index, "a list index")
        tags = list(ledger.shadow_of(holder).tags)
        del holder[key]
        del tags[key]
        ledger.shadow(holder, tags)
    elif type(holder) in DICTS:
        calls.recorder.guard(index, "a key")
        entries = dict(ledger.shadow_of(holder).tags)
        del holder[key]
        entries.pop(key, None)
        ledger.shadow(holder, entries)
    else:
        calls.perform(frame, operator.delitem, [box, index])


def is_basic(key: Any) -> bool:
    """Whether an index makes a view: numbers, slices, None and ``...`` only."""
    parts = key if type(key) is tuple else (key,)
    return all(
        p is None or p is Ellipsis or (isinstance(p, (int, slice, np.integer)) and not isinstance(p, bool))
        for p in parts
    )


def _same_memory(region: Any, value: Any) -> bool:
    if type(region) is not np.ndarray or region.shape != value.shape or region.strides != value.strides:
        return False
    same = region.__array_interface__["data"][0] == value.__array_interface__["data"][0]
    return bool(same and region.dtype == value.dtype)
