"""A text as a file of token numbers that is read where it lies, so that a corpus may be larger than memory.

The file holds the numbers (two bytes each, little-endian; four where the vocabulary needs them), then a description
as JSON, its length (8 bytes), and a mark (8 bytes). It is a cache: whatever is wrong with it, it is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from workings.text.errors import TextError, at, why
from workings.text.ragged import Numbers, smallest_type
from workings.text.reading import file_text, files_of
from workings.text.tokenisers import Tokeniser

_MARK = b"workings"
_FORMAT = 1
_SETTLED = 2_000_000_000
"""A file changed less than two seconds before the cache was made may have changed after it with the same time."""
_ABANDONED = 3600.0
"""Seconds after which a file that a killed process left beside the cache is swept away."""


@dataclass(frozen=True)
class _Source:
    """What is remembered of a text file."""

    name: str
    size: int
    changed: int
    digest: str

    def still(self, file: Path, made: int) -> bool:
        """Whether the file holds what it held when the cache was made."""
        try:
            now = file.stat()
            if file.name != self.name or now.st_size != self.size:
                return False
            settled = now.st_mtime_ns == self.changed and made - self.changed > _SETTLED
            return settled or _file_digest(file) == self.digest
        except OSError:  # said where the file is read
            return False


def token_file(path: Path, tokeniser: Tokeniser, cache: Path) -> tuple[Numbers, str]:
    """The numbers of a text or a folder of texts, from the cache or, where that does not fit, made anew into it.

    Between two files of a folder stands the end token.

    Returns:
        The numbers, mapped into memory, and a digest of what they were made from.

    Raises:
        TextError: the text cannot be read or is empty, or the cache cannot be written.
    """
    files = files_of(path)
    try:
        described = _described(cache)
        if described is None or not _fresh(described, files, tokeniser):
            _build(files, path, tokeniser, cache)
            described = _described(cache)
        if described is None:
            raise TextError("it cannot be read back after it was written", hint="try another place", where=at(cache))
        numbers = np.memmap(cache, np.dtype(described["type"]), "r", shape=(described["tokens"],))
    except OSError as error:
        raise TextError(f"the tokens cannot be kept there: {why(error)}", where=at(cache)) from None
    return numbers, _digest(tokeniser, [source["digest"] for source in described["sources"]])


def tokenised(files: list[Path], path: Path, tokeniser: Tokeniser) -> Iterator[Numbers]:
    """The numbers of the files, in parts.

    Raises:
        TextError: there is no text in them.
    """
    kind = smallest_type(len(tokeniser))
    something = False
    for place, file in enumerate(files):
        if place:
            yield np.array([tokeniser.end], kind)
        for text in file_text(file):
            part = np.array(tokeniser.encode(text), kind)
            something = something or (len(part) > 0 and not text.isspace())
            yield part
    if not something:
        raise TextError("there is no text in it", "at least one line of text", "check the path", where=at(path))


def _fresh(described: dict[str, Any], files: list[Path], tokeniser: Tokeniser) -> bool:
    sources = [_Source(**source) for source in described["sources"]]
    return (
        described["tokeniser"] == tokeniser.fingerprint
        and len(sources) == len(files)
        and all(source.still(file, described["made"]) for source, file in zip(sources, files, strict=True))
    )


def _described(cache: Path) -> dict[str, Any] | None:
    """The description of a cache, or None where there is none, or none that is whole and of this format."""
    try:
        with cache.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 16))
            length, mark = int.from_bytes(file.read(8), "little"), file.read(8)
            if mark != _MARK or length > size - 16:
                return None
            file.seek(size - 16 - length)
            described: dict[str, Any] = json.loads(file.read(length))
        held = described["tokens"] * np.dtype(described["type"]).itemsize
        return described if described["format"] == _FORMAT and held == size - 16 - length else None
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


def _build(files: list[Path], path: Path, tokeniser: Tokeniser, cache: Path) -> None:
    """Write the cache beside its place, then put it there. Two processes may do so at once."""
    cache.parent.mkdir(parents=True, exist_ok=True)
    _sweep(cache)
    beside = cache.with_name(f".{cache.name}.{os.urandom(4).hex()}.part")
    made = time.time_ns()
    sources = [_seen(file) for file in files]
    try:
        with beside.open("wb") as out:
            count = 0
            for part in tokenised(files, path, tokeniser):
                out.write(part.data)
                count += len(part)
            described = {
                "format": _FORMAT,
                "tokeniser": tokeniser.fingerprint,
                "type": smallest_type(len(tokeniser)).str,
                "tokens": count,
                "made": made,
                "sources": [asdict(source) for source in sources],
            }
            _finish(out, json.dumps(described).encode())
        beside.replace(cache)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _finish(out: BinaryIO, description: bytes) -> None:
    out.write(description + len(description).to_bytes(8, "little") + _MARK)
    out.flush()
    os.fsync(out.fileno())


def _sweep(cache: Path) -> None:
    """Remove what a killed process left; one that still writes touches its file all the time."""
    for left in cache.parent.glob(f".{cache.name}.*.part"):
        with suppress(FileNotFoundError):  # its writer may be done just now
            if time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()


def _seen(file: Path) -> _Source:
    try:
        now = file.stat()
        return _Source(file.name, now.st_size, now.st_mtime_ns, _file_digest(file))
    except OSError as error:
        raise TextError(f"it cannot be read: {why(error)}", "a text file", where=at(file)) from None


def _file_digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "blake2b").hexdigest()[:32]


def _digest(tokeniser: Tokeniser, sources: list[str]) -> str:
    return hashlib.blake2b("\n".join([tokeniser.fingerprint, *sources]).encode(), digest_size=16).hexdigest()
