"""From a file to a `Document`: read, checked, and refused with the place and a suggestion where something is wrong."""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workings.examples.errors import ExampleError, Place, complaint, near
from workings.examples.format_blocks import KINDS, Document
from workings.wording import MOST_DECIMALS

LIMIT = 1024 * 1024
"""The largest file that is read, in bytes: a worked example has dozens of numbers, not millions."""

LARGEST = 10**15
"""The largest whole number; beyond it a float64 no longer holds every whole number."""

EXPECTED = {
    "str": "text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "Weight": "a matrix, [[1, 0], [0, 1]], or the name of an earlier value in quotes",
    "Vector": "a list of numbers, [1, 0], or the name of an earlier value in quotes",
    "list[str]": 'a list of texts, ["one", "two"]',
    "list[float]": "a list of numbers, [1, 0]",
    "list[str | int]": 'a word and a column, ["fell", 0]',
    "list[list[float]] | list[float]": "a list of numbers or a list of rows",
    "dict[str, list[float]]": "a table of rows: word = [numbers]",
    "Mask": '"none" or "causal"',
}
"""What a reader is told to write, by the annotation of the field."""


def read_text(path: Path, file: str) -> str:
    """The text of a file. Refuses one that is missing, too large, or not UTF-8."""
    try:
        size = path.stat().st_size
        if size > LIMIT:
            raise ExampleError(
                f"{file}: found {size / 1024 / 1024:.1f} MB; expected at most {LIMIT // 1024 // 1024} MB; "
                "a worked example states numbers to be read: keep a few tokens and a few columns"
            )
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExampleError(
            f"{file}: byte {error.start} ({path.read_bytes()[error.start]:#04x}) is not UTF-8; expected a text file in "
            "UTF-8; save it again with that encoding"
        ) from None
    except IsADirectoryError:
        raise ExampleError(
            f"{file}: this is a folder; expected an example file; name the .toml file inside it"
        ) from None
    except OSError as error:
        raise ExampleError(f"{file}: cannot be read ({error.strerror}); check the name and the permissions") from None


def parse(text: str, file: str) -> dict[str, Any]:
    """TOML as plain data."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        number = int(line[1]) if line else len(text.splitlines())
        reason = re.sub(r"\s*\(at .*\)$", "", str(error))
        shown = text.splitlines()[number - 1].strip()[:60] if 0 < number <= len(text.splitlines()) else ""
        sections = "begin every section with [[section]], two brackets on each side"
        hint = sections if shown.startswith("[") else "put texts in quotes and close every bracket"
        raise ExampleError(
            f"{file}, line {number}: found {shown!r}, which is not TOML ({reason[0].lower() + reason[1:]}); expected "
            f"key = value; {hint}"
        ) from None
    except RecursionError:
        raise ExampleError(
            f"{file}: brackets are nested too deeply; expected rows of numbers; write [[row], [row]]"
        ) from None


def read(text: str, file: str) -> Document:
    """A user's file, checked against the declarations of the format."""
    data = parse(text, file)
    check_plain(data, text, file)
    sections = data.get("section", [])
    if isinstance(sections, dict):
        raise complaint(file, text, ["section"], "found [section]", "[[section]]", "double the brackets")
    for number, section in enumerate(sections if isinstance(sections, list) else []):
        if isinstance(section, dict):
            _check_kind(section, ("section", number), text, file)
    from workings.examples.checking import validated

    document = validated(data, text, file)
    check_rows(document, text, file)
    return document


def _check_kind(section: dict[str, Any], place: Place, text: str, file: str) -> None:
    kind = section.get("kind")
    if kind is None and "kind" not in section:
        hint = near("kind", [k for k in section if k not in ("name", "number", "title", "text")], "")
        raise complaint(file, text, place, "the key 'kind' is missing", f"one of {', '.join(KINDS)}", _misspelt(hint))
    if not isinstance(kind, str) or kind not in KINDS:
        hint = near(str(kind), KINDS, "take one of these")
        raise complaint(file, text, [*place, "kind"], f"found {kind!r}", f"one of {', '.join(KINDS)}", hint)


def _misspelt(hint: str) -> str:
    return hint.replace("did you mean", "is it written as") if hint else "add it below the section's name"


