"""How origins reach the names of a function's parameters, of fields and of patterns."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers
from workings.recording.ledger import CONSTANT, NUMBERS, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

Pending = tuple[list["Box"], dict[str, "Box"]]


def bind(
    calls: Calls, frame: Frame, key: int, parameters: tuple[tuple[str, Any, bool], ...], pending: Pending | None
) -> None:
    """Give a function's parameters the origins of the arguments they hold."""
    recorder = calls.recorder
    waiting, named = (list(pending[0]), pending[1]) if pending is not None else ([], {})
    for name, value, has_default in parameters:
        if name[0] == "*":
            if name[1] == "*":
                tags = {k: named[k].tag if k in named and named[k].value is v else None for k, v in value.items()}
                recorder.ledger.shadow(value, tags)
            else:
                recorder.ledger.shadow(value, match(list(value), waiting, keep=True))
            frame.tags[name.lstrip("*")] = (value, None)
        else:
            box = named.get(name)
            if box is None or box.value is not value:
                box = _taken(waiting, value)
            if box is None:
                box = _unpassed(calls, key, value, has_default)
            _bind_one(calls, frame, name, value, box)


def _taken(waiting: list[Box], value: Any) -> Box | None:
    """The first box that holds a value, which is not waiting any more."""
    for place, box in enumerate(waiting):
        if box.value is value:
            return waiting.pop(place)
    return None


def _unpassed(calls: Calls, key: int, value: Any, has_default: bool) -> Box:
    """A parameter that was not passed where we could see it: a default, or an argument from code we do not follow."""
    recorder = calls.recorder
    tag: Tag = None
    if has_default:
        tag = recorder.default_tag(key, value)
        if tag is None and any(value is d for d in recorder.module_defaults.get(key, ())):
            if type(value) in NUMBERS or isinstance(value, np.generic):
                tag = CONSTANT
            elif isinstance(value, (list, tuple, dict)):
                containers.adopt(recorder, value)
            elif type(value) is np.ndarray and not recorder.ledger.knows(value) and value.dtype.kind in "fiubc":
                recorder.found(recorder.ledger.read(value))
    if calls.is_tensor(value):
        recorder.tensors.adopt(value)
    return calls.box(value, tag)


def _bind_one(calls: Calls, frame: Frame, name: str, value: Any, box: Box) -> None:
    recorder = calls.recorder
    tag, kind = box.tag, type(value)
    if name in ("self", "cls") and kind not in NUMBERS:
        frame.tags[name] = (value, None)
    elif type(value) is np.ndarray and value.dtype.kind in "fiubc":
        frame.tags[name] = (value, None)
        recorder.bind(frame, name, recorder.ledger.read(value))
    else:
        recorder.store(frame, name, calls.box(value, tag))


def match(values: list[Any], boxes: list[Box], *, keep: bool = False) -> list[Tag]:
    """Pair values with the boxes they came in, by identity and in order. With ``keep`` the boxes used are removed."""
    waiting = boxes if keep else list(boxes)
    tags: list[Tag] = []
    for value in values:
        box = _taken(waiting, value)
        tags.append(None if box is None else box.tag)
    return tags


