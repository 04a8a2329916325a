"""A computation put together by our own code (an example file, an opening) and recorded as it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from workings.recording import containers, source
from workings.recording.recorder import Box, Frame, Recorder
from workings.recording.working import Group, Ref, Site, Source, Working


class Program:
    """Builds one Working: values are given, functions are called on them, groups bracket what belongs together.

    Values travel as boxes. The functions called are recorded line by line if their source is of the kind that is
    followed (the equations are), and as one step each otherwise.
    """

    def __init__(self, origin: Source) -> None:
        self.recorder = Recorder(origin, source.SITES)
        self.working: Working = self.recorder.working
        self._frames = [self.recorder.root]

    @property
    def frame(self) -> Frame:
        return self._frames[-1]

    def given(
        self,
        name: str,
        value: Any,
        labels: Sequence[Sequence[str] | None] | None = None,
        *,
        note: str = "",
        site: Site | None = None,
    ) -> Box:
        """A named input: an array, a number or a nested list; ``labels`` name the entries of each axis."""
        self._statement(site)
        array = np.asarray(value) if isinstance(value, list) else value
        ref = self.recorder.given(array, lost=False, note=note)
        box = self.recorder.know(array, ref)
        if labels is not None:
            self.working.axis_labels[ref.step] = tuple(tuple(a) if a is not None else None for a in labels)
        return self._bind(name, box)

    def call(
        self,
        function: Callable[..., Any],
        *args: Any,
        names: str | Sequence[str] = (),
        site: Site | None = None,
        **kwargs: Any,
    ) -> Any:
        """Call a function on boxes (or plain constants) and name its result, or the parts of its result.

        Returns a box, or a list of boxes where ``names`` is a sequence.
        """
        self._statement(site)
        boxes = [self._boxed(a) for a in args]
        keywords = {k: self._boxed(v) for k, v in kwargs.items()}
        result = self.recorder.calls.call(self.frame, function, boxes, keywords)
        self.recorder.current = self.frame
        if isinstance(names, str):
            return self._bind(names, result) if names else result
        if not names:
            return result
        values, tags = self.recorder.calls.items_of(result)
        parts = [Box(v, t) for v, t in zip(values, tags, strict=True)]
        return [self._bind(name, part) if name else part for name, part in zip(names, parts, strict=True)]

    def label(self, box: Box, *axes: Sequence[str] | None) -> None:
        """Name the entries along the axes of a value."""
        ref = self.recorder.ref(box)
        if ref is not None and not ref.index:
            self.working.axis_labels[ref.step] = tuple(tuple(a) if a is not None else None for a in axes)

    def alias(self, name: str, box: Box) -> Box:
        """Another name for a value, in the group under way."""
        self._statement(None)
        return self._bind(name, box)

    def tuple(self, *boxes: Any, kind: Callable[..., Any] = tuple) -> Box:
        """Several values as one argument; ``kind`` makes it (a tuple, a list, a named tuple's ``_make``)."""
        parts = [self._boxed(b) for b in boxes]
        value = kind([p.value for p in parts])
        self.recorder.ledger.shadow(value, [p.tag for p in parts])
        return Box(value)

    @contextmanager
    def group(
        self,
        name: str,
        *,
        kind: str = "section",
        title: str = "",
        section: str = "",
        equation: str = "",
        detail: str = "",
    ) -> Iterator[Group]:
        """A named bracket around what is recorded inside: a section, or one "turn" of a loop."""
        groups = self.working.groups
        group = Group(
            len(groups),
            self.frame.group,
            name,
            kind,
            self.recorder.statements,
            title,
            equation,
            section,
            None,
            detail,
        )
        groups.append(group)
        frame = Frame(group.number)
        self._frames.append(frame)
        self.recorder.current = frame
        try:
            yield group
        finally:
            self._frames.pop()
            self.recorder.current = self.frame

    @contextmanager
    def within(self, frame: Frame) -> Iterator[None]:
        """Go back into a group that was opened earlier."""
        self._frames.append(frame)
        self.recorder.current = frame
        try:
            yield
        finally:
            self._frames.pop()
            self.recorder.current = self.frame

    def finish(self) -> Working:
        return self.recorder.finish()

    def _statement(self, site: Site | None) -> None:
        self.recorder.statements += 1
        self.frame.statement = self.recorder.statements
        self.frame.site = site
        self.recorder.current = self.frame

    def _bind(self, name: str, box: Box) -> Box:
        """Name a value. In a what-if that runs the program again, the changed value takes its place from here on."""
        if self.recorder.overrides:
            before = self.recorder.ref(box)
            box = self.recorder.override(self.frame, name, box)
            ref = self.recorder.ref(box)
            if before is not None and ref is not None and before.step in self.working.axis_labels:
                self.working.axis_labels.setdefault(ref.step, self.working.axis_labels[before.step])
        ref = self.recorder.ref(box)
        if ref is not None:
            self.recorder.name_at(self.frame, name, ref, self.frame.statement, self.frame.site)
        return box

    def _boxed(self, value: Any) -> Box:
        if isinstance(value, Box):
            return value
        if isinstance(value, np.ndarray):
            known = self.recorder.ledger.knows(value)
            ref = self.recorder.ledger.read(value)
            if not known:
                self.recorder.found(ref)
            return Box(value)
        if isinstance(value, (list, tuple)) and any(isinstance(v, Box) for v in value):
            return self.tuple(*value, kind=type(value))
        if isinstance(value, list):
            containers.adopt(self.recorder, value)
            return Box(value)
        return self.recorder.constant(value)


__all__ = ["Box", "Program", "Ref"]
