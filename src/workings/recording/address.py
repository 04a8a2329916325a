"""The grammar of addresses: ``heads.1.weights[Apple, shares]``, ``W#1``, ``X[Apple] = 0.1, 1.0``."""

from __future__ import annotations

import re

from workings.frozen import frozen

_PART = re.compile(r"(?=.)(?P<name>[^.\[\]#]*)(?:#(?P<occurrence>\d+))?$")  # a recorded model has no name of its own


class AddressError(Exception):
    """An address that names nothing, names several things, or cannot be read. The message says which and suggests."""


@frozen
class Part:
    """One name of an address; ``occurrence`` counts from 1, None means the last."""

    name: str
    occurrence: int | None = None


@frozen
class Address:
    """A parsed address: names from the outside in, and one selector for each axis that is named."""

    parts: tuple[Part, ...]
    selectors: tuple[str, ...] = ()
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address. Raises :class:`AddressError` with what was expected."""
        stripped = text.strip()
        head, bracket, rest = stripped.partition("[")
        selectors: list[str] = []
        if bracket:
            if not rest.endswith("]"):
                raise AddressError(f"{text!r}: the bracket that opens is never closed; write name[row, column]")
            for chunk in rest[:-1].split("]["):
                selectors += split_selectors(chunk)
            if "" in selectors:
                raise AddressError(
                    f"{text!r}: a row or column is missing between the brackets; write name[row, column]"
                )
        parts = []
        for piece in head.strip().split("."):
            match = _PART.match(piece.strip())
            if match is None:
                raise AddressError(f"{text!r} is not an address; write names joined by dots, then [row, column]")
            occurrence = match["occurrence"]
            if occurrence == "0":
                raise AddressError(f"{text!r}: occurrences count from 1, so the first is {match['name']}#1")
            parts.append(Part(match["name"].strip(), int(occurrence) if occurrence else None))
        return cls(tuple(parts), tuple(selectors), stripped)


def split_selectors(text: str) -> list[str]:
    """Split ``Apple, "a, b", 2`` at its commas, leaving quoted labels whole."""
    pieces = re.findall(r'\s*("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[^,]*)\s*(?:,|$)', text)
    if pieces and pieces[-1] == "" and not text.rstrip().endswith(","):
        pieces = pieces[:-1]
    return [p.strip()[1:-1] if len(p.strip()) > 1 and p.strip()[0] in "\"'" else p.strip() for p in pieces]


def quote_selector(label: str) -> str:
    """A label as it must be written between the brackets of an address."""
    if label and not re.search(r"[,\[\]\"']", label) and label == label.strip():
        return label
    return '"' + label.replace('"', "'") + '"'
