"""Plain data into the declarations of the format, unchecked."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Declared = TypeVar("Declared")


def build(kind: type[Declared], data: dict[str, Any]) -> Declared:
    """An instance of a declaration; tables inside become instances of theirs."""
    tables = [key for key, value in data.items() if isinstance(value, dict) or _is_list_of_tables(value)]
    hints = get_type_hints(kind) if tables else {}  # reading annotations takes longer than all the rest
    return kind(**{key: _value(hints[key], value) if key in tables else value for key, value in data.items()})


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _value(hint: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value)
    inner = get_args(hint)
    if get_origin(hint) is list and dataclasses.is_dataclass(inner[0]) and isinstance(inner[0], type):
        return [build(inner[0], item) for item in value]
    if get_origin(hint) is dict and dataclasses.is_dataclass(inner[1]) and isinstance(inner[1], type):
        return {key: build(inner[1], item) for key, item in value.items()}
    return value
