"""What is wrong with an example, said so that it can be mended, and the line it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+(?:\s*\.\s*[\w-]+)*)\s*=""")

Place = Sequence[str | int]
"""Where in a file: keys, and counts from 0 in lists of tables: ("section", 2, "W_Q")."""


class ExampleError(Exception):
    """An example that cannot be read or run. The message names file, line and key, what was found and expected."""


def complaint(file: str, text: str, place: Place, found: str, expected: str = "", hint: str = "") -> ExampleError:
    """The error in one line: file, line, key: found, expected; suggestion."""
    line = line_of(text, place)
    where = f"{file}, line {line}" if line else file
    key = spoken(text, place)
    message = f"{where}: {key}: {found}" if key else f"{where}: {found}"
    if expected:
        message += f"; expected {expected}"
    if hint:
        message += f"; {hint}"
    return ExampleError(printable(message))


def printable(text: str) -> str:
    """Control characters, and those that turn the direction of writing, written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def near(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """ "did you mean ...?", where some known word is close; else `otherwise`."""
    import difflib

    words = list(dict.fromkeys(known))
    lowered = {w.lower(): w for w in reversed(words)}
    alike = [w for w in words if w.lower() == word.lower()]
    close = (
        alike
        or difflib.get_close_matches(word, words, 2, 0.6)
        or [lowered[w] for w in difflib.get_close_matches(word.lower(), list(lowered), 2, 0.6)]
    )
    return f"did you mean {' or '.join(map(repr, close))}?" if close else otherwise


def spoken(text: str, place: Place) -> str:
    """A place as a reader would say it: section "projected", W_Q."""
    parts: list[str] = []
    items = list(place)
    while items:
        item = items.pop(0)
        if item == "section" and items and isinstance(items[0], int):
            number = items.pop(0)
            name = _section_names(text).get(int(number), "")
            parts.append(f"section {name!r}" if name else f"section {int(number) + 1}")
        elif isinstance(item, int):
            parts.append(f"number {item + 1}")
        else:
            parts.append(str(item))
    return ", ".join(parts)


def _section_names(text: str) -> dict[int, str]:
    """The `name` of each section, as far as it can be seen line by line."""
    names: dict[int, str] = {}
    for path, line in _lines(text):
        if len(path) == 3 and path[0] == "section" and path[2] == "name":
            match = re.search(r"""=\s*["'](.*?)["']""", text.splitlines()[line - 1])
            if match:
                names[int(path[1])] = match[1]
    return names


def line_of(text: str, place: Place) -> int:
    """The line, from 1, of the key at a place, or of the nearest table around it; 0 where nothing is found."""
    known: dict[tuple[str | int, ...], int] = {}
    for path, line in _lines(text):
        known.setdefault(path, line)
    wanted = tuple(place)
    while wanted:
        if wanted in known:
            return known[wanted]
        wanted = wanted[:-1]
    return 0


def _lines(text: str) -> list[tuple[tuple[str | int, ...], int]]:
    """Every table header and key with its line; TOML's inline tables and values over several lines are not entered."""
    counts: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    found: list[tuple[tuple[str | int, ...], int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header and (header[1] == "[[" or not line.lstrip().startswith("[[")):
            table = _open(tuple(_keys(header[2])), header[1] == "[[", counts)
            found.append((table, number))
            continue
        key = _KEY.match(line)
        if key:
            found.append(((*table, *_keys(key[1])), number))
    return found


def _open(keys: tuple[str, ...], many: bool, counts: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The place of a table header: lists of tables on the way stand at their latest entry."""
    place: tuple[str | int, ...] = ()
    for depth, key in enumerate(keys):
        place = (*place, key)
        if many and depth == len(keys) - 1:
            counts[place] = counts.get(place, -1) + 1
        if place in counts:
            place = (*place, counts[place])
    return place


def _keys(dotted: str) -> list[str]:
    parts = re.findall(r""""(?:[^"\\]|\\.)*"|'[^']*'|[^.\s]+""", dotted)
    return [_unquoted(p) for p in parts]


def _unquoted(key: str) -> str:
    if key[0] == '"':
        import json

        try:
            return str(json.loads(key))  # the escapes of a TOML key, but for one rare form, are those of JSON
        except ValueError:
            return key[1:-1]
    return key[1:-1] if key[0] == "'" else key
