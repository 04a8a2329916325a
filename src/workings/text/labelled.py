"""Labelled texts from a TSV file or from JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from workings.text.errors import TextError, at, shortened
from workings.text.reading import files_of, numbered_lines
from workings.wording import counted, near

_TEXT = ("text", "sentence")
_LABEL = "label"
_SWAPPED = "are the two columns swapped? Then name them in a first line: label, tab, text"
"""What to do where the label stands first in a TSV file."""


class Row(NamedTuple):
    text: str
    label: str
    where: str


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file or folder. Blank lines are passed over.

    TSV: text, a tab, label; or a first line that names the columns ("text" or "sentence", and "label").
    JSON lines: objects with these keys. Labels may be numbers or true and false.

    Raises:
        TextError: a line that is neither, or without a label.
    """
    for file in files_of(path):
        names: list[str] | None = None
        for number, line in numbered_lines(file):
            if not line.strip():
                continue
            where = at(file, number)
            if line.lstrip().startswith("{"):
                yield _json_row(line, where)
                continue
            columns = line.split("\t")
            if names is None:
                names = _header(columns)
                if names is not None:
                    continue
                names = [_TEXT[0], _LABEL]
            yield _tab_row(columns, names, where)


def _header(columns: list[str]) -> list[str] | None:
    named = [column.strip().lower() for column in columns]
    return named if _LABEL in named and any(name in named for name in _TEXT) else None


def _tab_row(columns: list[str], names: list[str], where: str) -> Row:
    if len(columns) != len(names):
        found = f"{len(columns)} column{'s' * (len(columns) != 1)} in {shortened(chr(9).join(columns))}"
        hint = "put one tab between text and label, and no other"
        raise TextError(found, f"{len(names)}: {', '.join(names)}", hint, where=where)
    cells = dict(zip(names, columns, strict=True))
    return _row(next(cells[name] for name in _TEXT if name in cells), cells[_LABEL].strip(), where)


def _json_row(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise TextError(f"a line that is no JSON: {error}", "an object a line", where=where) from None
    except RecursionError:
        raise TextError("JSON nested too deeply", "an object a line", where=where) from None
    keys = [key for key in _TEXT if key in row]
    if not keys or _LABEL not in row:
        found = f"an object with the keys {', '.join(map(repr, row)) or 'none'}"
        raise TextError(found, "'text' and 'label'", "rename the keys", where=where)
    text, label = row[keys[0]], row[_LABEL]
    if not isinstance(text, str) or not isinstance(label, str | int | float):
        raise TextError(
            f"text {shortened(str(text))}, label {label!r}", "a string, and a string or number", where=where
        )
    return _row(text, json.dumps(label) if not isinstance(label, str) else label, where)


def _row(text: str, label: str, where: str) -> Row:
    if not label:
        raise TextError(f"{shortened(text)} has no label", "text and label", "write the label there", where=where)
    return Row(text, label, where)


def learn_labels(rows: list[Row]) -> list[str]:
    """The names of the labels, in alphabetical order.

    Raises:
        TextError: only one label, or labels that occur once: nothing can be learned of them and tested as well.
    """
    counts = Counter(row.label for row in rows)
    names = sorted(counts)
    once = [row for row in rows if counts[row.label] == 1]
    if once:
        listed = ", ".join(f"{shortened(row.label)} ({row.where})" for row in once[:3])
        found = (
            f"{len(once):,} of {counted(len(names), 'label')} {'is' if len(once) == 1 else 'are'} seen once: "
            f"{listed}{', …' if len(once) > 3 else ''}"
        )
        often = [name for name in names if counts[name] > 1]
        hint = near(once[0].label, often, "write the label that was meant, or leave the text out")
        if 2 * len(once) > len(rows):
            hint = f"nearly every label occurs once: {_SWAPPED}"
        raise TextError(found, "each label at least twice", hint)
    if len(names) < 2:
        raise TextError(f"the only label is {shortened(names[0])}", "at least two labels", where=rows[0].where)
    return names


def known_label(row: Row, names: tuple[str, ...]) -> int:
    """The number of a row's label.

    Raises:
        TextError: a label that was not there in training.
    """
    try:
        return names.index(row.label)
    except ValueError:
        hint = near(row.label, names, "correct it, or train with it")
        if row.text.strip() in names:
            hint = f"its text is a label: {_SWAPPED}"
        found = f"the label {shortened(row.label)}"
        raise TextError(found, " or ".join(map(repr, names[:8])), hint, where=row.where) from None
