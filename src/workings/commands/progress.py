"""How far something is: one line on standard error that is written over, where somebody sees it."""

from __future__ import annotations

import sys
import time
from typing import final


@final
class Counter:
    """Is told how many more are done, for `on_done`, and shows how many of all."""

    def __init__(self, what: str, of: int) -> None:
        self.what, self.of, self.done = what, of, 0
        self._seen = sys.stderr is not None and sys.stderr.isatty()
        self._when = 0.0

    def __call__(self, more: int) -> None:
        self.done += more
        if self._seen and (self.done >= self.of or time.monotonic() - self._when > 0.1):
            self._when = time.monotonic()
            line = f"{self.done:,} of {self.of:,} {self.what}"
            end = f"\r{' ' * len(line)}\r" if self.done >= self.of else ""
            print(f"\r{line}{end}", end="", file=sys.stderr, flush=True)
