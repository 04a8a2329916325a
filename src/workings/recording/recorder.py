"""What rewritten source calls: each method performs exactly one thing the source would do, and writes it down.

Inside rewritten expressions values travel in boxes, beside the origin of the number where the object itself cannot carry
one (Python's integers and floats are shared objects). Variables, containers, arguments and results hold the plain objects.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from workings.recording import containers
from workings.recording.calls import Calls
from workings.recording.ledger import CONSTANT, NUMBERS, Ledger, Tag
from workings.recording.operations import functions
from workings.recording.working import Binding, Group, Guard, Loss, Ref, Site, Slot, Source, Step, Working

NUMPY_ARRAY = np.ndarray


class Box:
    """A value on its way through an expression, with its origin."""

    __slots__ = ("tag", "value")

    def __init__(self, value: Any, tag: Any = None) -> None:
        self.value = value
        self.tag = tag


class Frame:
    """One activation of a rewritten scope: the origins of its variables, and where it stands."""

    __slots__ = ("collect", "collector", "group", "followed", "kept", "lists", "site", "statement", "tags")

    def __init__(self, group: int, site: Site | None = None, statement: int = 0) -> None:
        self.tags: dict[str, tuple[Any, Tag]] = {}
        self.group = group
        self.site = site
        self.statement = statement
        self.collect: dict[int, list[Tag]] = {}
        self.collector: list[Tag] | None = None
        self.kept: dict[int, Box] = {}
        self.lists: dict[str, Any] = {}
        self.followed = True


class Recorder:
    """Records one computation into one Working."""

    def __init__(self, source: Source, sites: Sequence[Site]) -> None:
        self.working = Working(source)
        self.ledger = Ledger(self)
        self.calls = Calls(self)
        self.sites = sites
        self.root = Frame(0)
        self.current = self.root
        self.statements = 0
        self.modules: dict[int, Frame] = {}
        self.pending: tuple[list[Box], dict[str, Box]] | None = None
        self.returned: tuple[Any, Tag] | None = None
        self.yielded_last: tuple[Any, Tag] | None = None
        self.fixed: set[int] = set()
        self.tensors: Any = None  # the tensor side, once torch is there
        self.adopted: set[type] = set()
        self.patched: list[tuple[type, str, Any]] = []
        self.overrides: dict[tuple[str, int], Any] = {}
        self.bound: dict[str, int] = {}
        self._guarded: set[tuple[int, tuple[int, ...]]] = set()

    # -- steps --------------------------------------------------------------------------------------------------

    def step(
        self,
        operation: str,
        function: str,
        inputs: tuple[Ref, ...],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        *,
        value: Any,
        output: int | None = None,
        note: str = "",
    ) -> Ref:
        """Write down one operation. The value is kept by reference; the ledger copies it before a write destroys it."""
        working = self.working
        frame = self.current
        number = len(working.steps)
        step = Step(number, operation, function, inputs, arguments, keywords, frame.group, frame.statement, frame.site)
        step.output = output
        step.note = note
        step.value = value
        step.kept = True
        shape = getattr(value, "shape", ())
        step.shape = shape if type(shape) is tuple else tuple(shape)
        dtype = getattr(value, "dtype", None)
        step.dtype = str(dtype).removeprefix("torch.") if dtype is not None else type(value).__name__
        working.steps.append(step)
        if not inputs and operation not in ("given", "opaque"):
            self.fixed.add(number)
        elif inputs and all(r.step in self.fixed for r in inputs):
            self.fixed.add(number)
        return Ref(number)

    def given(self, value: Any, *, lost: bool = True, plain: bool = False, note: str = "") -> Ref:
        """A value that no step produced: an input, a number written in the source, or one whose origin was not seen."""
        ref = self.step("given", "", (), (), {}, value=value, note=note)
        self.working.steps[ref.step].plain = plain
        if lost:
            self.working.steps[ref.step].note = note or "origin not recorded"
            where = self.current.site
            self.working.lost.append(Loss("origin not recorded", _describe(value), ref.step, where))
        return ref

    def found(self, ref: Ref) -> None:
        """A value that seemed to come from nowhere has a name after all (a global, an argument): it is an input."""
        step = self.working.steps[ref.step]
        if step.operation == "given" and step.note == "origin not recorded":
            step.note = ""
            self.working.lost = [loss for loss in self.working.lost if loss.step != ref.step]

    def ref(self, box: Box) -> Ref | None:
        """The origin of a boxed value, if it is a number, an array, or a list of numbers."""
        value, tag = box.value, box.tag
        kind = type(value)
        if kind is NUMPY_ARRAY or isinstance(value, NUMPY_ARRAY):
            return self.ledger.read(value) if value.dtype.kind in "fiubc" else None
        if isinstance(tag, Ref):
            return tag
        if isinstance(value, np.generic):
            known = self.ledger.scalar_ref(value)
            if known is None:
                known = self.given(value, lost=tag is not CONSTANT)
                self.ledger.scalar(value, known)
            return known
        if kind in NUMBERS:
            return self.given(value, lost=tag is None)
        if kind is list or kind is tuple:
            return containers.read(self, value)
        if self.tensors is not None and self.tensors.is_tensor(value):
            return self.tensors.read(value)  # type: ignore[no-any-return]
        return None

    def template(self, box: Box, inputs: list[Ref]) -> Any:
        """A boxed argument as it goes into a step: a slot where it is an input, itself where it is not."""
        value, tag = box.value, box.tag
        kind = type(value)
        if kind in NUMBERS:
            if isinstance(tag, Ref):
                return _slot(inputs, tag)
            if tag is CONSTANT or kind is bool:
                return value
            return _slot(inputs, self.given(value))
        if kind is NUMPY_ARRAY:
            return _slot(inputs, self.ledger.read(value)) if value.dtype.kind in "fiubc" else value
        if kind is str or value is None or kind is type:
            return value
        if kind is list or kind is tuple:
            return self._container_template(value, inputs)
        if kind is slice:
            return value
        if kind is dict:
            shadow = self.ledger.shadow_of(value)
            return {k: self.template(Box(v, shadow.tags.get(k)), inputs) for k, v in value.items()}
        ref = self.ref(box)
        return value if ref is None else _slot(inputs, ref)

    def _container_template(self, value: Any, inputs: list[Ref]) -> Any:
        shadow = self.ledger.shadow_of(value)
        if all(tag is CONSTANT and type(item) in NUMBERS for tag, item in zip(shadow.tags, value, strict=True)):
            return value if type(value) is tuple else list(value)
        if type(value) is list:
            ref = containers.read(self, value)
            if ref is not None:
                return _slot(inputs, ref)
        parts = [self.template(Box(item, tag), inputs) for item, tag in zip(value, shadow.tags, strict=True)]
        return parts if type(value) is list else tuple(parts)

    def record(
        self,
        function: functions.Function,
        args: Sequence[Box],
        kwargs: dict[str, Box],
        result: Any,
        *,
        output: int | None = None,
    ) -> Box:
        """Write down a call that has been made, and know its result from now on."""
        inputs: list[Ref] = []
        arguments = tuple([self.template(a, inputs) for a in args])
        keywords = {k: self.template(v, inputs) for k, v in kwargs.items() if k != "out"}
        ref = self.step(
            function.operation, function.name, tuple(inputs), arguments, keywords, value=result, output=output
        )
        return self.know(result, ref, args)

    def know(self, result: Any, ref: Ref, args: Sequence[Box] = ()) -> Box:
        """From now on ``result`` is known as what ``ref`` names."""
        if type(result) is NUMPY_ARRAY or isinstance(result, NUMPY_ARRAY):
            step = self.working.steps[ref.step]
            parent = next((a.value for a in args if isinstance(a.value, NUMPY_ARRAY)), None)
            how = (step.operation, step.function, step.arguments, step.keywords) if len(step.inputs) == 1 else None
            self.ledger.register(result, ref, parent, how if step.output is None else None)
            return Box(result)
        elif isinstance(result, np.generic):
            self.ledger.scalar(result, ref)
        return Box(result, ref)

    def guard(self, box: Box, reason: str) -> None:
        """A number that steers the program: on replay it must come out the same, or the source runs again."""
        if isinstance(box.tag, Ref) and box.tag.step not in self.fixed:
            value = box.value
            key = (box.tag.step, box.tag.index)
            if key not in self._guarded:
                self._guarded.add(key)
                kept = value.item() if isinstance(value, np.generic) else value
                self.working.guards.append(Guard(box.tag, kept, self.current.site, reason))

    # -- where we are -------------------------------------------------------------------------------------------

    def line(self, frame: Frame, site: int) -> None:
        self.statements += 1
        frame.statement = self.statements
        frame.site = self.sites[site]
        self.current = frame

    def module(self, namespace: dict[str, Any]) -> Frame:
        """The frame of a module's globals."""
        frame = self.modules.get(id(namespace))
        if frame is None:
            frame = self.modules[id(namespace)] = Frame(self.root.group)
            frame.followed = False
        return frame

    def enter(self, name: str, kind: str, site: int, parameters: tuple[tuple[str, Any], ...]) -> Frame:
        """A rewritten function begins: a group, with its parameters named."""
        caller = self.current
        pending, self.pending = self.pending, None
        groups = self.working.groups
        group = Group(len(groups), caller.group, name, kind, caller.statement, site=caller.site)
        detail = self.calls.titles.get(name) if kind == "call" else None
        groups.append(group)
        if detail is not None:
            group.equation, group.title = detail
        self.statements += 1
        frame = Frame(group.number, self.sites[site], self.statements)
        frame.lists = {}
        self.current = frame
        self.calls.bind_parameters(frame, parameters, pending)
        return frame

    def leave(self, frame: Frame, box: Box) -> Any:
        """A rewritten function returns."""
        self._name_containers(frame)
        self.returned = (box.value, box.tag)
        return box.value

    def _name_containers(self, frame: Frame) -> None:
        """Lists that grew after they were named are named once more as they ended."""
        for name, holder in frame.lists.items():
            ref = containers.read(self, holder)
            entry = frame.tags.get(name)
            if ref is not None and entry is not None and entry[0] is holder:
                self._bind(frame, name, ref)

    # -- names --------------------------------------------------------------------------------------------------

    def load(self, frame: Frame, name: str, value: Any) -> Box:
        entry = frame.tags.get(name)
        if entry is not None and entry[0] is value:
            return Box(value, entry[1])
        return self._load_unknown(frame, name, value)

    def _load_unknown(self, frame: Frame, name: str, value: Any) -> Box:
        """A name bound where we did not look: a global of a module that was not rewritten, a default, a closure."""
        tag: Tag = None
        if type(value) in NUMBERS and type(value) is not bool:
            tag = self.given(value, lost=frame.followed)
        elif isinstance(value, np.generic):
            tag = self.ledger.scalar_ref(value) or self.given(value, lost=False)
            self.ledger.scalar(value, tag)
        elif isinstance(value, NUMPY_ARRAY) and value.dtype.kind in "fiubc":
            if not self.ledger.knows(value):
                self.found(self.ledger.read(value))
            frame.tags[name] = (value, None)
            self._bind(frame, name, self.ledger.read(value))
            return Box(value, None)
        elif type(value) in (list, tuple):
            containers.adopt(self, value)
            ref = containers.read(self, value)
            if ref is not None:
                self._bind(frame, name, ref)
        frame.tags[name] = (value, tag)
        if isinstance(tag, Ref):
            self._bind(frame, name, tag)
        return Box(value, tag)

    def _bind(self, frame: Frame, name: str, ref: Ref) -> None:
        self.working.bindings.append(Binding(frame.group, name, ref, self.current.statement, self.current.site))

    def store(self, frame: Frame, name: str, box: Box) -> Any:
        """``name = value``."""
        value, tag = box.value, box.tag
        kind = type(value)
        if self.overrides:
            box = self.override(frame, name, box)
            value, tag = box.value, box.tag
        if kind in NUMBERS:
            if tag is CONSTANT and kind is not bool:
                tag = self.given(value, lost=False, note="")
            frame.tags[name] = (value, tag)
            if isinstance(tag, Ref):
                self._bind(frame, name, tag)
            return value
        if kind is NUMPY_ARRAY:
            if value.dtype.kind in "fiubc":
                self._bind(frame, name, self.ledger.read(value))
        elif kind is list or kind is tuple:
            ref = containers.read(self, value)
            if kind is list:
                frame.lists[name] = value
            if ref is not None:
                self._bind(frame, name, ref)
                if kind is list and self.current.site is not None:
                    self._row_labels(ref)
        elif kind is not str and value is not None:
            ref = self.ref(box)
            if ref is not None:
                self._bind(frame, name, ref)
            elif kind in containers.LAZY:
                pass
        frame.tags[name] = (value, tag)
        return value

    def _row_labels(self, ref: Ref) -> None:
        """Overwritten by nothing: labels given in comments are read by the views from the site."""

    def override(self, frame: Frame, name: str, box: Box) -> Box:
        """When the source runs again for a what-if, the changed value takes the place of the one just computed."""
        path = self.calls.group_path(frame.group)
        full = f"{path}.{name}" if path else name
        self.bound[full] = self.bound.get(full, 0) + 1
        change = self.overrides.get((full, self.bound[full]))
        if change is None:
            return box
        value = change(box.value)
        ref = self.given(value if not isinstance(value, list) else np.array(value), lost=False, note="changed")
        if isinstance(value, list):
            self.working.steps[ref.step].plain = True
            containers.mark(self, value, ref)
            return Box(value, None)
        return self.know(value, ref)

    def bind_target(self, frame: Frame, spec: Any, value: Any, tag: Tag) -> None:
        """The names of an assignment target or a loop variable learn their origins."""
        if type(spec) is str:
            self.store(frame, spec, Box(value, tag))
        elif type(spec) is tuple:
            for part, (item, item_tag) in zip(spec, self.parts(value, tag, spec), strict=False):
                if type(part) is str and part.startswith("*"):
                    shadowed = list(item)
                    self.ledger.shadow(shadowed, item_tag)
                    frame.tags[part[1:]] = (None, None)
                else:
                    self.bind_target(frame, part, item, item_tag)

    def parts(self, value: Any, tag: Tag, spec: tuple[Any, ...]) -> list[tuple[Any, Any]]:
        """The items a value falls into when it is unpacked, with their origins."""
        items, tags = self.calls.items_of(Box(value, tag))
        star = next((i for i, s in enumerate(spec) if type(s) is str and s.startswith("*")), None)
        if star is None:
            return list(zip(items, tags, strict=True))
        after = len(spec) - star - 1
        stop = len(items) - after
        middle = (items[star:stop], list(tags[star:stop]))
        return [*zip(items[:star], tags[:star], strict=True), middle, *zip(items[stop:], tags[stop:], strict=True)]

    def unpack(self, frame: Frame, spec: tuple[Any, ...], box: Box) -> Any:
        """``a, (b, *c) = value``: returns something Python can unpack into the same objects."""
        value = box.value
        if not isinstance(value, (tuple, list, NUMPY_ARRAY)) and not (self.tensors and self.tensors.is_tensor(value)):
            value, tags = self.calls.drain(box)
            self.ledger.shadow(value, tags)
            box = Box(value)
        elif isinstance(value, NUMPY_ARRAY):
            value = self.calls.rows(box)
            box = Box(value)
        count = sum(1 for s in spec)
        if any(type(s) is str and s.startswith("*") for s in spec):
            if len(value) < count - 1:
                return value  # Python raises, with its own words
        elif len(value) != count:
            return value
        self.bind_target(frame, spec, value, box.tag)
        return value

    def split(self, count: int, star: int, box: Box) -> list[Box]:
        """The parts of a value for an assignment to several targets that are not all names."""
        spec = tuple("*" if i == star else "" for i in range(count))
        value = box.value
        if not isinstance(value, (tuple, list)):
            value, tags = self.calls.drain(box)
            self.ledger.shadow(value, tags)
        if star < 0 and len(value) != count:
            word = "too many" if len(value) > count else "not enough"
            got = "" if len(value) > count else f", got {len(value)}"
            raise ValueError(f"{word} values to unpack (expected {count}{got})")
        out = []
        for item, tag in self.parts(value, None, spec):
            if isinstance(tag, list) and type(item) in (list, tuple) and len(out) == star:
                rest = list(item)
                self.ledger.shadow(rest, tag)
                out.append(Box(rest))
            else:
                out.append(Box(item, tag))
        return out

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

    def display(self, kind: type, boxes: list[Box]) -> Box:
        """``[a, b]``, ``(a, b)``, ``{a, b}``; a starred part comes as a list of boxes."""
        flat: list[Box] = []
        for box in boxes:
            if type(box) is list:
                flat.extend(box)
            else:
                flat.append(box)
        value = kind([b.value for b in flat])
        if kind is not set and flat:
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
                inner = self.ledger.shadow_of(value.value) if type(value.value) is dict else None
                for k, v in value.value.items():
                    out[k] = v
                    tags[k] = inner.tags.get(k) if inner else None
            else:
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

    def truth(self, frame: Frame, box: Box, site: int = -1) -> bool:
        if site >= 0:
            self.line(frame, site)
        value = box.value
        result = bool(value)
        tag = box.tag if box.tag is not None else (self.ref(box) if isinstance(value, (NUMPY_ARRAY, np.generic)) else None)
        if self.tensors is not None and self.tensors.is_tensor(value):
            tag = self.tensors.read(value)
        if isinstance(tag, Ref):
            self.guard(Box(result, tag), "a condition")
        return result

    def binary(self, frame: Frame, sign: str, left: Box, right: Box) -> Box:
        return self.calls.operator(frame, sign, left, right)

    def unary(self, frame: Frame, sign: str, box: Box) -> Box:
        return self.calls.unary(frame, sign, box)

    def inplace(self, frame: Frame, sign: str, left: Box, right: Box) -> Box:
        return self.calls.inplace(frame, sign, left, right)

    def identity(self, left: Box, right: Box, sign: str) -> Box:
        """``is``, ``in`` and their negations: never numbers, but ``in`` looks at numbers."""
        a, b = left.value, right.value
        if sign == "is":
            return Box(a is b, CONSTANT)
        if sign == "is not":
            return Box(a is not b, CONSTANT)
        self.guard(left, "a membership test")
        return Box(a in b if sign == "in" else a not in b, CONSTANT)

    # -- places -------------------------------------------------------------------------------------------------

    def attribute(self, frame: Frame, box: Box, name: str) -> Box:
        return self.calls.attribute(frame, box, name)

    def set_attribute(self, frame: Frame, holder: Box, name: str, box: Box) -> None:
        setattr(holder.value, name, box.value)
        tag = box.tag
        if tag is CONSTANT and type(box.value) in NUMBERS and type(box.value) is not bool:
            tag = self.given(box.value, lost=False)
        self.ledger.set_attribute(holder.value, name, box.value, tag)
        if isinstance(holder.value, type) or not hasattr(type(holder.value), "__set_name__"):
            ref = self.ref(Box(box.value, tag)) if type(box.value) is not bool else None
            if ref is not None:
                self._bind(frame, name, ref)

    def item(self, frame: Frame, box: Box, index: Box) -> Box:
        return self.calls.getitem(frame, box, index)

    def set_item(self, frame: Frame, box: Box, index: Box, value: Box) -> None:
        self.calls.setitem(frame, box, index, value)

    def delete_item(self, frame: Frame, box: Box, index: Box) -> None:
        """``del holder[index]``."""
        holder, key = box.value, index.value
        if type(holder) in (list, dict):
            tags = self.ledger.shadow_of(holder).tags
            tags = tags.copy()
            del holder[key]
            del tags[key]
            self.ledger.shadow(holder, tags)
        else:
            del holder[key]

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
        return self.calls.call(frame, function.value, _flat(args), kwargs)

    def method(self, frame: Frame, box: Box, name: str, args: list[Any], kwargs: dict[str, Any]) -> Box:
        return self.calls.method(frame, box, name, _flat(args), kwargs)

    def merge(self, kwargs: dict[str, Box], box: Box) -> dict[str, Box]:
        """``f(**options)``."""
        shadow = self.ledger.shadow_of(box.value) if type(box.value) is dict else None
        return kwargs | {k: Box(v, shadow.tags.get(k) if shadow else None) for k, v in box.value.items()}

    # -- loops --------------------------------------------------------------------------------------------------

    def iterate(self, frame: Frame, spec: Any, box: Box, site: int = -1) -> Iterator[Any]:
        """The items of a ``for`` loop, each with its origin given to the loop's variables."""
        for item, tag in self.calls.iterate(box):
            self.current = frame
            if site >= 0:
                self.line(frame, site)
            if type(spec) is tuple:
                yield self.unpack(frame, spec, Box(item, tag))
            elif spec is not None:
                yield self.store(frame, spec, Box(item, tag))
            else:
                yield item
            self.current = frame

    def each(self, frame: Frame, spec: Any, box: Box, comprehension: int = -1) -> Iterator[tuple[Frame, Any]]:
        """The first ``for`` of a comprehension: its variables live in a frame of their own."""
        return self._each(frame, spec, box, frame.collect.get(comprehension))

    def _each(self, frame: Frame, spec: Any, box: Box, collector: list[Tag] | None) -> Iterator[tuple[Frame, Any]]:
        inner = Frame(frame.group, frame.site, frame.statement)
        inner.collector = collector
        for item in self.iterate(inner, spec, box):
            yield inner, item

    def collect(self, frame: Frame, comprehension: int) -> list[Tag]:
        frame.collect[comprehension] = tags = []
        return tags

    def collected(self, frame: Frame, box: Box) -> Any:
        if frame.collector is not None:
            frame.collector.append(box.tag)
        return box.value

    def comprehension(self, frame: Frame, tags: list[Tag], value: Any) -> Box:
        self.current = frame
        if type(value) is dict:
            if len(tags) == len(value):
                self.ledger.shadow(value, dict(zip(value, tags, strict=True)))
        elif type(value) is list:
            self.ledger.shadow(value, tags)
        return Box(value)

    def yielded(self, frame: Frame, box: Box) -> Any:
        if frame.lists:
            self._name_containers(frame)
        self.yielded_last = (box.value, box.tag)
        return box.value

    def resumed(self, frame: Frame, sent: Any) -> Box:
        self.current = frame
        return Box(sent)

    def boxes(self, frame: Frame, box: Box, site: int) -> Iterator[Box]:
        """The items of a loop whose target is more than names."""
        for item, tag in self.calls.iterate(box):
            self.line(frame, site)
            yield Box(item, tag)
            self.current = frame

    def delegate(self, frame: Frame, box: Box) -> Iterator[Any]:
        """``yield from``."""
        for item, tag in self.calls.iterate(box):
            self.yielded_last = (item, tag)
            yield item
            self.current = frame

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
        return self.working

    def opaque(self, what: str, ref: Ref) -> None:
        self.working.lost.append(Loss("opaque", what, ref.step, self.current.site))


def _slot(inputs: list[Ref], ref: Ref) -> Slot:
    if ref in inputs:
        return Slot(inputs.index(ref))
    inputs.append(ref)
    return Slot(len(inputs) - 1)


def _flat(args: list[Any]) -> list[Box]:
    out: list[Box] = []
    for arg in args:
        if type(arg) is list:
            out.extend(arg)
        else:
            out.append(arg)
    return out


def _describe(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape:
        return f"an array of shape {tuple(shape)}"
    return f"the number {value}"


