"""Calls of Python's types: a number of another kind, a list, a dictionary made of what was there."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.handlers import Handler, entering
from workings.recording.iteration import iterate
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.working import Ref

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

HANDLERS: dict[Any, Handler] = {}
handles = entering(HANDLERS)


@handles(float, int)
def _number(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) != 1 or kwargs:
        return NotImplemented
    box, recorder = args[0], calls.recorder
    value = box.value
    if calls.is_tensor(value):
        return recorder.tensors.number(function, box)
    if isinstance(value, (str, bytes)):
        recorder.opened_text(value)
        return calls.box(function(value), CONSTANT)
    if not calls.is_numeric(value):
        result, tag = calls.perform(frame, function, [box])
        return calls.box(result, tag)
    known = functions.BY_NAME[f"builtins.{function.__name__}"]
    try:
        result = function(value)
    except Exception as error:
        calls.raised(known, [box], {}, error)
        raise
    if box.tag is CONSTANT and type(value) in NUMBERS:
        return calls.box(result, CONSTANT)
    if type(value) is function:
        return calls.box(result, box.tag)
    return recorder.record(known, [box], {}, result)


@handles(bool)
def _bool(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) == 1 and type(args[0].value) in (bool, np.bool_) and isinstance(args[0].tag, Ref):
        return calls.recorder.record(functions.BY_NAME["builtins.bool"], args, {}, bool(args[0].value))
    return calls.box(calls.recorder.truth(frame, args[0]), CONSTANT) if args else calls.box(False, CONSTANT)


@handles(divmod)
def _divmod(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if not all(calls.is_numeric(a.value) for a in args):
        return NotImplemented
    boxes = [calls.operator(frame, "//", *args), calls.operator(frame, "%", *args)]
    result = tuple([b.value for b in boxes])
    calls.recorder.ledger.shadow(result, [b.tag for b in boxes])
    return calls.box(result)


@handles(list, tuple, set, frozenset)
def _sequence(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if not args:
        return calls.box(function())
    if function is tuple and type(args[0].value) is tuple:
        return args[0]
    values, tags = calls.items_of(args[0])
    calls.recorder.current = frame
    out = function(values)
    if function in (set, frozenset):
        return calls.recorder.made_set(out, [calls.box(v, t) for v, t in zip(values, tags, strict=True)])
    if values:
        calls.recorder.ledger.shadow(out, tags)
    return calls.box(out)


@handles(dict)
def _dict(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    out, tags = as_dict(calls, args, kwargs)
    calls.recorder.current = frame
    calls.recorder.ledger.shadow(out, tags)
    return calls.box(out)


@handles(collections.OrderedDict, collections.defaultdict)
def _other_dict(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    first = 1 if function is collections.defaultdict else 0
    made, tags = as_dict(calls, args[first:], kwargs)
    calls.recorder.current = frame
    out = function(*[a.value for a in args[:first]], made)
    calls.recorder.ledger.shadow(out, tags)
    return calls.box(out)


@handles(dict.fromkeys)
def _from_keys(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    values, tags = calls.items_of(args[0])
    for value, tag in zip(values, tags, strict=True):
        calls.recorder.guard(calls.box(value, tag), "a key")
    same = args[1] if len(args) > 1 else calls.box(None)
    out = dict.fromkeys(values, same.value)
    calls.recorder.ledger.shadow(out, dict.fromkeys(out, same.tag))
    return calls.box(out)


@handles(collections.deque)
def _deque(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    values, tags = calls.items_of(args[0]) if args else ([], [])
    calls.recorder.current = frame
    out = collections.deque(values, *[a.value for a in args[1:]], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.ledger.shadow(out, list(tags[len(tags) - len(out) :]))
    return calls.box(out)


@handles(dataclasses.replace)
def _replace(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    """A changed copy of a dataclass: what was not changed keeps its origin."""
    old = args[0]
    fields = [f.name for f in dataclasses.fields(old.value) if f.init]
    values = {name: kwargs[name] if name in kwargs else calls.attribute(frame, old, name) for name in fields}
    return calls.call(frame, type(old.value), [], values)


def as_dict(calls: Calls, args: list[Box], kwargs: dict[str, Box]) -> tuple[dict[Any, Any], dict[Any, Tag]]:
    """The arguments of ``dict()`` and ``update()`` as one dictionary, with its origins."""
    out: dict[Any, Any] = {}
    tags: dict[Any, Tag] = {}
    ledger = calls.recorder.ledger
    if args and isinstance(args[0].value, dict):
        out.update(args[0].value)
        tags.update({k: ledger.entry(args[0].value, k, v) for k, v in out.items()})
    elif args:
        for pair, _ in iterate(calls, args[0]):
            (key, value), pair_tags = calls.items_of(calls.box(pair))
            calls.recorder.guard(calls.box(key, pair_tags[0]), "a key")
            out[key], tags[key] = value, pair_tags[1]
    for name, box in kwargs.items():
        out[name], tags[name] = box.value, box.tag
    return out, tags
