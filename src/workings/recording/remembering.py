"""Sets and texts made from numbers: what they look like may steer a program, so those numbers are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workings.recording.frames import Box
from workings.recording.ledger import NUMBERS
from workings.recording.operations import doings, functions
from workings.recording.working import Guard, Ref
from workings.recording.writer import NUMPY_ARRAY, Writer


class Remembering(Writer):
    """Knows which sets and texts were made from which numbers."""

    # -- sets ---------------------------------------------------------------------------------------------------

    def made_set(self, value: Any, boxes: list[Box]) -> Box:
        """A set of numbers: which of them are equal must not change; looking inside it guards their values."""
        known = [b for b in boxes if isinstance(self.tag_of(b), Ref)]
        if known and all(type(b.value) in NUMBERS or isinstance(b.value, np.generic) for b in boxes):
            same = doings.classes(*[b.value for b in boxes])
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

    # -- texts --------------------------------------------------------------------------------------------------

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
        found = [boxes for made, _, boxes in self._texts if (plain and plain in made) or made == text]
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
        elif type(box.value) is NUMPY_ARRAY:
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
                return Box(
                    len(text), self.step("text_length", name, tuple(inputs), (parts, *values), {}, value=len(text))
                )
        return None
