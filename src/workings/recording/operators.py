"""Operators: performed on the real objects, then written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers
from workings.recording.containers import DICTS
from workings.recording.ledger import CONSTANT, NUMBERS
from workings.recording.operations import functions
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

_ARRAY = np.ndarray
_BINARY = {
    sign: (call, functions.BY_NAME["operator." + functions.OPERATORS[sign]])
    for sign, call in functions.OPERATOR_CALLS.items()
}
_UNARY = {
    sign: (call, functions.BY_NAME["operator." + functions.UNARY_MEANINGS[sign]])
    for sign, call in functions.UNARY_CALLS.items()
}


def operate(calls: Calls, frame: Frame, sign: str, left: Box, right: Box) -> Box:
    """``left sign right``."""
    call, known = _BINARY[sign]
    a, b = left.value, right.value
    if calls.is_tensor(a) or calls.is_tensor(b):
        return calls.recorder.tensors.operation(frame, call, [left, right])  # type: ignore[no-any-return]
    if calls.is_numeric(a) and calls.is_numeric(b):
        try:
            result = call(a, b)
        except Exception as error:
            calls.raised(known, [left, right], {}, error)
            raise
        if calls.is_recordable(result):
            return calls.recorder.record(known, (left, right), {}, result)
        return calls.box(result)
    recorder = calls.recorder
    if isinstance(a, (set, frozenset)) or isinstance(b, (set, frozenset)):
        recorder.opened_set(a)
        recorder.opened_set(b)
    result, tag = calls.perform(frame, call, [left, right])
    if tag is None and type(result) in (list, tuple):
        _join_lists(calls, sign, left, right, result)
    elif tag is None and type(result) is bool and sign in ("==", "!=", "<", "<=", ">", ">="):
        left, right = _as_plain(calls, left), _as_plain(calls, right)
        if containers.is_plain(left.value) and containers.is_plain(right.value):
            return recorder.record(known, (left, right), {}, result)
        _guard_numbers(calls, left)
        _guard_numbers(calls, right)
        tag = CONSTANT
    elif tag is None and type(result) is str:
        recorder.made_text(result, [left, right])
    elif tag is None and type(result) in DICTS and isinstance(b, dict):
        recorder.ledger.shadow(result, recorder.ledger.shadow_of(a).tags | recorder.ledger.shadow_of(b).tags)
    elif tag is None and type(result) is _ARRAY and calls.is_recordable(result):
        return calls.recorder.record(known, (left, right), {}, result)  # an array and a list
    return calls.box(result, tag)


def _as_plain(calls: Calls, box: Box) -> Box:
    """A named tuple that compares like any tuple, as a tuple."""
    value = box.value
    if type(value) is tuple or not isinstance(value, tuple) or type(value).__eq__ is not tuple.__eq__:
        return box
    plain = tuple(value)
    calls.recorder.ledger.shadow(plain, list(calls.recorder.ledger.shadow_of(value).tags))
    return calls.box(plain)


def _join_lists(calls: Calls, sign: str, left: Box, right: Box, result: Any) -> None:
    ledger = calls.recorder.ledger
    sequences = (list, tuple)
    if sign == "+" and isinstance(left.value, sequences) and isinstance(right.value, sequences):
        ledger.shadow(result, [*ledger.shadow_of(left.value).tags, *ledger.shadow_of(right.value).tags])
    elif sign == "*":
        base, count = (left, right) if isinstance(left.value, sequences) else (right, left)
        if isinstance(base.value, sequences) and isinstance(count.value, (int, np.integer)):
            calls.recorder.guard(count, "a repetition count")
            ledger.shadow(result, list(ledger.shadow_of(base.value).tags) * max(0, int(count.value)))


def _guard_numbers(calls: Calls, box: Box) -> None:
    """A comparison of containers looks at their numbers."""
    if type(box.value) is str:
        calls.recorder.opened_text(box.value)
    elif isinstance(box.value, (list, tuple)):
        for value, tag in zip(*calls.items_of(box), strict=True):
            _guard_numbers(calls, calls.box(value, tag))
    else:
        calls.recorder.guard(box, "a comparison")


def unary(calls: Calls, frame: Frame, sign: str, box: Box) -> Box:
    """``-value``, ``+value``, ``~value``, ``not value``."""
    value = box.value
    if sign == "not":
        return _not(calls, frame, box)
    call, known = _UNARY[sign]
    if calls.is_tensor(value):
        return calls.recorder.tensors.operation(frame, call, [box])  # type: ignore[no-any-return]
    if calls.is_numeric(value):
        result = call(value)
        if box.tag is CONSTANT and type(value) in NUMBERS:
            return calls.box(result, CONSTANT)  # a number written with its sign
        if calls.is_recordable(result):
            return calls.recorder.record(known, (box,), {}, result)
        return calls.box(result)
    result, tag = calls.perform(frame, call, [box])
    return calls.box(result, tag)


def _not(calls: Calls, frame: Frame, box: Box) -> Box:
    if type(box.value) in (bool, np.bool_) and isinstance(box.tag, Ref):
        result = not box.value
        return calls.recorder.record(_UNARY["not"][1], (box,), {}, result)
    return calls.box(not calls.recorder.truth(frame, box), CONSTANT)


def inplace(calls: Calls, frame: Frame, sign: str, left: Box, right: Box) -> Box:
    """``left sign= right``: arrays and lists change where they are, numbers do not."""
    call = functions.INPLACE_CALLS[sign]
    a, b = left.value, right.value
    recorder = calls.recorder
    if calls.is_tensor(b) and type(a) is _ARRAY:
        right = recorder.tensors.shared_array(b)
        b = right.value
    elif calls.is_tensor(a) or calls.is_tensor(b):
        return recorder.tensors.operation(frame, call, [left, right])  # type: ignore[no-any-return]
    if type(a) is _ARRAY and a.dtype.kind in "fiubc" and (calls.is_numeric(b) or type(b) in (list, tuple)):
        return _change_array(calls, call, sign, left, right)
    if calls.is_numeric(a) and type(a) is not _ARRAY:
        return operate(calls, frame, sign, left, right)
    if type(a) is list and sign == "+":
        items, tags = calls.items_of(right)
        before = list(recorder.ledger.shadow_of(a).tags)
        a += items
        recorder.current = frame
        recorder.ledger.shadow(a, [*before, *tags])
        return left
    if type(a) in DICTS and sign == "|" and isinstance(b, dict):
        return calls.method(frame, left, "update", [right], {}) and left
    repeated = list(recorder.ledger.shadow_of(a).tags) if type(a) is list and sign == "*" else None
    result, tag = calls.perform(frame, call, [left, right])
    if repeated is not None and result is a:
        recorder.guard(right, "a repetition count")
        recorder.ledger.shadow(a, repeated * max(0, int(b)))
    elif tag is None and type(result) is tuple:
        _join_lists(calls, sign, left, right, result)
    return calls.box(result, tag)


def _change_array(calls: Calls, call: Any, sign: str, left: Box, right: Box) -> Box:
    recorder = calls.recorder
    array = left.value
    inputs = [recorder.ledger.read(array)]
    other = recorder.template(right, inputs)
    recorder.ledger.before_write(array)
    result = call(array, right.value)
    name = functions.OPERATORS[sign]
    ref = recorder.step(name, "inplace." + name, tuple(inputs), (Slot(0), other), {}, value=result)
    if result is array:
        recorder.ledger.after_write(array, ref)
        return left
    return recorder.know(result, ref, (left, right))


def contains(calls: Calls, frame: Frame, left: Box, right: Box, sign: str) -> Box:
    """``left in right`` and ``left not in right``."""
    recorder = calls.recorder
    item, holder = left.value, right.value
    number = calls.is_numeric(item) and type(item) is not _ARRAY
    kind = type(holder)
    found: Any = None
    tag: Any = None
    if number and (kind in (list, tuple) or type(holder) is _ARRAY):
        found = item in holder
        inputs = recorder.ref(right) if type(holder) is not _ARRAY or calls.is_recordable(holder) else None
        if inputs is not None:
            tag = recorder.record(functions.BY_NAME["recording.contains"], (right, left), {}, found).tag
        else:
            recorder.guard(left, "a membership test")
            _guard_numbers(calls, right)
    elif kind in (dict, set, frozenset, str, range) or isinstance(holder, (dict, set)):
        recorder.opened_set(holder)
        recorder.guard(left, "a membership test")
        found = item in holder
    elif kind in (list, tuple):
        _guard_numbers(calls, left)
        _guard_numbers(calls, right)
        found = item in holder
        recorder.current = frame
    else:
        found, tag = calls.perform(frame, lambda h, i: i in h, [right, left])
    if sign == "not in":
        found = not found
        if isinstance(tag, Ref):
            return recorder.record(_UNARY["not"][1], (calls.box(not found, tag),), {}, found)
    return calls.box(found, tag if isinstance(tag, Ref) else CONSTANT)
