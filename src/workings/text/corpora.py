"""Corpora as token numbers: one text, sentence pairs, labelled texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from workings.text.ragged import Numbers, Ragged, smallest_type
from workings.text.reading import read_text, require_some
from workings.text.tokenisers import Tokeniser


@final
class TextCorpus:
    """One long sequence of token numbers."""

    def __init__(self, tokens: Numbers, tokeniser: Tokeniser, digest: str = "") -> None:
        self.tokens = tokens
        self.tokeniser = tokeniser
        self._digest = digest

    @classmethod
    def of(cls, texts: Iterable[str], tokeniser: Tokeniser) -> TextCorpus:
        """Texts put after one another, held in memory."""
        kind = smallest_type(len(tokeniser))
        parts = [np.array(tokeniser.encode(text), kind) for text in texts]
        return cls(np.concatenate(parts) if parts else np.zeros(0, kind), tokeniser)

    @classmethod
    def open(cls, path: Path | str, tokeniser: Tokeniser, cache: Path | str | None = None) -> TextCorpus:
        return cls.of(require_some(read_text(path), Path(path)), tokeniser)

    def split(self, fraction: float) -> tuple[TextCorpus, TextCorpus]:
        """The first part, of this share of the tokens, and the rest; neither copies anything."""
        cut = round(len(self.tokens) * fraction)
        return (
            TextCorpus(self.tokens[:cut], self.tokeniser, self._digest and f"{self._digest}:{cut}"),
            TextCorpus(self.tokens[cut:], self.tokeniser, self._digest and f"{self._digest}{cut}:"),
        )

    def __len__(self) -> int:
        return len(self.tokens)

    def digest(self) -> str:
        self._digest = self._digest or array_digest(self.tokens)
        return self._digest


@final
class ParallelCorpus:
    """Sentence pairs, without special tokens."""

    def __init__(
        self, source: Ragged, target: Ragged, tokeniser: Tokeniser, target_tokeniser: Tokeniser | None = None
    ) -> None:
        self.source = source
        self.target = target
        self.tokeniser = tokeniser
        self.target_tokeniser = target_tokeniser or tokeniser

    @classmethod
    def of(
        cls, pairs: Iterable[tuple[str, str]], tokeniser: Tokeniser, target_tokeniser: Tokeniser | None = None
    ) -> ParallelCorpus:
        """Pairs of texts."""
        both = list(pairs)
        other = target_tokeniser or tokeniser
        source = Ragged.of(tokeniser.encode_all([pair[0] for pair in both]), len(tokeniser))
        target = Ragged.of(other.encode_all([pair[1] for pair in both]), len(other))
        return cls(source, target, tokeniser, other)

    @classmethod
    def read(
        cls,
        source: Path | str,
        target: Path | str | None,
        tokeniser: Tokeniser,
        target_tokeniser: Tokeniser | None = None,
        *,
        longest: int | None = None,
    ) -> ParallelCorpus:
        """Two files with a sentence a line, or, without a target, one file with the two parted by a tab."""
        from workings.text.parallel import read_pairs

        return cls.of(read_pairs(source, target), tokeniser, target_tokeniser)

    def __len__(self) -> int:
        return len(self.source)

    def digest(self) -> str:
        return array_digest(self.source.flat, self.source.starts, self.target.flat, self.target.starts)


@final
class LabelledCorpus:
    """Texts, without special tokens, each with the number of its label."""

    def __init__(self, texts: Ragged, labels: NDArray[np.int64], names: Sequence[str], tokeniser: Tokeniser) -> None:
        self.texts = texts
        self.labels = labels
        self.names = tuple(names)
        self.tokeniser = tokeniser

    def __len__(self) -> int:
        return len(self.texts)

    def digest(self) -> str:
        return array_digest(self.texts.flat, self.texts.starts, self.labels)


def array_digest(*arrays: NDArray[Any]) -> str:
    """Tells other arrays from these."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
