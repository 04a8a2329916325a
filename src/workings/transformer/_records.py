"""Frozen dataclasses to plain data and back, with errors that name the key and offer near ones."""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from workings.transformer.choices import Biases, Dropout

Record = TypeVar("Record")


def to_dict(record: Any) -> dict[str, Any]:
    """A record's fields; a choice's table begins with its kind."""
    kind = {"kind": record.kind} if hasattr(record, "kind") else {}
    return kind | {field.name: _plain(getattr(record, field.name)) for field in dataclasses.fields(record)}


def _plain(value: Any) -> Any:
    return to_dict(value) if dataclasses.is_dataclass(value) else value


def from_dict(cls: type[Record], data: Mapping[str, Any], path: str = "") -> Record:
    """A record of `cls` from plain data. Raises ValueError that names the key as `path.key`."""
    hints = _hints(cls)
    values = {}
    for key, value in data.items():
        if key == "kind" and path:
            continue
        if key not in hints:
            raise ValueError(f"{path}{key} is not a key; {near(key, hints)}")
        values[key] = _read(hints[key], value, f"{path}{key}")
    missing = [
        field.name
        for field in dataclasses.fields(cls)  # type: ignore[arg-type]
        if field.name not in values and field.default is field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ValueError(f"{path}{missing[0]} is missing; expected a value for it")
    return cls(**values)


def near(name: str, names: Iterable[str]) -> str:
    """The end of an error: what `name` may have been meant to be."""
    known = sorted(names)
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(repr(n) for n in close)}?"
    return f"expected one of {', '.join(repr(n) for n in known)}"


def check_types(record: Any, path: str = "") -> None:
    """Raise ValueError for the first field whose value is not of its type; a whole number may stand for a float."""
    for key, hint in _hints(type(record)).items():
        value = getattr(record, key)
        if not _fits(hint, value):
            raise ValueError(f"{path}{key} is {value!r}; expected {_expected(hint)}")
        if dataclasses.is_dataclass(value):
            check_types(value, f"{path}{key}.")


def _hints(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _members(hint: Any) -> tuple[Any, ...]:
    return (
        typing.get_args(hint)
        if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
        else (hint,)
    )


def _read(hint: Any, value: Any, path: str) -> Any:
    """`value` as the type that `hint` asks for, where plain data can say it; what does not fit is refused later."""
    kinds = {member.kind: member for member in _members(hint) if hasattr(member, "kind")}
    if not kinds or (value is None and type(None) in _members(hint)) or dataclasses.is_dataclass(value):
        return value
    if isinstance(value, bool) and "biases" in kinds:
        return Biases() if value else Biases.none()
    if isinstance(value, int | float) and not isinstance(value, bool) and "dropout" in kinds:
        return Dropout(rate=value)
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"{path} is {value!r}; expected {_expected(hint)}")
    kind = value.get("kind", next(iter(kinds)) if len(kinds) == 1 else None)
    if kind is None:
        raise ValueError(f"{path}.kind is missing; expected {_expected(hint)}")
    if kind not in kinds:
        raise ValueError(f"{path} is {kind!r}; {near(str(kind), kinds)}")
    return from_dict(kinds[kind], value, f"{path}.")


def _fits(hint: Any, value: Any) -> bool:
    for member in _members(hint):
        if typing.get_origin(member) is Literal:
            if value in typing.get_args(member):
                return True
        elif member is float:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return True
        elif member is int:
            if isinstance(value, int) and not isinstance(value, bool):
                return True
        elif isinstance(value, member):
            return True
    return False


def _expected(hint: Any) -> str:
    names = {int: "a whole number", float: "a number", bool: "true or false", type(None): "nothing"}
    texts = []
    for member in _members(hint):
        if typing.get_origin(member) is Literal:
            texts += [repr(choice) for choice in typing.get_args(member)]
        elif hasattr(member, "kind"):
            texts.append(repr(member.kind))
        else:
            texts.append(names.get(member, str(member)))
    return " or ".join(texts)
