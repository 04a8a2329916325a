"""What a key of a run file may hold, in words, read off the type that its table declares."""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

_PLAIN = {int: "a whole number", float: "a number", bool: "true or false", str: 'a text in "quotes"'}
_LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def table_at(table: type[BaseModel], place: Sequence[str]) -> type[BaseModel] | None:
    """The table inside a table, by its keys; None where there is no such."""
    for key in place:
        inner = table.model_fields[key].annotation if key in table.model_fields else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return None
        table = inner
    return table


def said(field: FieldInfo) -> str:
    """What the field may hold: "a number, at least 0 and below 1"."""
    return _said(field.annotation, field.metadata)


def choices(field: FieldInfo) -> list[str]:
    """The names of which the field holds one; none where it holds something else."""
    return [str(name) for member in _members(field.annotation) if _is_choice(member) for name in get_args(member)]


def _said(kind: Any, limits: Iterable[Any]) -> str:
    (member,) = [each for each in _members(kind) if each is not type(None)]
    if get_origin(member) is Annotated:
        inner, *more = get_args(member)
        return _said(inner, [*limits, *_flat(more)])
    if _is_choice(member):
        return " or ".join(map(repr, get_args(member)))
    if get_origin(member) is list:
        return _list(get_args(member)[0], limits)
    bounds = " and ".join(
        f"{word} {getattr(each, name)}" for each in limits for name, word in _LIMITS.items() if hasattr(each, name)
    )
    return _PLAIN.get(member, "a table") + (f", {bounds}" if bounds else "")


def _list(entry: Any, limits: Iterable[Any]) -> str:
    """ "a list of 2, each a number, at least 0"."""
    least = [each.min_length for each in limits if hasattr(each, "min_length")]
    most = [each.max_length for each in limits if hasattr(each, "max_length")]
    count = f" of {least[0]}" if least and least == most else ""
    return f"a list{count}, each {_said(entry, ())}"


def _flat(metadata: Iterable[Any]) -> list[Any]:
    """The limits inside pydantic's own annotation."""
    return [limit for each in metadata for limit in (each.metadata if isinstance(each, FieldInfo) else [each])]


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _is_choice(kind: Any) -> bool:
    return get_origin(kind) is Literal
