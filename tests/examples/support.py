"""Running shipped examples once, and the printed numbers of the two texts as single facts."""

import functools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workings import examples
from workings.recording.working import Working

FACTS = Path(__file__).parents[1] / "facts"


@functools.cache
def run(name: str, sentence: str | None = None) -> Working:
    """A shipped example, computed once for all tests; they must not change it."""
    return examples.load(name).run(sentence)


@dataclass(frozen=True)
class Printed:
    """One printed number: where the text has it, and the element that must show it."""

    id: str
    place: str
    example: str
    sentence: str | None
    address: str
    given: bool
    decimals: int
    factor: float
    text: str


def facts() -> list[dict[str, Any]]:
    return [tomllib.loads((FACTS / f"{which}_text.toml").read_text(encoding="utf-8")) for which in ("first", "second")]


def printed_numbers() -> list[Printed]:
    """Every number of both texts that an example computes, each under each of its addresses."""
    return [
        number for text in facts() for entry in [*text.get("number", []), *text["table"]] for number in _numbers(entry)
    ]


def _numbers(entry: dict[str, Any]) -> Iterator[Printed]:
    for place, address in enumerate([entry["address"], *entry.get("also", [])]):
        for label, selector, text in _cells(entry):
            identity = ".".join(filter(None, [entry["id"], label, f"also-{place}" if place else ""]))
            yield Printed(
                identity,
                entry["place"],
                entry["example"],
                entry.get("sentence"),
                f"{address}[{selector}]" if selector else address,
                entry["kind"] == "given",
                entry["decimals"],
                entry.get("factor", 1),
                text,
            )


def _cells(entry: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Label, selector and text of each number in an entry."""
    printed = entry["printed"]
    if isinstance(printed, str):
        yield "", "", printed
        return
    rows = entry.get("rows", [None])
    for row, texts in zip(rows, printed, strict=True):
        for column, text in zip(entry["columns"], texts, strict=True):
            if row is None:
                yield str(column), str(column), text
            else:
                yield f"{row}.{column}", f"{row}, {column}", text
