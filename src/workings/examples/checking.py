"""A user's file against the declarations of the format, by pydantic, which is imported here and nowhere else."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from workings.examples.errors import ExampleError, complaint, near
from workings.examples.format import Section
from workings.examples.format_blocks import KINDS, Document
from workings.examples.reading import EXPECTED

_STRICT = ConfigDict(strict=True, extra="forbid")


def validated(data: dict[str, Any], text: str, file: str) -> Document:
    """The document, or the first thing that is wrong with it."""
    raw_sections = data.get("section")
    rest: Document = _validate(
        Document, {**data, "section": []} if isinstance(raw_sections, list) else data, (), text, file
    )
    if not raw_sections:
        raise complaint(file, text, ["section"], "there is no section", "at least one [[section]]", "add one")
    sections: list[Section] = []
    for number, raw in enumerate(raw_sections):
        if not isinstance(raw, dict):
            raise complaint(file, text, ["section"], f"found {raw!r}", "tables", "begin each with [[section]]")
        sections.append(_validate(KINDS[raw["kind"]], raw, ("section", number), text, file))
    return dataclasses.replace(rest, section=sections)


def _validate(kind: type[Any], raw: dict[str, Any], place: tuple[str | int, ...], text: str, file: str) -> Any:
    try:
        # As JSON, in which strictness means the kinds of numbers and texts, and not instances of our classes.
        return _adapter(kind).validate_json(json.dumps(raw))
    except ValidationError as error:
        details = sorted(error.errors(include_url=False), key=_unknown_first)
        raise _explained(kind, raw, place, details[0], text, file) from None


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Unknown keys are refused at every depth: each declaration, and those inside it, carries the setting."""
    todo = [kind]
    while todo:
        current = todo.pop()
        if "__pydantic_config__" not in vars(current):
            current.__pydantic_config__ = _STRICT
            todo += [inner for hint in get_type_hints(current).values() for inner in _declarations(hint)]
    return TypeAdapter(kind)


def _declarations(hint: Any) -> list[type[Any]]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return [hint]
    return [kind for inner in get_args(hint) for kind in _declarations(inner)]


def _unknown_first(detail: ErrorDetails) -> int:
    """A misspelt key shows twice, as unknown and as missing; the first tells more."""
    return 0 if detail["type"] == "unexpected_keyword_argument" else 1


def _explained(
    kind: type[Any], raw: dict[str, Any], place: tuple[str | int, ...], detail: ErrorDetails, text: str, file: str
) -> ExampleError:
    """One of pydantic's errors in our words."""
    holder, keys, found = _descend(kind, raw, detail["loc"])
    where = (*place, *keys)
    fields = {f.name: f for f in dataclasses.fields(holder)} if holder else {}
    if detail["type"] == "unexpected_keyword_argument":
        allowed = [name for name in fields if name != "section" or holder is Document]
        hint = near(
            str(keys[-1]), [n for n in allowed if n not in raw], f"take it out or use one of {', '.join(allowed)}"
        )
        return complaint(file, text, where, "unknown key", "", hint)
    if detail["type"] == "missing":
        expected = _expected(fields[str(keys[-1])], holder) if holder and keys[-1] in fields else "a value"
        return complaint(file, text, where, "the key is missing", expected, f"add {keys[-1]} = ...")
    name = next((str(k) for k in reversed(keys) if k in fields), "")
    expected = _expected(fields[name], holder) if holder and name else detail["msg"]
    if name == "embeddings" and len(keys) > 1:
        expected = EXPECTED["list[float]"]
    known = [str(c) for c in _choices(holder, name)] if holder and name else []
    hint = near(found, known) if isinstance(found, str) and known else ""
    return complaint(
        file,
        text,
        where,
        f"found {_shown(found)}",
        expected,
        hint or "`workings new example FILE` writes a file that works",
    )


def _descend(kind: Any, raw: Any, loc: tuple[int | str, ...]) -> tuple[Any, tuple[str | int, ...], Any]:
    """The declaration that holds the key in error, the keys on the way, and what stands there.

    The places that pydantic adds for the branches of a union are left out.
    """
    holder, hint = kind, kind
    keys: list[str | int] = []
    for position, part in enumerate(loc):
        inside = (isinstance(raw, dict) and part in raw) or (isinstance(raw, list) and isinstance(part, int))
        last = position == len(loc) - 1
        if not inside and not (last and isinstance(raw, dict) and isinstance(part, str)):
            continue
        keys.append(part)
        raw = raw[part] if inside else None
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            holder, hint = hint, get_type_hints(hint).get(str(part))
        elif get_origin(hint) in (list, dict):
            hint = get_args(hint)[-1]
    while keys and isinstance(keys[-1], int) and not dataclasses.is_dataclass(hint):
        keys.pop()
    return holder, tuple(keys), raw


def _expected(field: dataclasses.Field[Any], holder: type[Any]) -> str:
    words = EXPECTED.get(str(field.type))
    choices = _choices(holder, field.name)
    if choices and words is None:
        words = " or ".join(f'"{c}"' for c in choices if c)
        if "float" in str(field.type):
            words += " or a number"
    return words or "a table; see the format's description"


def _choices(holder: type[Any], name: str) -> list[Any]:
    hint = get_type_hints(holder).get(name)
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [c for inner in get_args(hint) if get_origin(inner) is Literal for c in get_args(inner)]


def _shown(value: Any) -> str:
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
