"""Sentence pairs from two files or from one with a tab, and what is said where their lines do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workings.text.errors import TextError, at, shortened
from workings.text.reading import files_of, numbered_lines, read_lines


def read_pairs(source: Path, target: Path | None) -> Iterator[tuple[str, str]]:
    """Pairs of lines of two files; without a second one, the two columns of each line.

    Raises:
        TextError: a file that cannot be read, different numbers of lines, a line without exactly two columns.
    """
    if target is None:
        yield from _columns(source)
        return
    for one, other in zip_longest(read_lines(source), read_lines(target)):
        if one is None or other is None:
            raise _unpaired(source, target)
        yield one, other


def _columns(path: Path) -> Iterator[tuple[str, str]]:
    for file in files_of(path):
        for number, line in numbered_lines(file):
            columns = line.split("\t")
            if len(columns) == 2:
                yield columns[0], columns[1]
            elif line.strip():
                found = f"{len(columns)} column{'s' * (len(columns) != 1)} in {shortened(line)}"
                hint = "put one tab between source and target"
                raise TextError(found, "2: source, a tab, target", hint, where=at(file, number))
            else:
                yield "", ""


def _unpaired(source: Path, target: Path) -> TextError:
    """Says how many lines each has, what has no partner, and where the two seem to part."""
    here, there = list(read_lines(source)), list(read_lines(target))
    long, more, short, fewer = source, here, target, there
    if len(here) < len(there):
        long, more, short, fewer = target, there, source, here
    named = short.name if short.name != long.name else str(short)
    found = f"{shortened(more[len(fewer)])} has no partner: of {len(more):,} lines here {named} has {len(fewer):,}"
    place = parting(np.array([len(line) for line in more]), np.array([len(line) for line in fewer]))
    hint = f"complete {named}, or shorten this file"
    if place is not None:
        beside = f"{shortened(more[place])} beside {shortened(fewer[place])}"
        hint = f"judged by their lengths, the two part near line {place + 1:,}: {beside}"
    return TextError(found, "as many lines in both", hint, where=at(long, len(fewer) + 1))


def parting(more: NDArray[np.int64], fewer: NDArray[np.int64]) -> int | None:
    """The line, from 0, from which the shorter file lacks something, judged by the lengths of the lines.

    As if all that is missing were missing at one place: before it lines go with lines of the same number, after it
    with later ones. None where the lengths show no such place, or where it is the end.
    """
    count = len(fewer)
    if count == 0:
        return None
    missing = len(more) - count
    usual = np.log((1 + more.sum()) / (1 + fewer.sum()))
    together = np.abs(np.log((1 + more[:count]) / (1 + fewer)) - usual)
    shifted = np.abs(np.log((1 + more[missing:]) / (1 + fewer)) - usual)
    costs = np.concatenate([[0.0], np.cumsum(together - shifted)])
    place = int(np.argmin(costs))
    # Lines that are not translations of each other fit about half as well as those that are.
    clear = place < count and shifted[place:].mean() < 0.75 * together[place:].mean()
    return place if clear else None
