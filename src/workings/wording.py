"""Words of messages: counts, decimals, and what a name that does not exist may have been meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from typing import Any, TypeVar

Class = TypeVar("Class")

MOST_DECIMALS = 17
"""As many tell any two numbers between 0.1 and 1 apart: more would be digits of the binary fraction alone."""


def counted(number: int, what: str) -> str:
    """ "1 token", "2,000 tokens"."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def meant(word: str, known: Iterable[str], most: int = 2) -> list[str]:
    """The known names that are written nearly alike, or with the same letters in another order."""
    import difflib  # nobody waits for it who makes no mistake

    names = list(known)
    letters = sorted(word.casefold())
    turned = [name for name in names if sorted(name.casefold()) == letters]
    close = [name for name in difflib.get_close_matches(word, names, most, 0.6) if name not in turned]
    return [*turned, *close][:most]


def near(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """ "did you mean ...?", where some known name is near; else `otherwise`."""
    close = meant(word, known)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else otherwise


def offering_names(cls: type[Class]) -> type[Class]:
    """Let a dataclass answer a key that it does not have with the near ones it has.

    Raises, when an object is made: TypeError that names the key.
    """
    import dataclasses  # who has such a class has loaded it; others need not

    made = cls.__init__
    names = [field.name for field in dataclasses.fields(cls) if field.init]  # type: ignore[arg-type]

    @wraps(made)
    def checked(self: Class, *values: Any, **given: Any) -> None:
        unknown = next((key for key in given if key not in names), None)
        if unknown is not None:
            hint = near(unknown, names, f"it has {', '.join(names)}" if names else "it has none")
            raise TypeError(f"{cls.__name__} has no key {unknown!r}; {hint}")
        made(self, *values, **given)

    setattr(cls, "__init__", checked)  # noqa: B010 - so, it is not taken for an instance's method
    return cls
