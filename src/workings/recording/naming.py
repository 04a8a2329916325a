"""Names: the scopes a program is in, and what each of their names is bound to."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.equations import EQUATIONS
from workings.recording import containers, held
from workings.recording.frames import Box, Frame
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.remembering import Remembering
from workings.recording.shadows import Line
from workings.recording.working import Binding, Group, Ref, Site
from workings.recording.writer import NUMPY_ARRAY


class Naming(Remembering):
    """Follows scopes and their names."""

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
        """What changed after it was named is named once more as it ended, at the line that last changed it."""
        there = frame.statement, frame.site
        self.current = frame
        for name, holder in frame.holders.items():
            entry = frame.tags.get(name)
            if entry is not None and entry[0] is holder:
                held.name_as_it_ended(self, frame, name, holder)
                frame.statement, frame.site = there
        for name, (value, _) in list(frame.tags.items()):
            if type(value) is NUMPY_ARRAY:
                self._name_written(frame, name, value, self.ledger)
            elif self.calls.is_tensor(value):
                self._name_written(frame, name, value, self.tensors.ledger)

    def _name_written(self, frame: Frame, name: str, value: Any, ledger: Any) -> None:
        """An array or a tensor: it, or another window on its memory, may have been written into."""
        steps, last = self.working.steps, self.named.get((frame.group, name))
        if last is None or not ledger.knows(value):
            return
        first = len(steps)
        ref: Ref = ledger.read(value)
        if ref == last:
            return
        again = steps[first:]  # a window is read anew from what was written
        sources = [ref.step] if not again else [r.step for s in again for r in s.inputs if r.step < first]
        line: tuple[int, Site | None] = frame.statement, None
        if sources:
            written = steps[max(sources)]
            line = self.in_scope(frame, (written.group, written.statement, written.site))
        for step in again:
            step.statement, step.site = line
        self.name_at(frame, name, ref, *line)

    def in_scope(self, frame: Frame, line: Line) -> tuple[int, Site | None]:
        """A line as its scope sees it: what a function does belongs to the line that called it."""
        group, statement, site = line
        while group != frame.group:
            called = self.working.groups[group]
            if called.parent is None:
                return frame.statement, None  # in no function that this scope called
            group, statement, site = called.parent, called.statement, called.site
        return statement, site

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
            self.ledger.shadow(
                value, list(self.ledger.shadow_of(entry[0]).tags)
            )  # Python's own list of a starred target
            frame.tags[name] = (value, None)
            return Box(value)
        tag: Tag = None
        if type(value) in NUMBERS and type(value) is not bool:
            tag = self.given(value, lost=frame.followed and name not in frame.imported)
        elif isinstance(value, np.generic):
            tag = self.ledger.scalar_ref(value) or self.given(value, lost=False)
            self.ledger.scalar(value, tag)
        elif type(value) is NUMPY_ARRAY and value.dtype.kind in "fiubc":
            if not self.ledger.knows(value):
                self.found(self.ledger.read(value))
            frame.tags[name] = (value, None)
            self.bind(frame, name, self.ledger.read(value))
            return Box(value, None)
        elif self.calls.is_tensor(value):
            ref, new = self.tensors.adopt(value)
            if new:
                self.bind(frame, name, ref)
        elif isinstance(value, (list, tuple, dict)) and not frame.followed:
            containers.adopt(self._whole, value)
            ref = containers.read(self._whole, value)
            if ref is not None:
                self.bind(frame, name, ref)
        frame.tags[name] = (value, tag)
        if isinstance(tag, Ref):
            self.bind(frame, name, tag)
        return Box(value, tag)

    def bind(self, frame: Frame, name: str, ref: Ref) -> None:
        """A name for a value, in the scope of a frame. In a comprehension it is not that of a variable around it."""
        around = frame.around
        while around is not None:
            if name in around.tags:
                return
            around = around.around
        self.name_at(frame, name, ref, self.current.statement, self.current.site)

    def name_at(self, frame: Frame, name: str, ref: Ref, statement: int, site: Site | None) -> None:
        """A name for a value, given at another line than the one under way."""
        self.named[frame.group, name] = ref
        self.working.bindings.append(Binding(frame.group, name, ref, statement, site))
        if self.overrides:
            full = self._full_name(frame, name)
            self.bound[full] = self.bound.get(full, 0) + 1

    def _full_name(self, frame: Frame, name: str) -> str:
        path = self.calls.group_path(frame.group)
        return f"{path}.{name}" if path else name

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
        elif kind in containers.CONTAINERS:
            ref = containers.read(self._whole, value) if kind is list or kind is tuple else None
            if ref is not None:
                self.bind(frame, name, ref)
            else:
                value = held.name_places(self, frame, name, value)
            frame.holders[name] = value
        elif kind is not str and value is not None:
            ref = self.ref(box)
            if ref is not None:
                self.bind(frame, name, ref)
        frame.tags[name] = (value, tag)
        return value

    def override(self, frame: Frame, name: str, box: Box) -> Box:
        """When the source runs again for a what-if, the changed value takes the place of the one just computed."""
        full = self._full_name(frame, name)
        change = self.overrides.get((full, self.bound.get(full, 0) + 1))
        if change is None:
            return box
        value = change(box.value)
        kept = np.array(value) if isinstance(value, list) else value
        if self.calls.is_tensor(value):
            kept = value.detach().clone()  # the program may write into its own
        ref = self.given(kept, lost=False, note="changed")
        if isinstance(value, list):
            self.working.steps[ref.step].plain = True
            containers.mark(self._whole, value, ref)
            return Box(value, None)
        return self.know(value, ref)

    def unpack(self, frame: Frame, spec: tuple[Any, ...], box: Box) -> Any:
        """``a, (b, *c) = value``: gives Python something that falls into the same objects, and names their origins."""
        value, boxes = self._fallen(box)
        star = _starred(spec)
        if len(boxes) < len(spec) - 1 or (star < 0 and len(boxes) != len(spec)):
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


def _starred(spec: tuple[Any, ...]) -> int:
    """Where in a target the starred name stands; -1 where there is none."""
    for place, part in enumerate(spec):
        if type(part) is str and part[:1] == "*":
            return place
    return -1


def _same_items(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def _grouped(recorder: Naming, boxes: list[Box], count: int, star: int) -> list[Box]:
    """Items as the targets take them: what a starred target takes becomes a list."""
    if star < 0:
        return boxes
    stop = len(boxes) - (count - star - 1)
    rest = [b.value for b in boxes[star:stop]]
    if rest:
        recorder.ledger.shadow(rest, [b.tag for b in boxes[star:stop]])
    return [*boxes[:star], Box(rest), *boxes[stop:]]
