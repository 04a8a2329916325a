"""What is wrong with a run file, a run directory or a training, said so that it can be mended."""

from __future__ import annotations

import errno


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


class ToldElsewhere(Exception):
    """Another of the processes that train together says what is wrong; this one ends without a word."""


def why(error: OSError) -> str:
    """What the system says is wrong, without the path that the message names already."""
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    return (error.strerror or str(error)).lower()
