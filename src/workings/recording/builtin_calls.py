"""Python's own functions, containers and iterators, followed number by number."""

from __future__ import annotations

import builtins
import collections
import copy
import functools
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

Handler = Callable[..., Any]
HANDLERS: dict[Any, Handler] = {}
METHODS: dict[tuple[type, str], Handler] = {}
SEQUENCES = (list, tuple, collections.deque)


def _handles(*targets: Any) -> Callable[[Handler], Handler]:
    def mark(handler: Handler) -> Handler:
        for target in targets:
            HANDLERS[target] = handler
        return handler

    return mark


# -- iteration ------------------------------------------------------------------------------------------------------


def iterate(calls: Calls, box: Box) -> Iterator[tuple[Any, Tag]]:
    """Every item of an iterable with its origin, in the iterable's own order and at its own pace."""
    value = box.value
    recorder = calls.recorder
    ledger = recorder.ledger
    if isinstance(value, SEQUENCES):
        for position, item in enumerate(value):
            tag = ledger.place(value, position)  # type: ignore[arg-type]
            yield item, tag
    elif isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fiubc":
        for position, item in enumerate(value):
            whole = ledger.read(value)
            part = Ref(whole.step, (*whole.index, position))
            if isinstance(item, np.ndarray):
                ledger.view(item, value, part, (position,))
                yield item, None
            else:
                ledger.scalar(item, part)
                yield item, part
    elif isinstance(value, (range, str, bytes, dict, set, frozenset)) or type(value) is type({}.keys()):
        for item in value:
            yield item, CONSTANT
    else:
        yield from _follow(calls, value)


def _follow(calls: Calls, value: Any) -> Iterator[tuple[Any, Tag]]:
    """A lazy iterator: a tap of ours, a generator, or an object with a ``__next__`` of its own."""
    from workings.recording.calls import Tap

    recorder = calls.recorder
    iterator = iter(value)
    while True:
        recorder.yielded_last = recorder.returned = None
        waiting = calls.generators.pop(id(iterator), None)
        if waiting is not None:
            recorder.pending = waiting[1]  # a generator binds its parameters when it is first asked
        try:
            item = next(iterator)
        except StopIteration:
            return
        if isinstance(iterator, Tap):
            yield item, iterator.last
            continue
        tag: Tag = None
        for seen in (recorder.yielded_last, recorder.returned):
            if seen is not None and seen[0] is item:
                tag = seen[1]
        yield item, tag


def _tap(calls: Calls, items: Iterator[tuple[Any, Tag]]) -> Any:
    from workings.recording.calls import Tap

    return calls.box(Tap(items))


