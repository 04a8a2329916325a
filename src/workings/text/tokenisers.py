"""Text to numbers and back."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import final

from workings.text.characters import Characters
from workings.text.errors import TextError
from workings.text.scheme import Scheme
from workings.text.specials import Specials
from workings.text.subwords import Subwords
from workings.text.words import Words
from workings.wording import near

KINDS = ("word", "character", "bpe", "unigram")


@final
class Tokeniser:
    """Cuts text into numbered pieces and puts them together again.

    Numbers 0 to n-1 are the pieces; the special tokens follow: padding, begin, end, unknown, others.
    For "bpe" and "unigram", and for "character" unless it was trained with `spelled=False`, ``decode(encode(text))``
    is the text, whatever it is (but a lone surrogate, which is no character, becomes U+FFFD). "word" keeps the words
    and signs it knows, joined by single spaces.
    """

    def __init__(self, scheme: Scheme, specials: Specials) -> None:
        self.scheme = scheme
        self.specials = specials
        first = len(scheme.pieces)
        self._special_numbers = {name: first + place for place, name in enumerate(specials.names)}
        scheme.unknown = self.unknown
        self._bytes = [*scheme.pieces, *(name.encode() for name in specials.names)]
        longest_first = sorted(specials.names, key=len, reverse=True)
        self._special_names = re.compile("(" + "|".join(map(re.escape, longest_first)) + ")")

    @classmethod
    def train(
        cls,
        kind: str,
        texts: Iterable[str],
        vocabulary: int | None = None,
        specials: Specials | None = None,
        *,
        spelled: bool = True,
    ) -> Tokeniser:
        """Learn the pieces from texts, which are read once, in order.

        Args:
            kind: "word", "character", "bpe" or "unigram".
            texts: the training texts, with line ends where the model shall see line ends.
            vocabulary: the number of pieces and special tokens together, at most; None, for words and characters:
                as many as there are.
            specials: the names of the special tokens.
            spelled: for "character": spell characters outside the alphabet by their bytes (256 more numbers).

        Raises:
            TextError: an unknown kind, texts without any text, a vocabulary that is too small.
        """
        specials = specials or Specials()
        match kind:
            case "word":
                return cls(Words.train(texts, vocabulary, specials), specials)
            case "character":
                return cls(Characters.train(texts, vocabulary, specials, spelled), specials)
            case "bpe" | "unigram":
                return cls(Subwords.train(kind, texts, vocabulary, specials), specials)
        raise TextError(f"a tokeniser of the kind {kind!r}", " or ".join(KINDS), near(kind, KINDS))

    @property
    def kind(self) -> str:
        return self.scheme.kind

    @property
    def padding(self) -> int:
        return self._special_numbers[self.specials.padding]

    @property
    def begin(self) -> int:
        return self._special_numbers[self.specials.begin]

    @property
    def end(self) -> int:
        return self._special_numbers[self.specials.end]

    @property
    def unknown(self) -> int:
        return self._special_numbers[self.specials.unknown]

    @property
    def unwritten(self) -> tuple[int, ...]:
        """What stands for no text and does not end one either: whoever writes never chooses it."""
        return self.padding, self.begin, self.unknown

    def special(self, name: str) -> int:
        """The number of a special token, by its name."""
        try:
            return self._special_numbers[name]
        except KeyError:
            names = list(self._special_numbers)
            raise TextError(f"no special token {name!r}", " or ".join(names), near(name, names)) from None

    def __len__(self) -> int:
        """The number of pieces and special tokens."""
        return len(self._bytes)

    def encode(self, text: str, *, specials: bool = False) -> list[int]:
        """The numbers of a text's pieces; no begin or end is added.

        Args:
            text: any text.
            specials: whether the name of a special token in the text stands for that token.
        """
        if not specials:
            return self.scheme.encode(text)
        numbers: list[int] = []
        for place, part in enumerate(self._special_names.split(text)):
            numbers += [self._special_numbers[part]] if place % 2 else self.scheme.encode(part)
        return numbers

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Each text by itself; quicker than one after the other."""
        return self.scheme.encode_all(texts)

    def find(self, piece: str) -> int | None:
        """The number of a piece, written as `pieces` writes it, or None."""
        number = self.scheme.find(piece)
        return number if number is not None else self._special_numbers.get(piece)

    def decode(self, numbers: Iterable[int], *, specials: bool = False) -> str:
        """The text of a sequence of numbers; bytes that are no UTF-8 become U+FFFD.

        Args:
            numbers: such as `encode` gives, or a model.
            specials: whether special tokens are written by their names; otherwise only the unknown token is.
        """
        return self.scheme.joiner.join(self._spoken(numbers, specials)).decode("utf-8", "replace")

    def _spoken(self, numbers: Iterable[int], specials: bool) -> Iterator[bytes]:
        first, unknown = len(self.scheme.pieces), self.unknown
        for number in map(int, numbers):
            if not 0 <= number < len(self._bytes):
                raise ValueError(f"number {number} is outside the vocabulary of {len(self):,}")
            if number < first or specials or number == unknown:
                yield self._bytes[number]

    def pieces(self, numbers: Iterable[int]) -> list[str]:
        r"""Each number as a reader sees it: its text, its special name, ``\xe2`` where bytes are no whole character."""
        table = self._bytes
        return [table[int(number)].decode("utf-8", "backslashreplace") for number in numbers]

    def stream(self, *, specials: bool = False) -> Stream:
        """A decoder that is fed one number after the other."""
        return Stream(self, specials)

    @property
    def fingerprint(self) -> str:
        """A digest of everything that decides which numbers a text gets."""
        from workings.text.saving import fingerprint

        return fingerprint(self)

    def save(self, folder: Path | str) -> None:
        """Write the tokeniser into a folder, which is made where it is missing."""
        from workings.text.saving import save

        save(self, Path(folder))

    @classmethod
    def load(cls, folder: Path | str) -> Tokeniser:
        """Read back what `save` wrote.

        Raises:
            TextError: the folder holds none, or a damaged one, or one of a later version.
        """
        from workings.text.saving import load

        return load(Path(folder))


@final
class Stream:
    """Decodes piece by piece and gives out whole characters only.

    What `push` and, at last, `finish` give is, put together, what `decode` would.
    """

    def __init__(self, tokeniser: Tokeniser, specials: bool) -> None:
        self._tokeniser = tokeniser
        self._specials = specials
        self._characters = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = False

    def push(self, *numbers: int) -> str:
        """The text that is certain now; bytes that may yet become a character are kept back."""
        said = ""
        for spoken in self._tokeniser._spoken(numbers, self._specials):
            joiner = self._tokeniser.scheme.joiner if self._begun else b""
            self._begun = True
            said += self._characters.decode(joiner + spoken)
        return said

    def finish(self) -> str:
        """What was kept back: U+FFFD where a character stayed incomplete. The stream can then be used again."""
        said = self._characters.decode(b"", final=True)
        self._begun = False
        self._characters.reset()
        return said
