"""SIGTERM and Ctrl-C ask a training to stop; it finishes its step and saves."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Self, final

_ONE = 1.0
"""Signals within so many seconds are one: a terminal sends Ctrl-C to torchrun, which sends it on."""


@final
class Stopping:
    """Inside ``with Stopping() as stopping``, `stopping.asked` says whether one of the signals came.

    A later one stops at once, with KeyboardInterrupt. Outside the main thread, signals are left as they are.
    """

    def __init__(self) -> None:
        self.asked = False
        self._since = 0.0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked and time.monotonic() - self._since > _ONE:
            raise KeyboardInterrupt
        self._since = self._since if self.asked else time.monotonic()
        self.asked = True
