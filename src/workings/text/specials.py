"""The tokens that stand for no text: padding, begin, end, unknown, and whatever else a task needs."""

from __future__ import annotations

from dataclasses import dataclass

from workings.text.errors import TextError


@dataclass(frozen=True, kw_only=True)
class Specials:
    """The names of the special tokens. Their numbers follow those of the pieces, in the order of `names`.

    They are names for people: text that happens to contain one is encoded as the text it is, unless the caller asks
    for it (``encode(text, specials=True)``).
    """

    padding: str = "<padding>"
    begin: str = "<begin>"
    end: str = "<end>"
    unknown: str = "<unknown>"
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.names:
            if not isinstance(name, str) or not name:
                raise TextError(f"a special token named {name!r}", "a name that is not empty")
        doubles = sorted({name for name in self.names if self.names.count(name) > 1})
        if doubles:
            raise TextError(f"two special tokens named {doubles[0]!r}", "each its own name")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.padding, self.begin, self.end, self.unknown, *self.others)

    def __len__(self) -> int:
        return len(self.names)
