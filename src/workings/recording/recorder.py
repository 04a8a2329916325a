"""What rewritten source calls: each method performs exactly one thing the source would do, and writes it down.

Inside rewritten expressions values travel in boxes, beside the origin of the number where the object itself cannot
carry one (Python's integers and floats are shared objects). Variables, containers, arguments and results hold the plain
objects.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from types import GeneratorType
from typing import Any

import numpy as np

from workings.recording.conventions import read_conventions
from workings.recording.frames import LOST, Box, Frame, in_a_row
from workings.recording.iteration import Tap
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.naming import Naming
from workings.recording.operations import meaning
from workings.recording.scopes import OWN_NAMES
from workings.recording.working import Loss, Ref, Step, Turn, Working
from workings.recording.writer import NUMPY_ARRAY

_PLAIN = {str, list, tuple, dict, set, type(None)}


class Recorder(Naming):
    """Records one computation into one Working."""

    # -- values -------------------------------------------------------------------------------------------------

    @staticmethod
    def constant(value: Any) -> Box:
        return Box(value, CONSTANT)

    @staticmethod
    def plain(value: Any) -> Box:
        return Box(value)

    @staticmethod
    def bare(box: Box) -> Any:
        return box.value

    def display(self, kind: str, boxes: list[Box | list[Box]]) -> Box:
        """``[a, b]``, ``(a, b)``, ``{a, b}``; a starred part comes as a list of boxes."""
        flat = in_a_row(boxes)
        values = [b.value for b in flat]
        if kind == "set":
            return self.made_set(set(values), flat)
        value = values if kind == "list" else tuple(values)
        if flat:
            self.ledger.shadow(value, [b.tag for b in flat])
        return Box(value)

    def starred(self, box: Box) -> list[Box]:
        items, tags = self.calls.items_of(box)
        return [Box(item, tag) for item, tag in zip(items, tags, strict=True)]

    def dictionary(self, keys: list[Box | None], values: list[Box]) -> Box:
        out: dict[Any, Any] = {}
        tags: dict[Any, Tag] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                inner = self.ledger.shadow_of(value.value) if isinstance(value.value, dict) else None
                merged = dict(value.value)
                out.update(merged)
                tags.update({k: inner.tags.get(k) if inner else None for k in merged})
            else:
                self.guard(key, "a key")
                out[key.value] = value.value
                tags[key.value] = value.tag
        self.ledger.shadow(out, tags)
        return Box(out)

    def slice(self, start: Box, stop: Box, step: Box) -> Box:
        for part in (start, stop, step):
            self.guard(part, "a slice bound")
        return Box(slice(start.value, stop.value, step.value))

    def keep(self, frame: Frame, key: int, box: Box) -> bool:
        """The left side of ``and``/``or``: its truth now, itself later."""
        frame.kept[key] = box
        return self.truth(frame, box)

    @staticmethod
    def kept(frame: Frame, key: int) -> Box:
        return frame.kept.pop(key)

    @staticmethod
    def hold(frame: Frame, key: int, box: Box) -> Box:
        """The middle of a chained comparison, which is compared twice and evaluated once."""
        frame.kept[key] = box
        return box

    def caught(self, frame: Frame) -> None:
        """An exception has been caught here: whatever was under way elsewhere is not any more."""
        self.current = frame
        self.pending = self.returned = self.yielded_last = None

    def imported(self) -> None:
        """A module has been imported: if it brought PyTorch, its side of the recording begins."""
        if self.tensors is None and "torch" in sys.modules:
            from workings.recording.tensors import TensorSide

            self.tensors = TensorSide(self)
            self.tensors.start()

    def imported_names(self, frame: Frame, module: str | None, origins: dict[str, str], values: dict[str, Any]) -> None:
        """``from module import a``: numbers of a library are inputs; those of a followed module keep their origins."""
        source = sys.modules.get(module or "")
        space = vars(source) if source is not None else {}
        if "*" in origins:
            public = space.get("__all__", [n for n in space if not n.startswith("_")])
            values = {n: space[n] for n in public if n in space}
        inner = self.modules.get(id(space))
        for name, value in values.items():
            entry = inner.tags.get(origins.get(name, name)) if inner is not None else None
            if entry is not None and entry[0] is value:
                frame.tags[name] = entry
            elif type(value) in NUMBERS and type(value) is not bool:
                frame.imported.add(name)

    def truth(self, frame: Frame, box: Box, site: int = -1) -> bool:
        if site >= 0:
            self.line(frame, site)
        value, tag = box.value, box.tag
        kind = type(value)
        if kind is bool or kind in NUMBERS or kind in _PLAIN:
            result = bool(value)
        elif type(value) is np.ndarray or isinstance(value, np.generic):
            result, tag = bool(value), self.ref(box)
        elif self.calls.is_tensor(value):
            result, tag = self.tensors.truth(value), self.tensors.read(value)
        else:
            self.calls.adopt(kind)
            self.pending, self.returned = ([box], {}), None
            result = bool(value)
            self.current, self.pending = frame, None
            tag = self.calls.take_returned(result)
        if isinstance(tag, Ref):
            self.guard(Box(result, tag), "a condition")
        return result

    def binary(self, frame: Frame, sign: str, left: Box, right: Box) -> Box:
        return self.calls.operator(frame, sign, left, right)

    def unary(self, frame: Frame, sign: str, box: Box) -> Box:
        return self.calls.unary(frame, sign, box)

    def inplace(self, frame: Frame, sign: str, left: Box, right: Box) -> Box:
        return self.calls.inplace(frame, sign, left, right)

    def identity(self, frame: Frame, left: Box, right: Box, sign: str) -> Box:
        """``is``, ``in`` and their negations: never numbers, but ``in`` looks at numbers."""
        a, b = left.value, right.value
        if sign == "is":
            return Box(a is b, CONSTANT)
        if sign == "is not":
            return Box(a is not b, CONSTANT)
        return self.calls.contains(frame, left, right, sign)

    @staticmethod
    def own_names(value: Any) -> Box:
        """``locals()``, ``vars()`` and ``dir()`` of a function, without the names that the rewriting brought in."""
        if isinstance(value, dict):
            return Box({k: v for k, v in value.items() if not OWN_NAMES.fullmatch(k)})
        return Box([name for name in value if not OWN_NAMES.fullmatch(name)])

    # -- places -------------------------------------------------------------------------------------------------

    def attribute(self, frame: Frame, box: Box, name: str) -> Box:
        return self.calls.attribute(frame, box, name)

    def set_attribute(self, frame: Frame, holder: Box, name: str, box: Box) -> None:
        self.calls.set_attribute(frame, holder, name, box)

    def item(self, frame: Frame, box: Box, index: Box, made_here: bool = False) -> Box:
        """``box[index]``; an index written out as a tuple is not reachable afterwards."""
        out = self.calls.getitem(frame, box, index)
        if made_here and (type(box.value) is NUMPY_ARRAY or type(box.value) is dict):
            self.ledger.forget(index.value)
        return out

    def set_item(self, frame: Frame, box: Box, index: Box, value: Box) -> None:
        self.calls.setitem(frame, box, index, value)

    def delete_item(self, frame: Frame, box: Box, index: Box) -> None:
        self.calls.delitem(frame, box, index)

    def begin_augmented(self, frame: Frame, box: Box, index: Box) -> tuple[Box, Box, Box]:
        return box, index, self.calls.getitem(frame, box, index)

    def end_augmented(self, frame: Frame, sign: str, place: tuple[Box, Box, Box], right: Box) -> None:
        box, index, current = place
        self.calls.setitem(frame, box, index, self.calls.inplace(frame, sign, current, right))

    def begin_attribute(self, frame: Frame, box: Box, name: str) -> tuple[Box, str, Box]:
        return box, name, self.calls.attribute(frame, box, name)

    def end_attribute(self, frame: Frame, sign: str, place: tuple[Box, str, Box], right: Box) -> None:
        box, name, current = place
        self.set_attribute(frame, box, name, self.calls.inplace(frame, sign, current, right))

    # -- calls --------------------------------------------------------------------------------------------------

    def call(self, frame: Frame, function: Box, args: list[Any], kwargs: dict[str, Any]) -> Box:
        return self.calls.call(frame, function.value, in_a_row(args), kwargs)

    def method(self, frame: Frame, box: Box, name: str, args: list[Any], kwargs: dict[str, Any]) -> Box:
        return self.calls.method(frame, box, name, in_a_row(args), kwargs)

    def merge(self, kwargs: dict[str, Box], box: Box) -> dict[str, Box]:
        """``f(**options)``."""
        shadow = self.ledger.shadow_of(box.value) if type(box.value) is dict else None
        return kwargs | {k: Box(v, shadow.tags.get(k) if shadow else None) for k, v in box.value.items()}

    # -- loops --------------------------------------------------------------------------------------------------

    def iterate(self, frame: Frame, spec: Any, box: Box, site: int = -1) -> Iterator[Any]:
        """The items of a ``for`` loop, each with its origin given to the loop's variables."""
        fresh = type(box.value) is Tap and box.value.fresh
        for item, tag in self.calls.iterate(box):
            self.current = frame
            if site >= 0:
                self._turn(self.there(frame, site))
            if type(spec) is tuple:
                fallen = self.unpack(frame, spec, Box(item, tag))
                if fresh:
                    self.ledger.forget(item)
                yield fallen
            elif spec is not None:
                yield self.store(frame, spec, Box(item, tag))
            else:
                yield item
            self.current = frame

    def there(self, frame: Frame, site: int) -> Frame:
        """The frame, on its way into a line whose numbers come next."""
        self.line(frame, site)
        return frame

    def again(self, frame: Frame, box: Box) -> bool:
        """Whether a ``while`` goes round once more: then a turn of it begins."""
        going = self.truth(frame, box)
        if going:
            self._turn(frame)
        return going

    def _turn(self, frame: Frame) -> None:
        if frame.site is not None:
            self.working.turns.append(Turn(frame.group, frame.statement, frame.site))

    def each(self, frame: Frame, spec: Any, box: Box, comprehension: int = -1) -> Iterator[tuple[Frame, Any]]:
        """The first ``for`` of a comprehension: its variables live in a frame of their own."""
        return self._each(frame, spec, box, frame.collect.get(comprehension))

    def _each(self, frame: Frame, spec: Any, box: Box, collector: list[Tag] | None) -> Iterator[tuple[Frame, Any]]:
        inner = Frame(frame.group, frame.site, frame.statement)
        inner.collector = collector
        inner.around = frame
        for item in self.iterate(inner, spec, box):
            yield inner, item

    def collect(self, frame: Frame, comprehension: int) -> list[Tag]:
        tags: list[Tag] = []
        frame.collect[comprehension] = tags
        return tags

    def collected_key(self, frame: Frame, box: Box) -> Any:
        """The key of an entry of a dictionary comprehension."""
        self.guard(box, "a key")
        if frame.collector is not None:
            frame.collector.append(box.value)
        return box.value

    def member(self, frame: Frame, box: Box) -> Any:
        """An item of a set comprehension."""
        if frame.collector is not None:
            frame.collector.append(box)  # type: ignore[arg-type]
        return box.value

    def collected(self, frame: Frame, box: Box) -> Any:
        if frame.collector is not None:
            frame.collector.append(box.tag)
        return box.value

    def comprehension(self, frame: Frame, tags: list[Tag], value: Any) -> Box:
        self.current = frame
        if type(value) is dict:
            self.ledger.shadow(value, dict(zip(tags[::2], tags[1::2], strict=True)))
        elif type(value) is list:
            self.ledger.shadow(value, tags)
        else:
            return self.made_set(value, tags)  # type: ignore[arg-type]
        return Box(value)

    def yielded(self, frame: Frame, box: Box) -> Any:
        if frame.holders:
            self._name_containers(frame)
        self.yielded_last = (box.value, box.tag)
        return box.value

    def resumed(self, frame: Frame, sent: Any) -> Box:
        """What ``yield`` gives: the value that was sent in, if one was."""
        self.current = frame
        known, self.sent = self.sent, None
        return Box(sent, known[1] if known is not None and known[0] is sent else None)

    def delegated(self, frame: Frame, value: Any) -> Box:
        """What ``yield from`` gives: the value the inner generator returned."""
        self.current = frame
        return Box(value, self.calls.take_returned(value))

    def boxes(self, frame: Frame, box: Box, site: int) -> Iterator[Box]:
        """The items of a loop whose target is more than names."""
        for item, tag in self.calls.iterate(box):
            self._turn(self.there(frame, site))
            yield Box(item, tag)
            self.current = frame

    def delegate(self, frame: Frame, box: Box) -> Generator[Any, Any, Any]:
        """``yield from``: items, values sent in, exceptions thrown in and the value returned all pass through."""
        if isinstance(box.value, GeneratorType):
            return (yield from self._through(frame, box.value))
        for item, tag in self.calls.iterate(box):
            self.yielded_last = (item, tag)
            yield item
            self.current = frame
        return None

    def _through(self, frame: Frame, generator: Any) -> Any:
        waiting = self.calls.generators.pop(id(generator), None)
        if waiting is not None:
            self.pending = waiting[1]
        return (yield from generator)

    # -- with and match -----------------------------------------------------------------------------------------

    def manager(self, frame: Frame, box: Box) -> Any:
        """The object of a ``with``, about to be entered."""
        value = box.value
        self.calls.adopt(type(value))
        self.returned = self.yielded_last = None
        waiting = self.calls.generators.pop(id(getattr(value, "gen", None)), None)
        self.pending = waiting[1] if waiting is not None else ([box], {})
        return value

    def entered(self, frame: Frame, value: Any) -> Box:
        """What a ``with`` binds after ``as``."""
        self.current, self.pending = frame, None
        for seen in (self.returned, self.yielded_last):
            if seen is not None and seen[0] is value:
                return Box(value, seen[1])
        return Box(value)

    def subject(self, frame: Frame, key: int, box: Box, patterns: tuple[Any, ...]) -> Any:
        """What a ``match`` looks at. Numbers that patterns compare must come out the same on replay."""
        frame.kept[key] = box
        for pattern in patterns:
            for part, _ in self.calls.captures(pattern, box, values=True):
                self.guard(part, "a pattern")
        return box.value

    def matched(self, frame: Frame, key: int, pattern: Any, values: dict[str, Any]) -> bool:
        """A pattern has matched: the names it bound learn their origins."""
        found = {name: part for part, name in self.calls.captures(pattern, frame.kept[key]) if name}
        for name, value in values.items():
            part = found.get(name)
            if part is not None and type(part.tag) is list and type(value) is list:
                self.ledger.shadow(value, part.tag)
                part = Box(value)
            known = part is not None and part.value is value
            self.store(frame, name, part if part is not None and known else Box(value))
        return True

    # -- the end ------------------------------------------------------------------------------------------------

    def finish(self) -> Working:
        """Name what is left, put back what was borrowed, hand over the Working."""
        for owner, name, member in reversed(self.patched):
            setattr(owner, name, member)
        self.patched.clear()
        if self.tensors is not None:
            self.tensors.stop()
        for frame in [self.root, *self.modules.values()]:
            self.current = frame
            self._name_containers(frame)
        self.ledger.settle()
        if self.tensors is not None:
            self.tensors.ledger.forget_all()
        self.working.__dict__.pop("index", None)  # names made on the way do not hold the rest
        self.working.conventions = read_conventions(self.working) | self.working.conventions
        self._list_opaque()
        return self._handed_over()

    def _handed_over(self) -> Working:
        """The Working is complete, and goes as soon as nobody holds it: the recorder keeps as many steps as it has.

        What the program left behind (a generator, a function made inside) may still run, and writes after those, where
        nobody reads. One blank step stands for all of them.
        """
        working = self.working
        blank = Step(0, "given", "", (), (), {}, 0, 0, None)
        self.working = Working(working.source, [blank] * len(working.steps), working.groups.copy())
        self.working.varying = working.varying.copy()
        return working

    def _list_opaque(self) -> None:
        """Calls that can be made again, but have no arithmetic here, are not followed either, and are listed."""
        listed = {loss.step for loss in self.working.lost}
        opaque: dict[tuple[Any, ...], bool] = {}  # a model makes the same call in every layer
        for step in self.working.steps:
            if step.operation == "given":
                continue
            key = (step.operation, step.function, step.output, len(step.shape), not step.inputs, not step.arguments)
            found = opaque.get(key)
            if found is None:
                found = opaque[key] = meaning.kind(step) == "opaque"
            if found and step.number not in listed:
                what = step.function or step.operation
                self.working.lost.append(Loss("opaque", what, step.number, step.site))


__all__ = ["LOST", "Box", "Frame", "Recorder"]
