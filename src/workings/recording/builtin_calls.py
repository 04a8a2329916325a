"""Python's own functions, followed number by number."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers, places, source
from workings.recording.iteration import Handler, iterate
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.working import Ref

if TYPE_CHECKING:
    from collections.abc import Callable

    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

HANDLERS: dict[Any, Handler] = {}
CACHED = type(functools.lru_cache(lambda: None))


def _handles(*targets: Any) -> Callable[[Handler], Handler]:
    def mark(handler: Handler) -> Handler:
        for target in targets:
            HANDLERS[target] = handler
        return handler

    return mark


# -- from many numbers to one -----------------------------------------------------------------------------------------


@_handles(sum)
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


@_handles(max, min)
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


@_handles(sorted)
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


@_handles(any, all)
def _any_all(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    wanted = function is any
    for value, tag in iterate(calls, args[0]):
        if calls.recorder.truth(frame, calls.box(value, tag)) is wanted:
            calls.recorder.current = frame
            return calls.box(wanted, CONSTANT)
    calls.recorder.current = frame
    return calls.box(not wanted, CONSTANT)


@_handles(functools.reduce)
def _reduce(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    items = (calls.box(v, t) for v, t in iterate(calls, args[1]))
    total = args[2] if len(args) > 2 else next(items, None)
    if total is None:
        raise TypeError("reduce() of empty iterable with no initial value")
    for item in items:
        total = calls.call(frame, args[0].value, [total, item], {})
    calls.recorder.current = frame
    return total


# -- conversions ------------------------------------------------------------------------------------------------------


@_handles(float, int)
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


@_handles(bool)
def _bool(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) == 1 and type(args[0].value) in (bool, np.bool_) and isinstance(args[0].tag, Ref):
        return calls.recorder.record(functions.BY_NAME["builtins.bool"], args, {}, bool(args[0].value))
    return calls.box(calls.recorder.truth(frame, args[0]), CONSTANT) if args else calls.box(False, CONSTANT)


@_handles(divmod)
def _divmod(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if not all(calls.is_numeric(a.value) for a in args):
        return NotImplemented
    boxes = [calls.operator(frame, "//", *args), calls.operator(frame, "%", *args)]
    result = tuple([b.value for b in boxes])
    calls.recorder.ledger.shadow(result, [b.tag for b in boxes])
    return calls.box(result)


@_handles(list, tuple, set, frozenset)
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


@_handles(dict)
def _dict(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    out, tags = as_dict(calls, args, kwargs)
    calls.recorder.current = frame
    calls.recorder.ledger.shadow(out, tags)
    return calls.box(out)


@_handles(collections.OrderedDict, collections.defaultdict)
def _other_dict(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    first = 1 if function is collections.defaultdict else 0
    made, tags = as_dict(calls, args[first:], kwargs)
    calls.recorder.current = frame
    out = function(*[a.value for a in args[:first]], made)
    calls.recorder.ledger.shadow(out, tags)
    return calls.box(out)


@_handles(dict.fromkeys)
def _from_keys(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    values, tags = calls.items_of(args[0])
    for value, tag in zip(values, tags, strict=True):
        calls.recorder.guard(calls.box(value, tag), "a key")
    same = args[1] if len(args) > 1 else calls.box(None)
    out = dict.fromkeys(values, same.value)
    calls.recorder.ledger.shadow(out, dict.fromkeys(out, same.tag))
    return calls.box(out)


@_handles(collections.deque)
def _deque(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    values, tags = calls.items_of(args[0]) if args else ([], [])
    calls.recorder.current = frame
    out = collections.deque(values, *[a.value for a in args[1:]], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.ledger.shadow(out, list(tags[len(tags) - len(out) :]))
    return calls.box(out)


@_handles(dataclasses.replace)
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


@_handles(len)
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


@_handles(range)
def _range(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.recorder.guard(box, "the bound of a range")
    return calls.box(range(*[a.value for a in args]))


@_handles(slice)
def _slice(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.recorder.guard(box, "a slice bound")
    return calls.box(slice(*[a.value for a in args]))


# -- looking at objects -----------------------------------------------------------------------------------------------


@_handles(getattr)
def _getattr(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    try:
        return calls.attribute(frame, args[0], args[1].value)
    except AttributeError:
        calls.recorder.current = frame
        if len(args) > 2:
            return args[2]
        raise


@_handles(setattr)
def _setattr(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    calls.set_attribute(frame, args[0], args[1].value, args[2])
    return calls.box(None)


@_handles(isinstance, issubclass, callable, hasattr, id, type)
def _no_numbers(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if function is type and len(args) != 1:
        return NotImplemented
    result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.current = frame
    return calls.box(result, CONSTANT)


@_handles(str, repr, format, ascii, print)
def _text(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.adopt(type(box.value))
    result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.current = frame
    calls.recorder.made_text(
        result, args, ((-1, ""),) if function is str else ((114, ""),) if function is repr else None
    )
    return calls.box(result)


@_handles(hash)
def _hash(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    calls.recorder.guard(args[0], "a hash")
    result, tag = calls.perform(frame, hash, args)
    return calls.box(result, CONSTANT if tag is None else tag)


# -- copies -----------------------------------------------------------------------------------------------------------


@_handles(copy.copy, copy.deepcopy)
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


# -- functions that remember their results ----------------------------------------------------------------------------


class Caches:
    """``functools.lru_cache``: the results it remembers keep their origins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._origins: dict[tuple[int, Any], tuple[Any, Tag]] = {}
        self._stand_ins: dict[int, tuple[Any, Any]] = {}

    def stand_in(self, cached: Any) -> Any:
        """A cache of the followed function, where the cache is still empty and its function is not followed yet."""
        known = self._stand_ins.get(id(cached))
        if known is not None:
            return known[1]
        inner = cached.__wrapped__
        made = cached
        info = cached.cache_info()
        if (
            type(inner) is types.FunctionType
            and not source.is_rewritten(inner.__code__)
            and not (info.hits or info.misses)
        ):
            followed = source.rewritten(inner, self._calls.recorder)
            if followed is not None:
                made = functools.update_wrapper(functools.lru_cache(**cached.cache_parameters())(followed), cached)
        self._stand_ins[id(cached)] = (cached, made)
        return made

    def call(self, frame: Frame, cached: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        calls = self._calls
        made = self.stand_in(cached)
        for box in (*args, *kwargs.values()):
            inner = box.value if type(box.value) is tuple else None
            for part in map(calls.box, *calls.items_of(box)) if inner else [box]:
                calls.recorder.guard(part, "the key of a cache")
        before = made.cache_info().misses
        out = calls.user_call(frame, made, args, kwargs)
        typed = made.cache_parameters()["typed"]
        key = (
            id(made),
            functools._make_key(tuple(a.value for a in args), {k: v.value for k, v in kwargs.items()}, typed),
        )
        if made.cache_info().misses > before:
            self._origins[key] = (out.value, out.tag)
            return out
        kept = self._origins.get(key)
        return calls.box(out.value, kept[1] if kept is not None and kept[0] is out.value else None)
