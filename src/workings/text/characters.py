"""Text cut into characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from workings.text.errors import TextError
from workings.text.scheme import clean, room
from workings.text.specials import Specials


class Characters:
    """One number for each character of the alphabet, in the order of their code points.

    A character outside the alphabet is spelled by its UTF-8 bytes, for which 256 numbers follow those of the
    alphabet; without them (`spelled` false) it becomes the unknown token.
    """

    kind = "character"
    joiner = b""

    def __init__(self, alphabet: Sequence[str], spelled: bool) -> None:
        self.unknown = -1
        self._alphabet = list(alphabet)
        self._spelled = spelled
        self._numbers = {character: number for number, character in enumerate(alphabet)}
        if len(self._numbers) != len(self._alphabet) or any(len(c) != 1 or clean(c) != c for c in self._alphabet):
            raise ValueError("an alphabet of single characters, each once")
        single_bytes = [bytes([byte]) for byte in range(256)] if spelled else []
        self.pieces = [*(character.encode() for character in alphabet), *single_bytes]

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary: int | None, specials: Specials, spelled: bool) -> Characters:
        """The most frequent characters that fit into the vocabulary; all of them where it is None."""
        others = len(specials) + 256 * spelled
        made_of = f"{len(specials)} special tokens{', 256 bytes' if spelled else ''} and one character"
        room(cls.kind, vocabulary, others + 1, made_of)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(clean(text))
        if not counts:
            raise TextError("no text to learn from", "at least one character")
        ranked = sorted(counts, key=lambda character: (-counts[character], character))
        kept = ranked if vocabulary is None else ranked[: vocabulary - others]
        return cls(sorted(kept), spelled)

    def encode(self, text: str) -> list[int]:
        numbers = self._numbers
        try:
            return [numbers[character] for character in text]
        except KeyError:
            spelling = {character: self._spell(character) for character in set(clean(text))}
            return [number for character in clean(text) for number in spelling[character]]

    def _spell(self, character: str) -> list[int]:
        number = self._numbers.get(character)
        if number is not None:
            return [number]
        if self._spelled:
            return [len(self._alphabet) + byte for byte in character.encode()]
        return [self.unknown]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def find(self, piece: str) -> int | None:
        return self._numbers.get(piece)

    def description(self) -> dict[str, object]:
        return {"alphabet": "".join(self._alphabet), "spelled": self._spelled}
