"""What every way of cutting text into pieces offers, and the table of bytes that the subword ones share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from workings.text.errors import TextError

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


class Scheme(Protocol):
    """A way of cutting text into pieces, which are numbered from 0.

    `unknown` is the number given to what cannot be spelled. It is a special token's, so the tokeniser sets it.
    """

    unknown: int

    @property
    def kind(self) -> str: ...

    @property
    def joiner(self) -> bytes:
        """What stands between two pieces when they are put together again."""
        ...

    @property
    def pieces(self) -> Sequence[bytes]:
        """The bytes that each number stands for."""
        ...

    def encode(self, text: str) -> list[int]: ...

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]: ...

    def find(self, piece: str) -> int | None: ...

    def description(self) -> dict[str, object]:
        """What `description.json` keeps of it."""
        ...


def clean(text: str) -> str:
    """Text as UTF-8 can hold it: a lone surrogate, which is no character, becomes U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text)


def room(kind: str, vocabulary: int | None, needed: int, made_of: str) -> None:
    """Refuse a vocabulary that cannot hold what it must.

    Raises:
        TextError: fewer than `needed` places.
    """
    if vocabulary is not None and vocabulary < needed:
        raise TextError(
            f"a vocabulary of {vocabulary:,} for a {kind} tokeniser",
            f"at least {needed:,}: {made_of}",
            "make the vocabulary larger",
        )


def byte_letters() -> list[str]:
    """The printable letter that byte-level tokenisers write for each byte (GPT-2's table).

    Bytes that are visible in Latin-1 stand for themselves; the others get the letters from U+0100 on, in order.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    further = iter(range(0x100, 0x200))
    return [chr(byte) if byte in visible else chr(next(further)) for byte in range(256)]
