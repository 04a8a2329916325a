"""The text of a row as it grows: whole characters only, and nothing of a stop string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TextStream(Protocol):
    """What turns tokens into text one after the other, such as `Tokeniser.stream()`."""

    def push(self, *numbers: int) -> str:
        """The text that is certain now."""

    def finish(self) -> str:
        """What was kept back."""


class GrowingText:
    """Text that ends before the first stop string. What may yet become one is kept back.

    Attributes:
        text: what is certain so far.
        stopped: the stop string that was met.
    """

    def __init__(self, stream: TextStream, stops: Sequence[str] = ()) -> None:
        if "" in stops:
            raise ValueError("a stop string is empty; expected at least one character")
        self.text = ""
        self.stopped: str | None = None
        self._stream, self._stops = stream, tuple(stops)
        self._kept_back = ""

    def push(self, token: int) -> str:
        """The text that one more token makes certain."""
        return self._certain(self._stream.push(token))

    def finish(self) -> str:
        """The text that was kept back, now that nothing follows."""
        said = self._certain(self._stream.finish())
        if self.stopped is None:
            said += self._kept_back
            self.text += self._kept_back
        self._kept_back = ""
        return said

    def _certain(self, new: str) -> str:
        if self.stopped is not None:
            return ""
        waiting = self._kept_back + new
        # Where two begin at the same place, the longer one is named.
        found = [(place, -len(stop), stop) for stop in self._stops if (place := waiting.find(stop)) >= 0]
        if found:
            end, _, self.stopped = min(found)
        else:
            end = len(waiting) - max((_overlap(waiting, stop) for stop in self._stops), default=0)
        self._kept_back = waiting[end:]
        self.text += waiting[:end]
        return waiting[:end]


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of `text` begin the stop string."""
    for length in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:length]):
            return length
    return 0