def adopt_fields(calls: Calls, instance: Any, args: list[Box], kwargs: dict[str, Box]) -> None:
    """Generated constructors (dataclasses, named tuples, exceptions) put arguments into fields out of our sight."""
    ledger = calls.recorder.ledger
    boxes = [*args, *kwargs.values()]
    if isinstance(instance, type):  # ``type(name, bases, fields)``
        fields_given = args[2].value if len(args) > 2 and type(args[2].value) is dict else {}
        for name, value in fields_given.items():
            origin = ledger.entry(fields_given, name, value)
            if origin is CONSTANT and type(value) in NUMBERS:
                origin = calls.recorder.given(value, lost=False)
            ledger.set_attribute(instance, name, value, origin)
        return
    if isinstance(instance, tuple):
        if ledger.existing_shadow(instance) is None:
            tags = match(list(instance), boxes)
            defaults = getattr(instance, "_field_defaults", {})
            for place, name in enumerate(getattr(instance, "_fields", ())):
                if tags[place] is None and defaults.get(name, ledger) is instance[place]:
                    tags[place] = CONSTANT
            ledger.shadow(instance, tags)
        return
    if isinstance(instance, BaseException):
        ledger.shadow(instance.args, match(list(instance.args), boxes))
        return
    fields: dict[str, Any] | None = getattr(instance, "__dict__", None)
    if fields is None and dataclasses.is_dataclass(instance):
        fields = {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance) if hasattr(instance, f.name)}
    if not isinstance(fields, dict):
        return
    names = [n for n, v in fields.items() if type(v) in NUMBERS and ledger.attribute(instance, n, v) is None]
    waiting = list(args)
    for name in names:
        value = fields[name]
        box = kwargs.get(name)
        tag: Tag = None
        if box is not None and box.value is value:
            tag = box.tag
        else:
            tag = match([value], waiting, keep=True)[0]
        if tag is None and getattr(type(instance), name, None) is value:
            tag = CONSTANT  # the default that stands in the class
        if tag is CONSTANT:
            tag = calls.recorder.given(value, lost=False)
        if tag is not None:
            ledger.set_attribute(instance, name, value, tag)


def captures(calls: Calls, pattern: Any, box: Box, *, values: bool = False) -> Iterator[tuple[Box, str]]:
    """What the names of a ``match`` pattern stand for; with ``values``, the numbers it compares instead."""
    kind = pattern[0] if pattern else "any"
    if kind == "as":
        if pattern[1] and not values:
            yield box, pattern[1]
        if pattern[2]:
            yield from captures(calls, pattern[2], box, values=values)
    elif kind == "value" and values:
        yield box, ""
    elif kind == "or":
        for part in pattern[1]:
            yield from captures(calls, part, box, values=values)
    elif (kind == "sequence" and type(box.value) in (list, tuple)) or (
        kind == "sequence" and isinstance(box.value, tuple)
    ):
        yield from _sequence_captures(calls, pattern[1], box, values)
    elif kind == "mapping" and isinstance(box.value, dict):
        for key, part in zip(pattern[1], pattern[2], strict=True):
            if key in box.value:
                value = box.value[key]
                inner = calls.box(value, calls.recorder.ledger.entry(box.value, key, value))
                yield from captures(calls, part, inner, values=values)
    elif kind == "class":
        yield from _class_captures(calls, pattern, box, values)


def _sequence_captures(calls: Calls, patterns: tuple[Any, ...], box: Box, values: bool) -> Iterator[tuple[Box, str]]:
    items, tags = calls.items_of(box)
    star = next((i for i, p in enumerate(patterns) if p and p[0] == "star"), None)
    after = 0 if star is None else len(patterns) - star - 1
    if len(items) < len(patterns) - (star is not None) or (star is None and len(items) != len(patterns)):
        return
    boxes = [calls.box(v, t) for v, t in zip(items, tags, strict=True)]
    if star is not None:
        if patterns[star][1] and not values:
            rest = boxes[star : len(boxes) - after]
            yield calls.box([b.value for b in rest], [b.tag for b in rest]), patterns[star][1]
        boxes = boxes[:star] + boxes[len(boxes) - after :]
        patterns = patterns[:star] + patterns[star + 1 :]
    for part, inner in zip(patterns, boxes, strict=True):
        yield from captures(calls, part, inner, values=values)


def _class_captures(calls: Calls, pattern: Any, box: Box, values: bool) -> Iterator[tuple[Box, str]]:
    holder = box.value
    if type(holder) in (*NUMBERS, str, list, tuple, dict) and len(pattern[1]) == 1:
        yield from captures(calls, pattern[1][0], box, values=values)
        return
    names = getattr(type(holder), "__match_args__", ())
    for name, part in [*zip(names, pattern[1], strict=False), *pattern[2]]:
        value = getattr(holder, name, None)
        tag = calls.recorder.ledger.attribute(holder, name, value)
        if isinstance(holder, tuple) and name in getattr(holder, "_fields", ()):
            tag = calls.recorder.ledger.place(holder, holder._fields.index(name))  # type: ignore[attr-defined]
        yield from captures(calls, part, calls.box(value, tag), values=values)
