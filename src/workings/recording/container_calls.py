"""The methods of Python's containers and generators, followed place by place."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workings.recording.containers import DICTS
from workings.recording.handlers import Handler
from workings.recording.iteration import advance
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.places import put_in_dict

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

METHODS: dict[tuple[type, str], Handler] = {}
_LISTS: tuple[type, ...] = (list, collections.deque)


def _method(*names: str, of: tuple[type, ...]) -> Callable[[Handler], Handler]:
    def mark(handler: Handler) -> Handler:
        for kind in of:
            for name in names:
                METHODS[kind, name] = functools.partial(handler, name)
        return handler

    return mark


# -- lists and deques -------------------------------------------------------------------------------------------------


@_method("append", of=_LISTS)
def _append(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Any:
    holder, ledger = box.value, calls.recorder.ledger
    if len(args) != 1:
        return NotImplemented
    shadow = ledger.existing_shadow(holder)
    if shadow is None or len(shadow.items) != len(holder):
        shadow = ledger.shadow_of(holder)
    full = getattr(holder, "maxlen", None) == len(holder)
    holder.append(args[0].value)
    if full:
        shadow.tags, shadow.items = shadow.tags[1:], shadow.items[1:]
    if holder:
        shadow.items.append(args[0].value)
        shadow.tags.append(args[0].tag)
    ledger.changed(shadow)
    return calls.box(None)


@_method("appendleft", "insert", "extend", "extendleft", of=_LISTS)
def _grow(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder, ledger = box.value, calls.recorder.ledger
    if name == "insert":
        calls.recorder.guard(args[0], "a list index")
        tags = list(ledger.shadow_of(holder).tags)
        holder.insert(args[0].value, args[1].value)
        tags.insert(args[0].value, args[1].tag)
    elif name == "appendleft":
        tags = list(ledger.shadow_of(holder).tags)
        holder.appendleft(args[0].value)
        tags = [args[0].tag, *tags][: len(holder)]
    else:
        values, new = calls.items_of(args[0])
        calls.recorder.current = frame
        tags = list(ledger.shadow_of(holder).tags)
        getattr(holder, name)(values)
        tags = [*tags, *new] if name == "extend" else [*new[::-1], *tags]
        tags = tags[len(tags) - len(holder) :] if name == "extend" else tags[: len(holder)]
    ledger.shadow(holder, tags)
    return calls.box(None)


@_method("pop", "popleft", "clear", "reverse", "rotate", "copy", of=_LISTS)
def _rearrange(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    holder, ledger = box.value, calls.recorder.ledger
    tags = list(ledger.shadow_of(holder).tags)
    for arg in args:
        calls.recorder.guard(arg, "a list index")
    result = getattr(holder, name)(*[a.value for a in args])
    tag: Tag = None
    if name == "copy":
        ledger.shadow(result, tags)
        return calls.box(result)
    if name in ("pop", "popleft"):
        tag = tags.pop(0 if name == "popleft" else (args[0].value if args else -1))
    elif name == "clear":
        tags = []
    elif name == "reverse":
        tags.reverse()
    else:
        turned = collections.deque(tags)
        turned.rotate(*[a.value for a in args])
        tags = list(turned)
    ledger.shadow(holder, tags)
    return calls.box(result, tag)


@_method("sort", of=(list,))
def _sort(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    from workings.recording.builtin_calls import sort

    holder, ledger = box.value, calls.recorder.ledger
    values, tags = sort(calls, frame, list(holder), list(ledger.shadow_of(holder).tags), kwargs)
    holder[:] = values
    ledger.shadow(holder, tags)
    return calls.box(None)


@_method("remove", "index", "count", of=(list, tuple, collections.deque))
def _search(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Any:
    """Searches compare numbers: on replay they must find the same place."""
    holder, ledger, recorder = box.value, calls.recorder.ledger, calls.recorder
    tags = list(ledger.shadow_of(holder).tags)
    wanted = args[0]
    values = list(holder)
    place = next((i for i, v in enumerate(values) if v is wanted.value or _equal(v, wanted.value)), None)
    result = getattr(holder, name)(*[a.value for a in args])
    numbers = type(wanted.value) in NUMBERS and all(type(v) in NUMBERS for v in values)
    if numbers and len(args) == 1:
        boxes = [calls.box(v, t) for v, t in zip(values, tags, strict=True)]
        outcome = place if name == "remove" else result
        function = "recording.count" if name == "count" else "recording.find"
        found = recorder.record(functions.BY_NAME[function], [wanted, *boxes], {}, outcome)
        recorder.guard(found, "a search")
    else:
        for value, tag in zip(values, tags, strict=True):
            recorder.guard(calls.box(value, tag), "a search")
        recorder.guard(wanted, "a search")
    if name == "remove":
        assert place is not None
        del tags[place]
        ledger.shadow(holder, tags)
        return calls.box(None)
    return calls.box(result, CONSTANT)


def _equal(first: Any, second: Any) -> bool:
    try:
        return bool(first == second)
    except Exception:  # the container's own search raises it again
        return False


def named_tuple(calls: Calls, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """``_replace`` and ``_asdict`` of a named tuple."""
    holder, ledger = box.value, calls.recorder.ledger
    result = getattr(holder, name)(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    tags = dict(zip(holder._fields, ledger.shadow_of(holder).tags, strict=True))
    tags |= {k: v.tag for k, v in kwargs.items()}
    ledger.shadow(result, tags if isinstance(result, dict) else list(tags.values()))
    return calls.box(result)


# -- dictionaries and sets --------------------------------------------------------------------------------------------


@_method("items", "values", of=DICTS)
def _dict_view(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    view = getattr(box.value, name)()
    calls.views[id(view)] = (view, box.value)
    return calls.box(view)


@_method("get", "pop", "setdefault", of=DICTS)
def _dict_get(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Any:
    holder, ledger = box.value, calls.recorder.ledger
    if kwargs or not args:
        return NotImplemented
    key = args[0].value
    calls.recorder.guard(args[0], "a key")
    if key in holder:
        out = calls.box(holder[key], ledger.entry(holder, key, holder[key]))
        if name == "pop":
            tags = dict(ledger.shadow_of(holder).tags)
            del holder[key], tags[key]
            ledger.shadow(holder, tags)
        return out
    if name == "pop" and len(args) == 1:
        raise KeyError(key)
    out = args[1] if len(args) > 1 else calls.box(None)
    if name == "setdefault":
        put_in_dict(calls, holder, key, out.value, out.tag)
    return out


@_method("popitem", of=DICTS)
def _popitem(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Any:
    holder, ledger = box.value, calls.recorder.ledger
    tags = dict(ledger.shadow_of(holder).tags)
    pair = holder.popitem(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    ledger.shadow(pair, [CONSTANT, tags.pop(pair[0])])
    ledger.shadow(holder, tags)
    return calls.box(pair)


@_method("update", of=DICTS[:-1])
def _dict_update(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    from workings.recording.conversion_calls import as_dict

    holder, ledger = box.value, calls.recorder.ledger
    new, new_tags = as_dict(calls, args, kwargs)
    calls.recorder.current = frame
    tags = dict(ledger.shadow_of(holder).tags)
    holder.update(new)
    ledger.shadow(holder, tags | new_tags)
    return calls.box(None)


@_method("copy", of=DICTS)
def _dict_copy(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    out = box.value.copy()
    calls.recorder.ledger.shadow(out, dict(calls.recorder.ledger.shadow_of(box.value).tags))
    return calls.box(out)


@_method("__getitem__", of=(list, tuple, *DICTS))
def _item(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    return calls.getitem(frame, box, args[0])


@_method("add", "discard", "remove", of=(set,))
def _set_change(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    calls.recorder.opened_set(box.value)
    calls.recorder.guard(args[0], "a member of a set")
    return calls.box(getattr(box.value, name)(*[a.value for a in args]))


# -- generators -------------------------------------------------------------------------------------------------------


@_method("send", "throw", "__next__", of=(types.GeneratorType,))
def _generator(name: str, calls: Calls, frame: Frame, box: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    generator = box.value
    values = [a.value for a in args]
    if name == "send":
        calls.recorder.sent = (args[0].value, args[0].tag)
    try:
        value, tag = advance(calls, generator, lambda: getattr(generator, name)(*values))
    finally:
        calls.recorder.current = frame
        calls.recorder.sent = None
    return calls.box(value, tag)
