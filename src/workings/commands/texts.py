"""The texts that a command is given: as words on the command line, in a file, or through a pipe."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from workings.commands.problems import UserError

PIPE = "standard input"
Result = TypeVar("Result")


class Line(NamedTuple):
    """One text, and where it stood as messages name it; nowhere, if it was typed."""

    text: str
    where: str


BY_LINE = "of a file or a pipe, each line by itself; a blank line stays a blank line"


def text_options(parser: ArgumentParser, what: str) -> None:
    """The options that `lines` and `whole_text` read."""
    parser.add_argument("text", metavar="TEXT", nargs="*", help=f"{what}; left out, it is read from the pipe")
    parser.add_argument("-i", "--input", metavar="FILE", help="read it from this file instead (gzip or not)")


def lines(words: Sequence[str], file: str | None) -> Iterator[Line]:
    """One text from the command line, or each line of the file or pipe, blank ones too, as they come.

    Raises UserError where nothing or too much is given, or a text is empty; TextError for what cannot be read.
    """
    if _is_typed(words, file):
        yield Line(_written(" ".join(words)), "")
        return
    found = False
    numbered = _piped_lines() if file is None else _file_lines(file)
    for number, text in numbered:
        found = found or bool(text.strip())
        yield Line(text, f"{file or PIPE}, line {number}")
    if not found:
        raise UserError(f"{file or PIPE}: it is empty", "at least one line of text")


def whole_text(words: Sequence[str], file: str | None) -> str:
    """The text of the command line, or all of the file or pipe but its last line end.

    Raises UserError where nothing or too much is given, or the text is empty; TextError for what cannot be read.
    """
    if _is_typed(words, file):
        return _written(" ".join(words), " ")
    numbered = _piped_lines() if file is None else _file_lines(file)
    text = "\n".join(line for _, line in numbered)
    return _written(text, " ", file or PIPE)


def parts(texts: Iterator[Line], size: int) -> Iterator[list[Line]]:
    """So many at a time."""
    while part := list(islice(texts, size)):
        yield part


def by_line(part: list[Line], work: Callable[[list[Line]], list[list[Result]]]) -> Iterator[list[Result]]:
    """What `work` makes of each line, in order; nothing of a blank one, which keeps its place."""
    written = [line for line in part if line.text.strip()]
    rest = iter(work(written) if written else [])
    for line in part:
        yield next(rest) if line.text.strip() else []


def _is_typed(words: Sequence[str], file: str | None) -> bool:
    """Whether the text stands on the command line."""
    if words and file is not None:
        raise UserError(f"a text is given, and --input {file} too", "one of them", "leave one out")
    if not words and file is None and (sys.stdin is None or sys.stdin.isatty()):
        raise UserError("there is no text", "one on the command line, in a file (--input FILE), or through a pipe")
    return bool(words)


def _written(text: str, blank: str | None = None, where: str = "") -> str:
    """The text, unless it is `blank` signs and nothing else; None: white space."""
    if not text.strip(blank):
        raise UserError("it is empty" if where else "the text is empty", "at least one word", where=where)
    return text


def _file_lines(file: str) -> Iterator[tuple[int, str]]:
    from workings.text.reading import files_of, numbered_lines

    path = Path(file)
    if path.is_dir():
        raise UserError(f"--input {file}: this is a folder", "a text file", "name the file inside it")
    for each in files_of(path):
        yield from numbered_lines(each)


def _piped_lines() -> Iterator[tuple[int, str]]:
    stream = getattr(sys.stdin, "buffer", None)
    raw = stream if stream is not None else io.BytesIO(sys.stdin.read().encode())
    for number, line in enumerate(raw, 1):
        try:
            yield number, line.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            found = f"{PIPE}, line {number}: the byte 0x{line[error.start]:02x} is not UTF-8"
            raise UserError(found, "text in UTF-8", "convert it, for example with iconv") from None
