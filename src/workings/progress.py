"""How far a piece of work is: what it says of itself while it goes on, to whoever listens."""

from __future__ import annotations

from collections.abc import Sized
from typing import Protocol


class Report(Protocol):
    """Is told what is being done now. It costs no more than the call: who wants to know looks when it suits them."""

    def __call__(self, doing: str, done: int | Sized = 0, of: int = 0, what: str = "") -> None:
        """Begin something, or go on with it.

        Args:
            doing: what is done, as "recording".
            done: how many are done; or what grows with every one, for work that has no time to count.
            of: how many there will be; 0 where nobody knows.
            what: what is counted, as "tokens".
        """


def unheard(doing: str, done: int | Sized = 0, of: int = 0, what: str = "") -> None:
    """For work that nobody waits for."""
