"""How the tables of the example format are declared: dataclasses that cost little to define."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def declared(cls: Class) -> Class:
    """Make a class of annotated names a dataclass that is filled by keyword.

    There are thirty of them, of which an example uses a few, and writing and compiling an ``__init__`` for each would
    take as long as running the example does: here they share one.
    """
    dataclass(init=False, eq=False, repr=False, kw_only=True)(cls)
    setattr(cls, "__init__", _fill)  # noqa: B010 - so, it is not taken for an instance's method
    return cls


def _fill(self: Any, **given: Any) -> None:
    for each in fields(self):
        if each.name in given:
            value = given.pop(each.name)
        elif each.default is not MISSING:
            value = each.default
        elif each.default_factory is not MISSING:
            value = each.default_factory()
        else:
            raise TypeError(f"{type(self).__name__} needs {each.name}")
        setattr(self, each.name, value)
    if given:
        raise TypeError(f"{type(self).__name__} has no {', '.join(given)}")
