"""What rewritten source calls: each method performs exactly one thing the source would do, and writes it down.

Inside rewritten expressions values travel in boxes, beside the origin of the number where the object itself cannot carry
one (Python's integers and floats are shared objects). Variables, containers, arguments and results hold the plain objects.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import GeneratorType
from typing import Any

import numpy as np

from workings.equations import EQUATIONS
from workings.recording import containers
from workings.recording.conventions import read_conventions
from workings.recording.calls import Calls
from workings.recording.ledger import CONSTANT, NUMBERS, Ledger, Tag
from workings.recording.operations import functions
from workings.recording.working import Binding, Group, Guard, Loss, Ref, Site, Slot, Source, Step, Working

NUMPY_ARRAY = np.ndarray
LOST = "origin not recorded"
# Operations whose result has a shape that depends on the numbers they are given.
_SHAPED_BY_NUMBERS = {
    *("nonzero", "argwhere", "flatnonzero", "unique", "compress", "extract", "trim_zeros", "delete", "bincount"),
    *("arange", "zeros", "ones", "empty", "full", "eye", "identity", "tri", "tile", "repeat", "resize", "indices"),
}
_PLAIN = {str, list, tuple, dict, set, type(None)}


class Box:
    """A value on its way through an expression, with its origin."""

    __slots__ = ("tag", "value")

    def __init__(self, value: Any, tag: Any = None) -> None:
        self.value = value
        self.tag = tag


class Frame:
    """One activation of a rewritten scope: the origins of its variables, and where it stands."""

    __slots__ = ("classes", "collect", "collector", "group", "followed", "kept", "lists", "site", "statement", "tags")

    def __init__(self, group: int, site: Site | None = None, statement: int = 0) -> None:
        self.tags: dict[str, tuple[Any, Tag]] = {}
        self.group = group
        self.site = site
        self.statement = statement
        self.collect: dict[int, list[Tag]] = {}
        self.collector: list[Tag] | None = None
        self.kept: dict[int, Box] = {}
        self.lists: dict[str, Any] = {}
        self.classes: dict[tuple[str, str], Box] = {}
        self.followed = True


class Recorder:
    """Records one computation into one Working."""

    def __init__(self, source: Source, sites: Sequence[Site]) -> None:
        self.working = Working(source)
        self.ledger = Ledger(self)
        self.calls = Calls(self, Box)
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
        self.named: dict[tuple[int, str], Ref] = {}  # what each name was last bound to
        self.patched: list[tuple[type, str, Any]] = []
        self.overrides: dict[tuple[str, int], Any] = {}
        self.bound: dict[str, int] = {}
        self.module_defaults: dict[int, tuple[Any, ...]] = {}  # a function's site -> its defaults from before
        self._texts: list[tuple[str, tuple[Any, ...] | None, list[Box]]] = []
        self._shown: list[Box] = []
        self._sets: dict[int, tuple[Any, list[Box]]] = {}
        self.defaults: dict[int, list[tuple[Any, Tag]]] = {}
        self.sent: tuple[Any, Tag] | None = None
        self.counters: set[int] = set()
        self._guarded: set[tuple[int, tuple[int, ...], bool]] = set()

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
        shape = step.shape = shape if type(shape) is tuple else tuple(shape)
        dtype = getattr(value, "dtype", None)
        step.dtype = type(value).__name__ if dtype is None else _TYPE_NAMES.get(dtype) or _type_name(dtype)
        working.steps.append(step)
        if operation not in ("given", "opaque"):
            fixed, counters = self.fixed, self.counters
            if all(r.step in fixed for r in inputs):
                fixed.add(number)
            elif all(r.step in counters or r.step in fixed for r in inputs):
                counters.add(number)
            if shape and self._varies(step):
                working.varying.add(number)
        return Ref(number)

    def _varies(self, step: Step) -> bool:
        """Whether the shape of a value depends on numbers (how many pass a mask), so that it may differ on replay."""
        if any(r.step in self.working.varying for r in step.inputs):
            return True
        if step.operation == "getitem":
            index = step.arguments[1]
            parts = index if type(index) is tuple else (index,)
            slots = [step.inputs[p.position] for p in parts if type(p) is Slot]
            return any(self.working.steps[r.step].dtype == "bool" for r in slots)
        return step.operation in _SHAPED_BY_NUMBERS and not all(
            r.step in self.fixed or r.step in self.counters for r in step.inputs
        )

    def given(self, value: Any, *, lost: bool = True, plain: bool = False, note: str = "") -> Ref:
        """A value that no step produced: an input, a number written in the source, or one whose origin was not seen."""
        ref = self.step("given", "", (), (), {}, value=value, note=note)
        self.working.steps[ref.step].plain = plain
        if lost:
            self.working.steps[ref.step].note = note or LOST
            where = self.current.site
            self.working.lost.append(Loss(LOST, _describe(value), ref.step, where))
        return ref

    def found(self, ref: Ref) -> None:
        """A value that seemed to come from nowhere has a name after all (a global, an argument): it is an input."""
        step = self.working.steps[ref.step]
        if step.operation == "given" and step.note == LOST:
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
        return self.know(result, self.write(function, args, kwargs, result, output=output), args)

    def write(
        self,
        function: functions.Function,
        args: Sequence[Box],
        kwargs: dict[str, Box],
        result: Any,
        *,
        output: int | None = None,
    ) -> Ref:
        """Write down a call that has been made."""
        inputs: list[Ref] = []
        arguments = tuple([self.template(a, inputs) for a in args])
        keywords = {k: self.template(v, inputs) for k, v in kwargs.items() if k != "out"}
        return self.step(
            function.operation, function.name, tuple(inputs), arguments, keywords, value=result, output=output
        )

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
        value, tag = box.value, box.tag
        if not isinstance(tag, Ref) and isinstance(value, np.generic):
            tag = self.ledger.scalar_ref(value)
        if isinstance(tag, Ref) and tag.step not in self.fixed:
            kept = value.item() if isinstance(value, np.generic) else value
            key = (tag.step, tag.index, type(kept) is bool)
            if key not in self._guarded:
                self._guarded.add(key)
                self.working.guards.append(Guard(tag, kept, self.current.site, reason))

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

    def enter(self, name: str, kind: str, site: int, parameters: tuple[tuple[str, Any, bool], ...]) -> Frame:
        """A rewritten function begins: a group, with its parameters named."""
        caller = self.current
        pending, self.pending = self.pending, None
        groups = self.working.groups
        opened = self.tensors.scopes.take_frame(caller) if self.tensors is not None and name == "forward" else None
        if opened is not None:
            group = groups[opened.group]  # the module whose ``forward`` this is
        else:
            group = Group(len(groups), caller.group, name, kind, caller.statement, site=caller.site)
            groups.append(group)
        if name in EQUATIONS and self.sites[site].file == EQUATIONS[name].__code__.co_filename:
            group.equation = name
        self.statements += 1
        frame = Frame(group.number, self.sites[site], self.statements)
        self.current = frame
        self.calls.bind_parameters(frame, site, parameters, pending)
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
                self.bind(frame, name, ref)
        for name, (value, _) in list(frame.tags.items()):
            self._name_written(frame, name, value)

    def _name_written(self, frame: Frame, name: str, value: Any) -> None:
        """So are arrays and tensors that were written into: the name means what they hold at the end."""
        if isinstance(value, NUMPY_ARRAY):
            ref = self.ledger.read(value) if self.ledger.owns(value) else None
        elif self.tensors is not None and self.tensors.is_tensor(value):
            ref = self.tensors.read(value) if value._base is None else None
        else:
            return
        last = self.named.get((frame.group, name))
        if ref is None or last is None or last == ref:
            return
        step = self.working.steps[ref.step]
        self.named[frame.group, name] = ref
        self.working.bindings.append(Binding(frame.group, name, ref, step.statement, step.site))

    # -- names --------------------------------------------------------------------------------------------------

    def class_value(self, frame: Frame, owner: str, name: str, box: Box) -> Any:
        """``name = value`` in the body of a class."""
        frame.classes[owner, name] = box
        return box.value

    def class_load(self, frame: Frame, owner: str, name: str, value: Any) -> Box:
        known = frame.classes.get((owner, name))
        return known if known is not None and known.value is value else Box(value)

    def class_made(self, frame: Frame, owner: str, made: Any) -> None:
        """A class has been made: its attributes have origins."""
        for (group, name), box in list(frame.classes.items()):
            if group != owner:
                continue
            del frame.classes[group, name]
            if isinstance(made, type) and vars(made).get(name) is box.value:
                tag = box.tag
                if tag is CONSTANT and type(box.value) in NUMBERS and type(box.value) is not bool:
                    tag = self.given(box.value, lost=False)
                self.ledger.set_attribute(made, name, box.value, tag)
                if isinstance(tag, Ref):
                    self.bind(frame, name, tag)

    def default(self, key: int, box: Box) -> Any:
        """The default of a parameter is worked out when its function is made, and remembered for its calls."""
        self.defaults.setdefault(key, []).append((box.value, box.tag))
        return box.value

    def default_tag(self, key: int, value: Any) -> Tag:
        """The origin of a parameter that was left at its default; None where several could be meant."""
        tags = [tag for known, tag in self.defaults.get(key, ()) if known is value]
        return tags[0] if tags and all(t == tags[0] for t in tags) else None

    def load(self, frame: Frame, name: str, value: Any) -> Box:
        entry = frame.tags.get(name)
        if entry is not None and entry[0] is value:
            return Box(value, entry[1])
        return self._load_unknown(frame, name, value)

    def _load_unknown(self, frame: Frame, name: str, value: Any) -> Box:
        """A name bound where we did not look: a global of a module that was not rewritten, a default, a closure."""
        entry = frame.tags.get(name)
        if entry is not None and type(value) is list is type(entry[0]) and _same_items(value, entry[0]):
            self.ledger.shadow(value, list(self.ledger.shadow_of(entry[0]).tags))  # Python's own list of a starred target
            frame.tags[name] = (value, None)
            return Box(value)
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
            self.bind(frame, name, self.ledger.read(value))
            return Box(value, None)
        elif self.tensors is not None and self.tensors.is_tensor(value):
            ref, new = self.tensors.adopt(value)
            if new:
                self.bind(frame, name, ref)
        elif isinstance(value, (list, tuple, dict)) and not frame.followed:
            containers.adopt(self, value)
            ref = containers.read(self, value)
            if ref is not None:
                self.bind(frame, name, ref)
        frame.tags[name] = (value, tag)
        if isinstance(tag, Ref):
            self.bind(frame, name, tag)
        return Box(value, tag)

    def bind(self, frame: Frame, name: str, ref: Ref) -> None:
        """A name for a value, in the scope of a frame."""
        self.named[frame.group, name] = ref
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
                tag = self.given(value, lost=False)
                if kind is int:
                    self.counters.add(tag.step)
            frame.tags[name] = (value, tag)
            if isinstance(tag, Ref):
                self.bind(frame, name, tag)
            return value
        if kind is NUMPY_ARRAY:
            if value.dtype.kind in "fiubc":
                self.bind(frame, name, self.ledger.read(value))
        elif kind is list or kind is tuple:
            ref = containers.read(self, value)
            if kind is list:
                frame.lists[name] = value
            if ref is not None:
                self.bind(frame, name, ref)
        elif kind is not str and value is not None:
            ref = self.ref(box)
            if ref is not None:
                self.bind(frame, name, ref)
        frame.tags[name] = (value, tag)
        return value

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

    def unpack(self, frame: Frame, spec: tuple[Any, ...], box: Box) -> Any:
        """``a, (b, *c) = value``: gives Python something that falls into the same objects, and names their origins."""
        value, boxes = self._fallen(box)
        star = next((i for i, s in enumerate(spec) if type(s) is str and s.startswith("*")), -1)
        if len(boxes) < len(spec) - 1 or star < 0 and len(boxes) != len(spec):
            return value  # Python raises, with its own words
        out = []
        for part, inner in zip(spec, _grouped(self, boxes, len(spec), star), strict=True):
            if type(part) is tuple:
                out.append(self.unpack(frame, part, inner))
            else:
                stored = self.store(frame, part.removeprefix("*"), inner) if part else inner.value
                out.append(stored)
        if star >= 0:
            out[star : star + 1] = out[star]
        return out

    def _fallen(self, box: Box) -> tuple[Any, list[Box]]:
        """A value to be unpacked: its items, each with its origin."""
        value = box.value
        if not isinstance(value, (tuple, list)):
            value = self.calls.rows(box)
            box = Box(value)
        items, tags = self.calls.items_of(box)
        return value, [Box(item, tag) for item, tag in zip(items, tags, strict=True)]

    def split(self, count: int, star: int, box: Box) -> list[Box]:
        """The parts of a value for an assignment to several targets that are not all names."""
        _, boxes = self._fallen(box)
        if star < 0 and len(boxes) != count:
            words = "too many values" if len(boxes) > count else "not enough values"
            got = "" if len(boxes) > count else f", got {len(boxes)}"
            raise ValueError(f"{words} to unpack (expected {count}{got})")
        if len(boxes) < count - 1:
            raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(boxes)})")
        return _grouped(self, boxes, count, star)

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
        flat = _flat(boxes)
        values = [b.value for b in flat]
        if kind == "set":
            return self.made_set(set(values), flat)
        value = values if kind == "list" else tuple(values)
        if flat:
            self.ledger.shadow(value, [b.tag for b in flat])
        return Box(value)

    def made_set(self, value: Any, boxes: list[Box]) -> Box:
        """A set of numbers: which of them are equal must not change; looking inside it guards their values."""
        known = [b for b in boxes if isinstance(self.tag_of(b), Ref)]
        if known and all(type(b.value) in NUMBERS or isinstance(b.value, np.generic) for b in boxes):
            same = functions.classes(*[b.value for b in boxes])
            self.guard(self.record(functions.BY_NAME["recording.classes"], boxes, {}, same), "which members are equal")
            self._sets[id(value)] = (value, known)
        else:
            for box in boxes:
                self.guard(box, "a member of a set")
        return Box(value)

    def opened_set(self, value: Any) -> None:
        """A set is walked through, searched or changed: its members steer the program."""
        for box in self._sets.pop(id(value), (None, []))[1]:
            self.guard(box, "a member of a set")

    def tag_of(self, box: Box) -> Tag:
        """The origin of a number, whether it travels beside it or with it."""
        if isinstance(box.tag, Ref) or not isinstance(box.value, np.generic):
            return box.tag
        return self.ledger.scalar_ref(box.value)

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

    def truth(self, frame: Frame, box: Box, site: int = -1) -> bool:
        if site >= 0:
            self.line(frame, site)
        value, tag = box.value, box.tag
        kind = type(value)
        if kind is bool or kind in NUMBERS or kind in _PLAIN:
            result = bool(value)
        elif isinstance(value, (NUMPY_ARRAY, np.generic)):
            result, tag = bool(value), self.ref(box)
        elif self.tensors is not None and self.tensors.is_tensor(value):
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

    # -- places -------------------------------------------------------------------------------------------------

    def attribute(self, frame: Frame, box: Box, name: str) -> Box:
        return self.calls.attribute(frame, box, name)

    def set_attribute(self, frame: Frame, holder: Box, name: str, box: Box) -> None:
        self.calls.set_attribute(frame, holder, name, box)

    def item(self, frame: Frame, box: Box, index: Box) -> Box:
        return self.calls.getitem(frame, box, index)

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
        if frame.lists:
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
            self.line(frame, site)
            yield Box(item, tag)
            self.current = frame

    def delegate(self, frame: Frame, box: Box) -> Iterator[Any]:
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
        self.working.__dict__.pop("index", None)  # names made on the way do not hold the rest
        self.working.conventions = read_conventions(self.working) | self.working.conventions
        return self.working

    def shown(self, box: Box) -> Any:
        """A value that goes into a text."""
        self._shown.append(box)
        return box.value

    def text(self, value: str, parts: tuple[Any, ...] | None) -> Box:
        """A string put together from values."""
        count = sum(type(p) is tuple for p in parts) if parts is not None else len(self._shown)
        boxes = self._shown[len(self._shown) - count :]
        del self._shown[len(self._shown) - count :]
        self.made_text(value, boxes, parts)
        return Box(value)

    def made_text(self, text: Any, boxes: Sequence[Box], parts: tuple[Any, ...] | None = None) -> None:
        """Text that shows numbers: should it steer the program or be read again, those numbers must not change."""
        if type(text) is str and any(map(self.calls.holds_numbers, boxes)):
            self._texts.append((text, parts, list(boxes)))

    def opened_text(self, text: str | bytes) -> bool:
        """Text is compared, read as a number or returned. Says whether it was made from numbers."""
        if not self._texts:
            return False
        plain = (text.decode("latin-1") if isinstance(text, bytes) else text).strip()
        found = [boxes for made, _, boxes in self._texts if plain and plain in made or made == text]
        for boxes in found:
            for box in boxes:
                self.guard_inside(box, "a number written as text")
        return bool(found)

    def guard_inside(self, box: Box, reason: str) -> None:
        """Every number of a value must come out the same on replay."""
        if isinstance(box.value, (list, tuple)):
            for value, tag in zip(*self.calls.items_of(box), strict=True):
                self.guard_inside(Box(value, tag), reason)
        elif isinstance(box.value, dict):
            for key, value in box.value.items():
                self.guard_inside(Box(value, self.ledger.entry(box.value, key, value)), reason)
        elif isinstance(box.value, NUMPY_ARRAY):
            ref = self.ref(box)
            if ref is not None and ref.step not in self.fixed:
                self.working.guards.append(Guard(ref, box.value.tolist(), self.current.site, reason))
        else:
            self.guard(box, reason)

    def text_length(self, text: str) -> Box | None:
        """``len`` of a text made from numbers can be worked out again."""
        for made, parts, boxes in self._texts:
            if made is text and parts is not None and len(boxes) == sum(type(p) is tuple for p in parts):
                inputs: list[Ref] = []
                values = tuple([self.template(b, inputs) for b in boxes])
                name = "recording.text_length"
                return Box(len(text), self.step("text_length", name, tuple(inputs), (parts, *values), {}, value=len(text)))
        return None

    def opaque(self, what: str, ref: Ref) -> None:
        self.working.lost.append(Loss("opaque", what, ref.step, self.current.site))


def _slot(inputs: list[Ref], ref: Ref) -> Slot:
    if ref in inputs:
        return Slot(inputs.index(ref))
    inputs.append(ref)
    return Slot(len(inputs) - 1)


def _flat(args: Sequence[Any]) -> list[Box]:
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


_TYPE_NAMES: dict[Any, str] = {}


def _type_name(dtype: Any) -> str:
    name = _TYPE_NAMES[dtype] = str(dtype).removeprefix("torch.")
    return name


def _same_items(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def _grouped(recorder: Recorder, boxes: list[Box], count: int, star: int) -> list[Box]:
    """Items as the targets take them: what a starred target takes becomes a list."""
    if star < 0:
        return boxes
    stop = len(boxes) - (count - star - 1)
    rest = [b.value for b in boxes[star:stop]]
    if rest:
        recorder.ledger.shadow(rest, [b.tag for b in boxes[star:stop]])
    return [*boxes[:star], Box(rest), *boxes[stop:]]
