"""Text cut into words and signs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from workings.text.errors import TextError
from workings.text.scheme import clean, room
from workings.text.specials import Specials

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


class Words:
    """One number for each word (letters, digits, apostrophes between them) and for each other sign.

    What comes back is the words joined by single spaces: white space is not kept, and a word that was not learned
    is the unknown token. Numbers follow frequency, the most frequent word first; equals follow the alphabet.
    """

    kind = "word"
    joiner = b" "

    def __init__(self, words: Sequence[str]) -> None:
        self.unknown = -1
        self._words = list(words)
        self._numbers = {word: number for number, word in enumerate(words)}
        if len(self._numbers) != len(self._words) or any(cut(word) != [word] for word in self._words):
            raise ValueError("a list of single words, each once")
        self.pieces = [word.encode() for word in words]

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary: int | None, specials: Specials) -> Words:
        """The most frequent words that fit into the vocabulary; all of them where it is None."""
        room(cls.kind, vocabulary, len(specials) + 1, f"{len(specials)} special tokens and one word")
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(cut(text))
        if not counts:
            raise TextError("no text to learn from", "at least one word")
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ranked if vocabulary is None else ranked[: vocabulary - len(specials)])

    def encode(self, text: str) -> list[int]:
        numbers, unknown = self._numbers, self.unknown
        return [numbers.get(word, unknown) for word in cut(text)]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def find(self, piece: str) -> int | None:
        return self._numbers.get(piece)

    def description(self) -> dict[str, object]:
        return {"words": self._words}


def cut(text: str) -> list[str]:
    """The words and signs of a text."""
    return _WORD.findall(clean(text))
