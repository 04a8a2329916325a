"""What is wrong with a text, a corpus or a saved tokeniser, said so that it can be mended."""

from __future__ import annotations

from pathlib import Path


class TextError(Exception):
    """A mistake in what was given to read. The message names file and line, what was found, what was expected, and
    one thing to do. `where` is empty for what is wrong with no file."""

    def __init__(self, found: str, expected: str = "", hint: str = "", *, where: str = "") -> None:
        message = f"{where}: {found}" if where else found
        if expected:
            message += f"; expected {expected}"
        if hint:
            message += f"; {hint}"
        super().__init__(_printable(message))
        self.where = where


def at(path: Path, line: int = 0) -> str:
    """A place in a file as messages name it; lines count from 1."""
    return f"{path}, line {line}" if line else str(path)


def why(error: OSError) -> str:
    """What the system says is wrong, without the path that the message names already."""
    return (error.strerror or str(error)).lower()


def shortened(text: str, longest: int = 40) -> str:
    """Text quoted in a message, cut where it is long."""
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