@_handles(zip)
def _zip(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    from workings.recording.calls import Tap

    taps = [Tap(iterate(calls, a)) for a in args]
    strict = bool(kwargs["strict"].value) if "strict" in kwargs else False

    def items() -> Iterator[tuple[Any, Tag]]:
        for row in zip(*taps, strict=strict):
            calls.recorder.ledger.shadow(row, [t.last for t in taps])
            yield row, None

    return _tap(calls, items())


@_handles(enumerate)
def _enumerate(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    start = args[1].value if len(args) > 1 else kwargs["start"].value if "start" in kwargs else 0

    def items() -> Iterator[tuple[Any, Tag]]:
        for position, (value, tag) in enumerate(iterate(calls, args[0]), start):
            pair = (position, value)
            calls.recorder.ledger.shadow(pair, [CONSTANT, tag])
            yield pair, None

    return _tap(calls, items())


@_handles(map)
def _map(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    from workings.recording.calls import Tap

    taps = [Tap(iterate(calls, a)) for a in args[1:]]

    def items() -> Iterator[tuple[Any, Tag]]:
        for row in zip(*taps, strict=False):
            boxes = [calls.box(v, t.last) for v, t in zip(row, taps, strict=True)]
            out = calls.call(frame, args[0].value, boxes, {})
            yield out.value, out.tag

    return _tap(calls, items())


@_handles(filter)
def _filter(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    def items() -> Iterator[tuple[Any, Tag]]:
        for value, tag in iterate(calls, args[1]):
            box = calls.box(value, tag)
            kept = box if args[0].value is None else calls.call(frame, args[0].value, [box], {})
            if calls.recorder.truth(frame, kept):
                yield value, tag

    return _tap(calls, items())


@_handles(reversed)
def _reversed(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if not isinstance(args[0].value, (list, tuple, np.ndarray, range)):
        return NotImplemented
    values, tags = calls.items_of(args[0])
    return _tap(calls, iter(list(zip(values, tags, strict=True))[::-1]))


@_handles(iter)
def _iter(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) != 1 or not isinstance(args[0].value, (list, tuple, np.ndarray, range, dict)):
        return NotImplemented
    return _tap(calls, iterate(calls, args[0]))


@_handles(next)
def _next(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    source = _follow(calls, args[0].value)
    try:
        value, tag = next(source)
    except StopIteration:
        if len(args) > 1:
            return args[1]
        raise
    finally:
        calls.recorder.current = frame
    return calls.box(value, tag)


# -- from many numbers to one -----------------------------------------------------------------------------------------


def _tracked_list(calls: Calls, box: Box) -> Box:
    """A lazy iterable as a list that remembers its origins."""
    if type(box.value) in (list, tuple):
        return box
    values, tags = calls.drain(box)
    if values:
        calls.recorder.ledger.shadow(values, tags)
    return calls.box(values)


@_handles(sum)
def _sum(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    recorder = calls.recorder
    if isinstance(args[0].value, np.ndarray) and args[0].value.ndim == 0:
        return NotImplemented
    items = _tracked_list(calls, args[0])
    recorder.current = frame
    start = args[1] if len(args) > 1 else kwargs.get("start", calls.box(0, CONSTANT))
    result = sum(items.value, start.value)
    if not items.value:
        return start
    if containers.shape_of(items.value) is not None and len(containers.shape_of(items.value) or ()) == 1:
        if calls._recordable(result):
            boxes = (items,) if start.tag is CONSTANT and start.value == 0 else (items, start)
            return recorder.record(functions.BY_NAME["builtins.sum"], boxes, {}, result)
    elif calls._recordable(result) and not calls._is_tensor(result):
        shadow = recorder.ledger.shadow_of(items.value)
        parts = [calls.box(v, t) for v, t in zip(items.value, shadow.tags, strict=True)]
        if not (start.tag is CONSTANT and start.value == 0):
            parts.insert(0, start)
        return recorder.record(functions.BY_NAME["recording.total"], parts, {}, result)
    return calls.box(result)


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
    if (key is None or key.value is None) and all(type(v) in NUMBERS or isinstance(v, np.generic) for v in values):
        result = function(values)
        boxes = [calls.box(v, t) for v, t in zip(values, tags, strict=True)]
        return recorder.record(functions.BY_NAME[f"builtins.{function.__name__}"], boxes, {}, result)
    keys = _keys(calls, frame, key, values, tags)
    place = function(range(len(values)), key=lambda i: keys[i].value)
    _guard_order(calls, keys, "recording.argmax" if function is max else "recording.argmin", place)
    return calls.box(values[place], tags[place])


def _keys(calls: Calls, frame: Frame, key: Box | None, values: list[Any], tags: list[Tag]) -> list[Box]:
    boxes = [calls.box(v, t) for v, t in zip(values, tags, strict=True)]
    if key is None or key.value is None:
        return boxes
    return [calls.call(frame, key.value, [box], {}) for box in boxes]


def _guard_order(calls: Calls, keys: list[Box], function: str, outcome: Any, **options: Any) -> None:
    """An order that depends on numbers: on replay it must come out the same."""
    recorder = calls.recorder
    flat = []
    for key in keys:
        if type(key.value) in (tuple, list):
            flat += [calls.box(v, t) for v, t in zip(*calls.items_of(key), strict=True)]
    if flat:
        for box in flat:
            recorder.guard(box, "a sort key")
        return
    refs = [recorder.ref(k) if calls._recordable(k.value) and type(k.value) is not bool else None for k in keys]
    if not any(r is not None and r.step not in recorder.fixed for r in refs):
        return
    boxes = [calls.box(k.value, r) if r is not None else k for k, r in zip(keys, refs, strict=True)]
    named = {name: calls.box(value, CONSTANT) for name, value in options.items()}
    order = recorder.record(functions.BY_NAME[function], boxes, named, outcome)
    recorder.guard(calls.box(outcome, order.tag), "an order")


@_handles(sorted)
def _sorted(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    values, tags = calls.items_of(args[0])
    calls.recorder.current = frame
    out, out_tags = _sort(calls, frame, values, tags, kwargs)
    calls.recorder.ledger.shadow(out, out_tags)
    return calls.box(out)


def _sort(
    calls: Calls, frame: Frame, values: list[Any], tags: list[Tag], kwargs: dict[str, Box]
) -> tuple[list[Any], list[Tag]]:
    keys = _keys(calls, frame, kwargs.get("key"), values, tags)
    reverse = bool(kwargs["reverse"].value) if "reverse" in kwargs else False
    order = tuple(sorted(range(len(values)), key=lambda i: keys[i].value, reverse=reverse))
    _guard_order(calls, keys, "recording.argsort", order, reverse=reverse)
    return [values[i] for i in order], [tags[i] for i in order]


@_handles(any, all)
def _any_all(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    wanted = function is any
    for value, tag in iterate(calls, args[0]):
        if calls.recorder.truth(frame, calls.box(value, tag)) is wanted:
            return calls.box(wanted, CONSTANT)
    calls.recorder.current = frame
    return calls.box(not wanted, CONSTANT)


@_handles(functools.reduce)
def _reduce(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    items = [calls.box(v, t) for v, t in iterate(calls, args[1])]
    if len(args) > 2:
        items.insert(0, args[2])
    if not items:
        return NotImplemented
    total = items[0]
    for item in items[1:]:
        total = calls.call(frame, args[0].value, [total, item], {})
    return total


# -- conversions ------------------------------------------------------------------------------------------------------


@_handles(float, int)
def _number(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) != 1:
        return NotImplemented
    box, recorder = args[0], calls.recorder
    value = box.value
    if calls._is_tensor(value):
        return recorder.tensors.number(function, box)
    result = function(value)
    if isinstance(value, str):
        return calls.box(result, CONSTANT)
    ref = recorder.ref(box)
    if ref is None:
        recorder.pending = (args, {})
        return calls.box(result, CONSTANT if box.tag is CONSTANT else calls._take_returned(result))
    whole = recorder.working.steps[ref.step]
    part = Ref(ref.step, ref.index + (0,) * (len(whole.shape) - len(ref.index)))
    kind = getattr(value, "dtype", None)
    same = isinstance(value, (float, np.floating)) if function is float else isinstance(value, (int, np.integer)) and type(value) is not bool
    if kind is not None and kind.kind == ("f" if function is float else "i"):
        same = True
    if same:
        return calls.box(result, part if box.tag is not CONSTANT else CONSTANT)
    return recorder.record(functions.BY_NAME[f"builtins.{function.__name__}"], (calls.box(value, part),), {}, result)


@_handles(bool)
def _bool(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    return calls.box(calls.recorder.truth(frame, args[0]), CONSTANT) if args else NotImplemented


@_handles(list, tuple)
def _sequence(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if not args:
        return calls.box(function())
    values, tags = calls.items_of(args[0])
    calls.recorder.current = frame
    if function is tuple and type(args[0].value) is tuple:
        return args[0]
    out = function(values)
    if values:
        calls.recorder.ledger.shadow(out, tags)
    return calls.box(out)


@_handles(dict)
def _dict(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    out: dict[Any, Any] = {}
    tags: dict[Any, Tag] = {}
    ledger = calls.recorder.ledger
    if args and isinstance(args[0].value, dict):
        out.update(args[0].value)
        tags.update(ledger.shadow_of(args[0].value).tags)
    elif args:
        for pair, _ in iterate(calls, args[0]):
            (key, value), pair_tags = calls.items_of(calls.box(pair))
            out[key], tags[key] = value, pair_tags[1]
    for key, box in kwargs.items():
        out[key], tags[key] = box.value, box.tag
    calls.recorder.current = frame
    ledger.shadow(out, tags)
    return calls.box(out)


@_handles(len)
def _len(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    value = args[0].value
    result = len(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiubc":
        return calls.box(result, calls._size_step(calls.recorder.ledger.read(value), value.shape, 0, result))
    return calls.box(result, CONSTANT)


@_handles(range)
def _range(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    for box in args:
        calls.recorder.guard(box, "the bound of a range")
    return calls.box(range(*[a.value for a in args]))


@_handles(getattr)
def _getattr(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) == 2 or hasattr(args[0].value, args[1].value):
        return calls.attribute(frame, args[0], args[1].value)
    return args[2]


@_handles(setattr)
def _setattr(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    calls.recorder.set_attribute(frame, args[0], args[1].value, args[2])
    return calls.box(None)


@_handles(isinstance, issubclass, callable, hasattr, id, hash, type, str, repr, print, format)
def _no_numbers(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    calls.recorder.current = frame
    return calls.box(result, CONSTANT)


@_handles(copy.copy, copy.deepcopy)
def _copy(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    value = args[0].value
    if isinstance(value, np.ndarray):
        return calls.call(frame, np.copy, args, {})
    if type(value) not in (list, tuple, dict):
        return NotImplemented
    return calls.box(_copied(calls, frame, args[0], function is copy.deepcopy))


def _copied(calls: Calls, frame: Frame, box: Box, deep: bool) -> Any:
    value, ledger = box.value, calls.recorder.ledger
    if isinstance(value, np.ndarray):
        return calls.call(frame, np.copy, [box], {}).value if deep else value
    if type(value) not in (list, tuple, dict):
        return copy.deepcopy(value) if deep else value
    tags = ledger.shadow_of(value).tags
    if type(value) is dict:
        out: Any = {k: _copied(calls, frame, calls.box(v, tags.get(k)), deep) if deep else v for k, v in value.items()}
        ledger.shadow(out, dict(tags))
        return out
    out = type(value)(_copied(calls, frame, calls.box(v, t), deep) if deep else v for v, t in zip(value, tags, strict=True))
    ledger.shadow(out, list(tags))
    return out


# -- methods of containers ------------------------------------------------------------------------------------------


def _method(*names: str, of: tuple[type, ...] = (list,)) -> Callable[[Handler], Handler]:
    def mark(handler: Handler) -> Handler:
        for kind in of:
            for name in names:
                METHODS[kind, name] = functools.partial(handler, name)
        return handler

    return mark


@_method("append", "appendleft", "insert", "extend", of=(list, collections.deque))
def _grow(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder, ledger = box.value, calls.recorder.ledger
    shadow = ledger._shadows.get(id(holder))
    if name == "append" and shadow is not None and len(shadow.items) == len(holder) and not getattr(holder, "maxlen", None):
        holder.append(args[0].value)
        shadow.items.append(args[0].value)
        shadow.tags.append(args[0].tag)
        return calls.box(None)
    if name == "append" and not getattr(holder, "maxlen", None) and not holder:
        holder.append(args[0].value)
        ledger.shadow(holder, [args[0].tag])
        return calls.box(None)
    tags = list(ledger.shadow_of(holder).tags)
    if name == "extend":
        values, new = calls.items_of(args[0])
        calls.recorder.current = frame
        holder.extend(values)
        tags += new
    elif name == "insert":
        holder.insert(args[0].value, args[1].value)
        tags.insert(args[0].value, args[1].tag)
    elif name == "append":
        holder.append(args[0].value)
        tags.append(args[0].tag)
    else:
        holder.appendleft(args[0].value)
        tags.insert(0, args[0].tag)
    ledger.shadow(holder, tags[-len(holder) :] if name != "appendleft" else tags[: len(holder)])
    return calls.box(None)


@_method("pop", "popleft", "remove", "clear", "reverse", "sort", "copy", of=(list, collections.deque))
def _rearrange(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder, ledger = box.value, calls.recorder.ledger
    tags = list(ledger.shadow_of(holder).tags)
    if name == "copy":
        out = holder.copy()
        ledger.shadow(out, tags)
        return calls.box(out)
    if name == "sort":
        values, tags = _sort(calls, frame, list(holder), tags, kwargs)
        holder[:] = values
        ledger.shadow(holder, tags)
        return calls.box(None)
    if name == "remove":
        calls.recorder.guard(args[0], "a removal")
        del tags[holder.index(args[0].value)]
    for arg in args:
        calls.recorder.guard(arg, "a list index")
    result = getattr(holder, name)(*[a.value for a in args])
    tag: Tag = None
    if name in ("pop", "popleft"):
        tag = tags.pop(0 if name == "popleft" else (args[0].value if args else -1))
    elif name == "clear":
        tags = []
    elif name == "reverse":
        tags.reverse()
    ledger.shadow(holder, tags)
    return calls.box(result, tag)


@_method("index", "count", of=(list, tuple))
def _locate(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    result = getattr(box.value, name)(*[a.value for a in args])
    for value, tag in zip(box.value, calls.recorder.ledger.shadow_of(box.value).tags, strict=True):
        calls.recorder.guard(calls.box(value, tag), "a search")
    calls.recorder.guard(args[0], "a search")
    return calls.box(result, CONSTANT)


@_method("items", "values", "keys", of=(dict, collections.OrderedDict, collections.defaultdict))
def _dict_view(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder = box.value
    if name == "keys":
        return calls.box(holder.keys())

    def items() -> Iterator[tuple[Any, Tag]]:
        for key, value in holder.items():
            tag = calls.recorder.ledger.shadow_of(holder).tags.get(key)
            if name == "values":
                yield value, tag
            else:
                pair = (key, value)
                calls.recorder.ledger.shadow(pair, [CONSTANT, tag])
                yield pair, None

    return _tap(calls, items())  # type: ignore[no-any-return]


@_method("get", "pop", "setdefault", of=(dict, collections.OrderedDict, collections.defaultdict))
def _dict_get(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder, ledger = box.value, calls.recorder.ledger
    key = args[0].value
    calls.recorder.guard(args[0], "a key")
    tags = dict(ledger.shadow_of(holder).tags)
    if key in holder:
        out = calls.box(holder[key], tags.get(key))
        if name == "pop":
            del holder[key], tags[key]
    elif len(args) > 1:
        out = args[1]
        if name == "setdefault":
            holder[key], tags[key] = out.value, out.tag
    elif name == "pop":
        raise KeyError(key)
    else:
        out = calls.box(None)
        if name == "setdefault":
            holder[key], tags[key] = None, None
    ledger.shadow(holder, tags)
    return out


@_method("update", of=(dict, collections.OrderedDict, collections.defaultdict))
def _dict_update(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder, ledger = box.value, calls.recorder.ledger
    tags = dict(ledger.shadow_of(holder).tags)
    new = _dict(calls, frame, dict, args, kwargs).value
    tags.update(ledger.shadow_of(new).tags)
    holder.update(new)
    ledger.shadow(holder, tags)
    return calls.box(None)


@_method("copy", of=(dict,))
def _dict_copy(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    out = box.value.copy()
    calls.recorder.ledger.shadow(out, dict(calls.recorder.ledger.shadow_of(box.value).tags))
    return calls.box(out)


# -- arrays -----------------------------------------------------------------------------------------------------------


def tolist(calls: Calls, box: Box, result: Any) -> Box:
    """``array.tolist()``: Python numbers, each known as the element it was."""
    ref = calls.recorder.ref(box)
    if ref is None:
        return calls.box(result)
    if not isinstance(result, list):
        return calls.box(result, ref)
    containers.mark(calls.recorder, result, ref)
    return calls.box(result)


def _change(calls: Calls, frame: Frame, name: str, target: Box, args: list[Box], kwargs: dict[str, Box], call: Any) -> Box:
    """A NumPy call that changes its first argument where it is."""
    recorder = calls.recorder
    inputs: list[Ref] = [recorder.ledger.read(target.value)]
    arguments = (Slot(0), *[recorder.template(a, inputs) for a in args])
    keywords = {k: recorder.template(v, inputs) for k, v in kwargs.items()}
    recorder.ledger.before_write(target.value)
    result = call(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    recorder.current = frame
    known = functions.BY_NAME[name]
    ref = recorder.step(known.operation, name, tuple(inputs), arguments, keywords, value=target.value)
    calls._written(target.value, ref)
    return calls.box(result)


def changing_method(calls: Calls, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """``a.fill(0)``, ``a.sort()``, ``a.put(…)``."""
    if f"changed.{name}" not in functions.BY_NAME:
        return calls._other_call(frame, getattr(box.value, name), args, kwargs, holder=box)
    return _change(calls, frame, f"changed.{name}", box, args, kwargs, getattr(box.value, name))


@_handles(np.copyto, np.fill_diagonal, np.put_along_axis, np.put, np.place, np.putmask)
def _changing_function(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    target = args[0]
    if not isinstance(target.value, np.ndarray) or target.value.dtype.kind not in "fiubc":
        return NotImplemented
    call = functools.partial(function, target.value)
    return _change(calls, frame, f"changed.{function.__name__}", target, args[1:], kwargs, call)


def ufunc_at(calls: Calls, frame: Frame, ufunc: Any, args: list[Box]) -> Box:
    """``np.add.at(a, index, values)``."""
    name = f"changed.{ufunc.__name__}_at"
    if name not in functions.BY_NAME:
        return calls._other_call(frame, ufunc.at, args, {})
    return _change(calls, frame, name, args[0], args[1:], {}, functools.partial(ufunc.at, args[0].value))


__all__ = ["HANDLERS", "METHODS", "builtins", "iterate", "tolist", "types"]
