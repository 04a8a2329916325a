"""Small immutable records that cost little to define.

``dataclass(frozen=True)`` writes and compiles half a dozen methods for every class. The classes of formulas,
expressions and pages are many and small, and ``workings show`` would spend a sixth of its time on defining them. Here
the methods are shared and nothing is compiled.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")


@dataclass_transform(frozen_default=True)
def frozen(cls: Class) -> Class:
    """Make a class of annotated names a frozen record, as ``dataclass(frozen=True)`` would.

    Defaults must be immutable; there are no field specifiers. Fields of a frozen base class come first.
    """
    own = [name for name in inspect.get_annotations(cls) if not name.startswith("__")]
    inherited = getattr(cls, "__match_args__", ())
    names = (*(n for n in inherited if n not in own), *own)
    defaults = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
    count, known = len(names), frozenset(names)

    def fill(self: Any, *args: Any, **kwargs: Any) -> None:
        fields = self.__dict__
        if len(args) == count and not kwargs:  # the commonest way, in half the time
            fields.update(zip(names, args, strict=True))
            return
        fields.update(defaults)
        fields.update(zip(names, args))  # noqa: B905 - more of them than there are fields is refused below
        fields.update(kwargs)
        if len(args) > count or fields.keys() != known or not kwargs.keys().isdisjoint(names[: len(args)]):
            raise TypeError(f"{cls.__name__} takes {', '.join(names)}; given were {args} and {kwargs}")

    setattr(cls, "__init__", fill)  # noqa: B010 - so, it is not taken for an instance's method
    setattr(cls, "__match_args__", names)  # noqa: B010
    for method in (_eq, _hash, _repr, _refuse_setting, _refuse_deleting):
        if method.__name__ not in cls.__dict__:
            setattr(cls, method.__name__, method)
    return cls


def names_of(record: object) -> tuple[str, ...]:
    """The names of a record's fields, in order."""
    return record.__match_args__  # type: ignore[attr-defined, no-any-return]


def evolve(record: Record, **changes: Any) -> Record:
    """The same record with some fields changed."""
    return type(record)(**(dict(_items(record)) | changes))


def _items(record: Any) -> Iterator[tuple[str, Any]]:
    for name in names_of(record):
        yield name, getattr(record, name)


def _eq(self: Any, other: object) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return all(getattr(self, name) == getattr(other, name) for name in names_of(self))


def _hash(self: Any) -> int:
    return hash((type(self), *map(self.__dict__.get, self.__match_args__)))


def _repr(self: Any) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in _items(self))})"


def _refuse_setting(self: Any, name: str, value: Any) -> NoReturn:
    raise AttributeError(f"{type(self).__name__} cannot be changed; its {name} was set when it was made")


def _refuse_deleting(self: Any, name: str) -> NoReturn:
    raise AttributeError(f"{type(self).__name__} cannot be changed; its {name} cannot be taken away")


_eq.__name__, _hash.__name__, _repr.__name__ = "__eq__", "__hash__", "__repr__"
_refuse_setting.__name__, _refuse_deleting.__name__ = "__setattr__", "__delattr__"
