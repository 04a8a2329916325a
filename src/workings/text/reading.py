"""Text files, gzip or not, one or a folder of them, read in a stream."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workings.text.errors import TextError, at, why
from workings.wording import near

CHUNK = 1 << 20
_LONGEST_CHUNK = 1 << 24
_UTF8_MARK = "\ufeff"


def read_lines(path: Path | str) -> Iterator[str]:
    r"""The lines of a UTF-8 file, or of all files of a folder, without their line ends (``\n`` or ``\r\n``).

    Gzip is known by its first bytes. Only ``\n`` ends a line, so that the count is the one of every other tool.

    Raises:
        TextError: no such file, an empty folder, bytes that are not UTF-8, a damaged gzip file.
    """
    for file in files_of(Path(path)):
        for _, line in numbered_lines(file):
            yield line


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line of one file with its number, from 1."""
    number = 0
    with _opened(path) as stream, _readable(path):
        for number, line in enumerate(stream, 1):
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise _not_text(path, number, line, error) from None
            text = text.removesuffix("\n").removesuffix("\r")
            yield number, text.removeprefix(_UTF8_MARK) if number == 1 else text


def read_text(path: Path | str) -> Iterator[str]:
    """The text of a UTF-8 file, or of all files of a folder, whole, in parts of about a million characters.

    Parts end before white space, where no tokeniser here would join the two sides: the pieces of the parts are the
    pieces of the whole. (Only where sixteen million characters hold no such place are they parted elsewhere.)
    """
    for file in files_of(Path(path)):
        yield from file_text(file)


def file_text(path: Path) -> Iterator[str]:
    """The text of one file in parts; see `read_text`."""
    held = ""
    for part in _decoded(path):
        searched = max(1, len(held))
        held += part
        cut = _seam(held, searched)
        if cut:
            yield held[:cut]
            held = held[cut:]
        elif len(held) >= _LONGEST_CHUNK:
            yield held
            held = ""
    if held:
        yield held


def _seam(text: str, first: int) -> int:
    """The last place, from `first` on, where a space or line end follows something that is no white space, or 0."""
    for place in range(len(text) - 1, first - 1, -1):
        if text[place] in " \n" and not text[place - 1].isspace():
            return place
    return 0


def _decoded(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, first = 1, True
    with _opened(path) as stream, _readable(path):
        while True:
            block = stream.read(CHUNK)
            pending = decoder.getstate()[0]
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                whole = pending + block
                raise _not_text(path, line + whole.count(b"\n", 0, error.start), whole, error) from None
            line += text.count("\n")
            if first and text:
                text, first = text.removeprefix(_UTF8_MARK), False
            if text:
                yield text
            if not block:
                return


def files_of(path: Path) -> list[Path]:
    """The file itself, or every file below a folder in the order of the names, hidden ones left out.

    Raises:
        TextError: there is no such file, or the folder is empty.
    """
    if path.is_dir():
        found = sorted(
            file
            for file in path.rglob("*")
            if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
        )
        if not found:
            raise TextError("a folder without files", "text files", "put the corpus there", where=at(path))
        return found
    if not path.exists():
        beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = near(path.name, beside, "check the path")
        raise TextError("there is no such file", "a text file or a folder", hint, where=at(path))
    return [path]


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise TextError(f"it cannot be read: {why(error)}", "a text file", where=at(path)) from None
    with file:
        zipped = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if zipped:
            with gzip.open(file) as stream:
                yield stream  # type: ignore[misc]  # a GzipFile reads as a BinaryIO does
        else:
            yield file


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        hint = "copy the file again from where it is whole"
        raise TextError(f"the gzip file is damaged: {str(error).lower()}", hint=hint, where=at(path)) from None
    except OSError as error:
        raise TextError(f"it cannot be read: {why(error)}", where=at(path)) from None


def _not_text(path: Path, line: int, content: bytes, error: UnicodeDecodeError) -> TextError:
    found = f"the byte 0x{content[error.start]:02x}, which is not UTF-8 there ({error.reason})"
    if line == 1 and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        found = "a file in UTF-16"
    return TextError(found, "UTF-8", "convert it, for example with iconv", where=at(path, line))