def check_plain(data: dict[str, Any], text: str, file: str) -> None:
    """What holds everywhere: finite numbers, rows of one length, no control characters."""
    for place, value in _walk(data, ()):
        if isinstance(value, str):
            found = next((c for c in value if _is_control(c)), None)
            if found is not None:
                raise complaint(
                    file,
                    text,
                    place,
                    f"found the control character U+{ord(found):04X} in {value!r}",
                    "printable text",
                    "take it out",
                )
        elif isinstance(value, float) and not math.isfinite(value):
            raise complaint(
                file,
                text,
                _to_key(place),
                f"found {value}",
                "finite numbers",
                "hide tokens with mask or hidden rather than with infinities",
            )
        elif isinstance(value, int) and abs(value) > LARGEST:
            raise complaint(
                file,
                text,
                _to_key(place),
                "found a whole number beyond all measure",
                "numbers below 10^15",
                "measure in other units",
            )
        elif isinstance(value, (datetime.date, datetime.time)):
            raise complaint(file, text, place, f"found the date {value}", "text or numbers", "put it in quotes")
        elif isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            lengths = [len(row) for row in value]
            odd = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
            if odd is not None:
                raise complaint(
                    file,
                    text,
                    place,
                    f"row {odd + 1} has {_count(lengths[odd], 'number')}",
                    f"{lengths[0]}, as in row 1",
                    "make all rows equally long",
                )


def _is_control(character: str) -> bool:
    code = ord(character)
    bidirectional = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    return (code < 32 and character not in "\n\t") or 0x7F <= code < 0xA0 or bidirectional


def _to_key(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The key a number stands under: its place in rows and columns left off."""
    while place and isinstance(place[-1], int):
        place = place[:-1]
    return place


def _walk(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    stack: list[tuple[tuple[str | int, ...], Any]] = [(place, value)]
    while stack:
        place, value = stack.pop()
        yield place, value
        if isinstance(value, dict):
            for key, item in reversed(value.items()):
                yield (*place, key), key
                stack.append(((*place, key), item))
        elif isinstance(value, list):
            stack += [((*place, number), item) for number, item in reversed(list(enumerate(value)))]


def check_rows(document: Document, text: str, file: str) -> None:
    """What the declarations cannot say: rows of one length in the embedding table, names used once."""
    table = document.embeddings
    if not table:
        raise complaint(
            file,
            text,
            ["embeddings"],
            "the table is empty",
            "word = [numbers], one for each word",
            "add the words of the sentence",
        )
    first, row = next(iter(table.items()))
    for word, numbers in table.items():
        if len(numbers) != len(row) or not numbers:
            raise complaint(
                file,
                text,
                ["embeddings", word],
                f"the row has {_count(len(numbers), 'number')}",
                f"{len(row) or 'at least one'}, as in the row of {first!r}",
                "make all rows equally long",
            )
        if not word or word.split() != [word]:
            raise complaint(
                file,
                text,
                ["embeddings", word],
                f"found the word {word!r}",
                "a word without spaces",
                "a sentence is cut into words at its spaces",
            )
    if not 0 <= document.decimals <= MOST_DECIMALS:
        raise complaint(
            file, text, ["decimals"], f"found {document.decimals}", f"a count from 0 to {MOST_DECIMALS}", "3 is usual"
        )  # fmt: skip
    if document.axes and len(document.axes) != len(row):
        raise complaint(
            file,
            text,
            ["axes"],
            f"found {_count(len(document.axes), 'name')}",
            f"{len(row)}, one for each number in a row of embeddings",
            "name every column or none",
        )
    names: set[str] = set()
    for number, section in enumerate(document.section):
        if not re.fullmatch(r"[^\W\d]\w*", section.name):
            raise complaint(
                file,
                text,
                ["section", number, "name"],
                f"found {section.name!r}",
                "letters, digits and _, beginning with a letter",
                "addresses are made of names",
            )
        if section.name in names:
            raise complaint(
                file,
                text,
                ["section", number, "name"],
                f"{section.name!r} is taken by an earlier section",
                "a name of its own",
                f"call it {section.name}_2",
            )
        names.add(section.name)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def shipped(data: dict[str, Any]) -> Document:
    """A file of the package, which the tests have checked: no validation, and so no time spent on it."""
    from workings.examples.building import build

    sections = [build(KINDS[s["kind"]], s) for s in data["section"]]
    document = build(Document, {**data, "section": []})
    return dataclasses.replace(document, section=sections)
