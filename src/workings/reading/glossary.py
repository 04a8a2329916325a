"""The words of the field, each with its sentence: what `workings explain` says, and what a page says of a symbol."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from workings.frozen import frozen


@frozen
class Word:
    """An entry of the glossary."""

    name: str
    sentence: str
    formula: str = ""
    also: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    see: tuple[str, ...] = ()


@cache
def glossary() -> dict[str, Word]:
    """The words, by name."""
    data = tomllib.loads(Path(__file__).with_name("glossary.toml").read_text(encoding="utf-8"))
    return {name: _entry(name, entry) for name, entry in data["words"].items()}


def _entry(name: str, entry: dict[str, Any]) -> Word:
    also, equations, see = (tuple(entry.get(key, ())) for key in ("also", "equations", "see"))
    return Word(name, entry["sentence"], entry.get("formula", ""), also, equations, see)


def word(name: str) -> Word | None:
    """The word that goes by a name, if there is one."""
    return _by_name().get(normal(name))


@cache
def _by_name() -> dict[str, Word]:
    """The words by each of their names; of two words with one name, the first."""
    return {normal(name): w for w in reversed(glossary().values()) for name in (w.name, *w.also)}


def normal(name: str) -> str:
    """A name without the differences that do not matter: case, hyphens and underscores, a z for an s, brackets."""
    text = re.sub(r"[\s_-]+", " ", name.casefold()).strip().replace("izat", "isat").replace("izer", "iser")
    return text.removeprefix("equation ").strip("()")
