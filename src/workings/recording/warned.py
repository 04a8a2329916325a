"""Warnings raised while a program is recorded name its own line, as they do when it runs by itself.

A warning belongs to a frame: the one that is running, or one so many above it. In a recording frames of ours stand
between those of the program. So every warning that has passed the filters is given to the frame it would have had
without them, and passes the filters again from there.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from workings.recording.user_code import is_user_file

_OWN = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
_CALLED_BY_US = os.path.join("torch", "_ops.py")  # an operator, called by the dispatch mode
# Until it is given to its frame, no filter but those that let nothing pass may stop a warning.
_PASSING = ("always", None, Warning, re.compile(r"workings\.recording\."), 0)


class _Relocating:
    """Stands in for the function that shows what has passed the filters."""

    def __init__(self, show: Any) -> None:
        self._show = show
        self._again = False

    def __call__(self, message: warnings.WarningMessage) -> None:
        frame = None if self._again else _frame_without_ours(sys._getframe(1), message.filename, message.lineno)
        if frame is None:
            self._show(message)
            return
        self._again = True
        try:
            warnings.warn_explicit(
                message.message, message.category, frame.f_code.co_filename, frame.f_lineno,
                frame.f_globals.get("__name__") or "<string>", frame.f_globals.setdefault("__warningregistry__", {}),
                source=message.source,
            )  # fmt: skip
        finally:
            self._again = False


def _frame_without_ours(running: FrameType, file: str, line: int) -> FrameType | None:
    """The frame a warning would have been given to if none of ours were there; None where none of ours counted."""
    frames: list[FrameType] = []
    above: FrameType | None = running
    while above is not None:
        frames.append(above)
        above = above.f_back
    level = next((n for n, f in enumerate(frames) if (f.f_code.co_filename, f.f_lineno) == (file, line)), -1)
    ours = [_is_ours(frame) for frame in frames]
    for frame, own in zip(frames[: level + 1], ours, strict=False):
        if own:
            frame.f_globals["__warningregistry__"] = None  # one line of ours stands for many of the program's
    others = [frame for frame, own in zip(frames, ours, strict=True) if not own]
    return others[min(level, len(others) - 1)] if any(ours[: level + 1]) and others else None


def _is_ours(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    if file.endswith(_CALLED_BY_US) and frame.f_back is not None:
        return _is_ours(frame.f_back)
    return file.startswith(_OWN) and not is_user_file(file)


@contextmanager
def warnings_of_the_program() -> Iterator[None]:
    """Warnings raised inside name the lines of the program that is recorded there."""
    show = warnings._showwarnmsg  # type: ignore[attr-defined]
    if isinstance(show, _Relocating):
        yield
        return
    filters: Any = warnings.filters
    filters.insert(0, _PASSING)  # without a word to the registries, which remember what has been shown
    warnings._showwarnmsg = _Relocating(show)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        warnings._showwarnmsg = show  # type: ignore[attr-defined]
        lists: list[Any] = [filters, warnings.filters]  # a program may have put others in their place
        for each in lists:
            if _PASSING in each:
                each.remove(_PASSING)
