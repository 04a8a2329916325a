"""What is wrong with a run file, a run directory or a training, said so that it can be mended."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable


class TrainingError(Exception):
    """A mistake that the user can mend. The message names the file and key, what was found, what was expected, and one
    thing to do."""

    def __init__(self, found: str, expected: str = "", hint: str = "", *, where: object = "") -> None:
        message = f"{where}: {found}" if str(where) else found
        if expected:
            message += f"; expected {expected}"
        if hint:
            message += f"; {hint}"
        super().__init__("".join(c if c.isprintable() else ascii(c)[1:-1] for c in message))


def near(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """ "did you mean ...?", where some known word is close; else `otherwise`."""
    close = difflib.get_close_matches(word, list(known), 2, 0.6)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else otherwise


def why(error: OSError) -> str:
    """What the system says is wrong, without the path that the message names already."""
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    return (error.strerror or str(error)).lower()
