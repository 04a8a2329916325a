"""Reading sentence pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from workings.text.errors import TextError, at, shortened
from workings.text.reading import read_lines


def read_pairs(source: Path | str, target: Path | str | None) -> Iterator[tuple[str, str]]:
    """Pairs of lines."""
    if target is None:
        for number, line in enumerate(read_lines(source), 1):
            sides = line.split("\t")
            if len(sides) != 2:
                raise TextError(f"{len(sides)} columns", "2, parted by a tab", where=at(Path(source), number))
            yield sides[0], sides[1]
        return
    number = 0
    for number, (one, other) in enumerate(zip_longest(read_lines(source), read_lines(target)), 1):
        if one is None or other is None:
            ended, further = (source, target) if one is None else (target, source)
            left = shortened(other if one is None else one)
            raise TextError(
                f"line {number} ({left}) has no partner: {ended} ends after {number - 1} lines",
                where=at(Path(further), number),
            )
        yield one, other
