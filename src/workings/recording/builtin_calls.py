"""Python's own functions, followed number by number: sums, orders, sizes, texts, copies."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers, places
from workings.recording.handlers import Handler, entering
from workings.recording.iteration import iterate
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

HANDLERS: dict[Any, Handler] = {}
handles = entering(HANDLERS)


# -- from many numbers to one -----------------------------------------------------------------------------------------


@handles(sum)
def _sum(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    recorder = calls.recorder
    if type(args[0].value) is np.ndarray and args[0].value.ndim == 0:
        return NotImplemented
    values, tags = calls.items_of(args[0])
    recorder.current = frame
    start = args[1] if len(args) > 1 else kwargs.get("start", calls.box(0, CONSTANT))
    if not values:
        return start
    parts = [calls.box(v, t) for v, t in zip(values, tags, strict=True)]
    plain = start.tag is CONSTANT and type(start.value) is int and start.value == 0
    if not all(calls.is_numeric(v) for v in values) or not calls.is_numeric(start.value):
        return _added(calls, frame, parts, start)
    result = sum(values, start.value)
    if calls.is_tensor(result) or not calls.is_recordable(result):
        return calls.box(result)
    if all(type(v) in NUMBERS for v in values):
        whole = args[0] if type(args[0].value) in (list, tuple) else calls.box(values)
        if whole is not args[0]:
            recorder.ledger.shadow(values, tags)
        if containers.shape_of(whole.value) is not None:
            return recorder.record(functions.BY_NAME["builtins.sum"], (whole,) if plain else (whole, start), {}, result)
    return recorder.record(functions.BY_NAME["recording.total"], parts if plain else [start, *parts], {}, result)


def _added(calls: Calls, frame: Frame, parts: list[Box], start: Box) -> Box:
    """Lists, and objects that know how to be added: one after another, as Python does."""
    if isinstance(start.value, str):
        sum([p.value for p in parts], start.value)  # Python raises, with its own words
    total = start
    for part in parts:
        total = calls.operator(frame, "+", total, part)
    return total


@handles(max, min)
def _extreme(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    recorder = calls.recorder
    if len(args) == 1:
        values, tags = calls.items_of(args[0])
    else:
        values, tags = [a.value for a in args], [a.tag for a in args]
    recorder.current = frame
    if not values:
        return kwargs["default"] if "default" in kwargs else calls.box(function(values))
    key = kwargs.get("key")
    boxes = [calls.box(v, t) for v, t in zip(values, tags, strict=True)]
    if (key is None or key.value is None) and all(type(v) in NUMBERS or isinstance(v, np.generic) for v in values):
        if len(values) == 1:
            return boxes[0]
        result = function(values)
        return recorder.record(functions.BY_NAME[f"builtins.{function.__name__}"], boxes, {}, result)
    keys = _keys(calls, frame, key, values, tags)
    place = function(range(len(values)), key=lambda i: keys[i].value)
    recorder.current = frame
    _guard_order(calls, keys, "recording.argmax" if function is max else "recording.argmin", place)
    return boxes[place]


def _keys(calls: Calls, frame: Frame, key: Box | None, values: list[Any], tags: list[Tag]) -> list[Box]:
    boxes = [calls.box(v, t) for v, t in zip(values, tags, strict=True)]
    if key is None or key.value is None:
        return boxes
    return [calls.call(frame, key.value, [box], {}) for box in boxes]


def _guard_order(calls: Calls, keys: list[Box], function: str, outcome: Any, **options: Any) -> None:
    """An order that depends on numbers: on replay it must come out the same."""
    recorder = calls.recorder
    numbers = all(
        calls.is_tensor(k.value) or (calls.is_recordable(k.value) and type(k.value) is not np.ndarray) for k in keys
    )
    if not numbers:
        for key in keys:
            inner = (
                zip(*calls.items_of(key), strict=True) if type(key.value) in (tuple, list) else [(key.value, key.tag)]
            )
            for value, tag in inner:
                recorder.guard(calls.box(value, tag), "a sort key")
        return
    refs = [recorder.ref(k) if k.tag is not CONSTANT else None for k in keys]
    if not any(r is not None and r.step not in recorder.fixed for r in refs):
        return
    named = {name: calls.box(value, CONSTANT) for name, value in options.items()}
    order = recorder.record(functions.BY_NAME[function], keys, named, outcome)
    recorder.guard(calls.box(outcome, order.tag), "an order")


@handles(sorted)
def _sorted(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    values, tags = calls.items_of(args[0])
    calls.recorder.current = frame
    out, out_tags = sort(calls, frame, values, tags, kwargs)
    calls.recorder.ledger.shadow(out, out_tags)
    return calls.box(out)


def sort(
    calls: Calls, frame: Frame, values: list[Any], tags: list[Tag], kwargs: dict[str, Box]
) -> tuple[list[Any], list[Tag]]:
    """Items in order, with their origins; the order itself is guarded."""
    keys = _keys(calls, frame, kwargs.get("key"), values, tags)
    reverse = bool(kwargs["reverse"].value) if "reverse" in kwargs else False
    order = tuple(sorted(range(len(values)), key=lambda i: keys[i].value, reverse=reverse))
    calls.recorder.current = frame
    if len(values) > 1:
        _guard_order(calls, keys, "recording.argsort", order, reverse=reverse)
    return [values[i] for i in order], [tags[i] for i in order]


@handles(any, all)
def _any_all(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    wanted = function is any
    for value, tag in iterate(calls, args[0]):
        if calls.recorder.truth(frame, calls.box(value, tag)) is wanted:
            calls.recorder.current = frame
            return calls.box(wanted, CONSTANT)
    calls.recorder.current = frame
    return calls.box(not wanted, CONSTANT)


@handles(functools.reduce)
def _reduce(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    items = (calls.box(v, t) for v, t in iterate(calls, args[1]))
    total = args[2] if len(args) > 2 else next(items, None)
    if total is None:
        raise TypeError("reduce() of empty iterable with no initial value")
    for item in items:
        total = calls.call(frame, args[0].value, [total, item], {})
    calls.recorder.current = frame
    return total


# -- sizes and ranges --------------------------------------------------------------------------------------------------


@handles(len)
def _len(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    value = args[0].value
    if type(value) is np.ndarray and value.dtype.kind in "fiubc":
        return places.length(calls, value)
    if type(value) is str:
        known = calls.recorder.text_length(value)
        if known is None:
            calls.recorder.opened_text(value)
        return known or calls.box(len(value), CONSTANT)
    result, tag = calls.perform(frame, len, args)
    return calls.box(result, CONSTANT if tag is None else tag)


@handles(range)
def _range(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.recorder.guard(box, "the bound of a range")
    return calls.box(range(*[a.value for a in args]))


@handles(slice)
def _slice(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.recorder.guard(box, "a slice bound")
    return calls.box(slice(*[a.value for a in args]))


# -- looking at objects -----------------------------------------------------------------------------------------------


@handles(getattr)
def _getattr(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    try:
        return calls.attribute(frame, args[0], args[1].value)
    except AttributeError:
        calls.recorder.current = frame
        if len(args) > 2:
            return args[2]
        raise


@handles(setattr)
def _setattr(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    calls.set_attribute(frame, args[0], args[1].value, args[2])
    return calls.box(None)


@handles(isinstance, issubclass, callable, hasattr, id, type)
def _no_numbers(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if function is type and len(args) != 1:
        return NotImplemented
    result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.current = frame
    return calls.box(result, CONSTANT)


@handles(str, repr, format, ascii, print)
def _text(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.adopt(type(box.value))
    result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.current = frame
    calls.recorder.made_text(
        result, args, ((-1, ""),) if function is str else ((114, ""),) if function is repr else None
    )
    return calls.box(result)


@handles(hash)
def _hash(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    calls.recorder.guard(args[0], "a hash")
    result, tag = calls.perform(frame, hash, args)
    return calls.box(result, CONSTANT if tag is None else tag)


# -- copies -----------------------------------------------------------------------------------------------------------


@handles(copy.copy, copy.deepcopy)
def _copy(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    """Copies are made by ``copy`` itself; then the two are walked side by side and their numbers matched."""
    original = args[0].value
    if calls.is_tensor(original):
        return NotImplemented
    result, tag = calls.perform(frame, function, args)
    if type(original) in NUMBERS or isinstance(original, np.generic):
        return calls.box(result, args[0].tag)
    _match_copy(calls, original, result, set())
    return calls.box(result, tag)


def _match_copy(calls: Calls, old: Any, new: Any, done: set[int]) -> None:
    if old is new or id(old) in done:
        return
    done.add(id(old))
    recorder, ledger = calls.recorder, calls.recorder.ledger
    if type(old) is np.ndarray:
        if calls.is_recordable(old) and not ledger.knows(new):
            recorder.record(functions.BY_NAME["ndarray.copy"], [calls.box(old)], {}, new)
    elif isinstance(old, np.generic) and calls.is_recordable(old):
        known = ledger.scalar_ref(old)
        if known is not None:
            ledger.scalar(new, known)
    elif isinstance(old, dict) and isinstance(new, dict):
        ledger.shadow(new, {k: ledger.entry(old, k, v) for k, v in old.items() if k in new})
        for key in old:
            if key in new:
                _match_copy(calls, old[key], new[key], done)
    elif isinstance(old, (list, tuple)) and len(old) == len(new):
        ledger.shadow(new, list(ledger.shadow_of(old).tags))
        for first, second in zip(old, new, strict=True):
            _match_copy(calls, first, second, done)
    elif hasattr(old, "__dict__") and type(old) is type(new) and not isinstance(old, type):
        ledger.born(new)
        for name, value in vars(old).items():
            same = vars(new).get(name)
            tag = ledger.attribute(old, name, value)
            if tag is None and type(value) in NUMBERS and type(value) is not bool and not ledger.is_born(old):
                tag = calls.attribute(recorder.current, calls.box(old), name).tag
            if tag is not None:
                ledger.set_attribute(new, name, same, tag)
            _match_copy(calls, value, same, done)
