"""Frozen dataclasses to plain data and back, with errors that name the key and offer near ones."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from workings.transformer.choices import Biases, Dropout
from workings.wording import near

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
            raise ValueError(f"{path}{key} is not a key; {_near(key, hints)}")
        values[key] = _read(hints[key], value, f"{path}{key}")
    missing = [
        field.name
        for field in dataclasses.fields(cls)  # type: ignore[arg-type]
        if field.name not in values and field.default is field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ValueError(f"{path}{missing[0]} is missing; expected a value for it")
    return cls(**values)


def _near(name: str, names: Iterable[str]) -> str:
    """The end of an error: what `name` may have been meant to be."""
    return near(name, names, f"expected one of {', '.join(map(repr, sorted(names)))}")


def check_types(record: Any, path: str = "") -> None:
    """Raise ValueError for the first field whose value is not of its type; a whole number may stand for a float."""
    for key, hint in _hints(type(record)).items():
        value = getattr(record, key)
        if not _fits(hint, value):
            close = near(value, _names(hint)) if isinstance(value, str) else ""
            raise ValueError(f"{path}{key} is {value!r}; expected {_expected(hint)}{close and '; '}{close}")
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
    if isinstance(value, str) and (len(kinds) > 1 or value in kinds):
        value = {"kind": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"{path} is {value!r}; expected {_written(kinds)}")
    kind = value.get("kind", next(iter(kinds)) if len(kinds) == 1 else None)
    if kind is None:
        raise ValueError(f"{path}.kind is missing; expected {_written(kinds)}")
    if kind not in kinds:
        raise ValueError(f"{path} is {kind!r}; {_near(str(kind), kinds)}")
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


def _written(kinds: Mapping[str, Any]) -> str:
    """What plain data says a choice with."""
    if len(kinds) > 1:
        return " or ".join(map(repr, kinds))
    ((kind, choice),) = kinds.items()
    short = {"biases": "true or false, or ", "dropout": "a number, or "}.get(kind, "")
    return f"{short}a table of {', '.join(field.name for field in dataclasses.fields(choice))}"


def _names(hint: Any) -> list[str]:
    """The names that a field may hold."""
    literals = [member for member in _members(hint) if typing.get_origin(member) is Literal]
    return [name for literal in literals for name in typing.get_args(literal)]


def _expected(hint: Any) -> str:
    """What a field may hold, in words; a choice is an object, as Python writes it."""
    names = {int: "a whole number", float: "a number", bool: "true or false", type(None): "nothing"}
    texts = [repr(name) for name in _names(hint)]
    for member in _members(hint):
        if hasattr(member, "kind"):
            texts.append(f"{member.__name__}(...)" if dataclasses.fields(member) else f"{member.__name__}()")
        elif typing.get_origin(member) is not Literal:
            texts.append(names.get(member, str(member)))
    return " or ".join(texts)
