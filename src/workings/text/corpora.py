"""Corpora as token numbers: one text, sentence pairs, labelled texts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from workings.text.errors import TextError, at
from workings.text.labelled import Row, known_label, learn_labels, read_rows
from workings.text.parallel import read_pairs
from workings.text.ragged import Gathering, Numbers, Ragged, smallest_type
from workings.text.reading import files_of
from workings.text.token_file import token_file, tokenised
from workings.text.tokenisers import Tokeniser
from workings.wording import counted

_TOGETHER = 4096
"""Texts encoded at once."""


@final
class TextCorpus:
    """One long sequence of token numbers, in memory or mapped from a file. Messages call it by its `name`."""

    def __init__(self, tokens: Numbers, tokeniser: Tokeniser, digest: str = "", name: str = "") -> None:
        self.tokens = tokens
        self.tokeniser = tokeniser
        self.name = name
        self._digest = digest

    @classmethod
    def of(cls, texts: Iterable[str], tokeniser: Tokeniser, name: str = "") -> TextCorpus:
        """Texts put after one another, held in memory."""
        kind = smallest_type(len(tokeniser))
        parts = [np.array(tokeniser.encode(text), kind) for text in texts]
        return cls(np.concatenate([np.zeros(0, kind), *parts]), tokeniser, name=name)

    @classmethod
    def open(cls, path: Path | str, tokeniser: Tokeniser, cache: Path | str | None = None) -> TextCorpus:
        """A UTF-8 text file, gzip or not, or a folder of them, with the end token between files.

        Args:
            path: the text.
            tokeniser: how it is cut.
            cache: the file that keeps the numbers. It is made in a stream and mapped, not read, so that the corpus may
                be larger than memory; used again while text and tokeniser are the same; else made anew. None: the
                numbers are held in memory.

        Raises:
            TextError: the text cannot be read or is empty, or the cache cannot be written.
        """
        path = Path(path)
        if cache is not None:
            tokens, digest = token_file(path, tokeniser, Path(cache))
            return cls(tokens, tokeniser, digest, str(path))
        return cls(np.concatenate(list(tokenised(files_of(path), path, tokeniser))), tokeniser, name=str(path))

    def split(self, share: float) -> tuple[TextCorpus, TextCorpus]:
        """The first part, of this share of the tokens, and the rest; neither copies anything."""
        if not 0 < share < 1:
            raise TextError(f"a first part of {share}", "a share between 0 and 1")
        cut, digest = round(len(self.tokens) * share), self._digest
        first, last = (f"the {part} of {self.name}" for part in (f"first {share:.3g}", f"last {1 - share:.3g}"))
        return (
            TextCorpus(self.tokens[:cut], self.tokeniser, digest and f"{digest}:{cut}", self.name and first),
            TextCorpus(self.tokens[cut:], self.tokeniser, digest and f"{digest}/{cut}:", self.name and last),
        )

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self) -> Iterator[str]:
        """The text again, in parts: for a mapped corpus, a little at a time."""
        stream = self.tokeniser.stream()
        for start in range(0, len(self.tokens), 1 << 16):
            yield stream.push(*self.tokens[start : start + (1 << 16)].tolist())
        yield stream.finish()

    def characters(self) -> int:
        """The number of characters of its text."""
        return sum(map(len, self.text()))

    def words(self) -> int:
        """The number of words, as white space parts them, of its text."""
        count, inside = 0, False
        for part in self.text():
            if part:
                count += len(part.split()) - (inside and not part[0].isspace())
                inside = not part[-1].isspace()
        return count

    def digest(self) -> str:
        """Tells another corpus from this one."""
        self._digest = self._digest or array_digest(self.tokens)
        return self._digest


@final
class ParallelCorpus:
    """Sentence pairs as token numbers, without special tokens. Messages call it by its `name`.

    `empty` and `too_long` count the pairs that were left out because a side was blank, or longer than allowed.
    """

    def __init__(
        self, source: Ragged, target: Ragged, tokeniser: Tokeniser, target_tokeniser: Tokeniser | None = None
    ) -> None:
        if len(source) != len(target):
            raise ValueError(f"{len(source)} sources and {len(target)} targets")
        self.source = source
        self.target = target
        self.tokeniser = tokeniser
        self.target_tokeniser = target_tokeniser or tokeniser
        self.name = ""
        self.empty = 0
        self.too_long = 0

    @classmethod
    def of(
        cls,
        pairs: Iterable[tuple[str, str]],
        tokeniser: Tokeniser,
        target_tokeniser: Tokeniser | None = None,
        *,
        longest: int | None = None,
    ) -> ParallelCorpus:
        """Pairs of texts; see `read`."""
        here, there = tokeniser, target_tokeniser or tokeniser
        sources, targets = Gathering(len(here)), Gathering(len(there))
        empty = too_long = 0
        remaining = iter(pairs)
        while block := list(islice(remaining, _TOGETHER)):
            one = here.encode_all([pair[0] for pair in block])
            other = there.encode_all([pair[1] for pair in block])
            for pair, source, target in zip(block, one, other, strict=True):
                if not (pair[0].strip() and pair[1].strip()):
                    empty += 1
                elif longest is not None and max(len(source), len(target)) >= longest:
                    too_long += 1
                else:
                    sources.add(source)
                    targets.add(target)
        corpus = cls(sources.done(), targets.done(), here, there)
        corpus.empty, corpus.too_long = empty, too_long
        return corpus

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
        """Two files with a sentence a line each, or one file of two columns with a tab between them.

        Args:
            source: a UTF-8 file, gzip or not.
            target: the other one; None: the source file holds both columns.
            tokeniser: for the source, and for the target unless that has its own.
            target_tokeniser: for the target.
            longest: leave out pairs of which a side, with its end token, has more positions than this.

        Raises:
            TextError: a file that cannot be read, lines that do not go together, nothing left.
        """
        pairs = read_pairs(Path(source), None if target is None else Path(target))
        corpus = cls.of(pairs, tokeniser, target_tokeniser, longest=longest)
        if not len(corpus):
            found = f"no sentence pairs, but {corpus.empty:,} blank and {corpus.too_long:,} too long"
            hint = "allow longer sentences" if corpus.too_long else "check the path"
            raise TextError(found, "at least one", hint, where=at(Path(source)))
        corpus.name = str(source)
        return corpus

    def __len__(self) -> int:
        return len(self.source)

    def take(self, places: NDArray[np.int64]) -> ParallelCorpus:
        """These pairs, in this order."""
        return ParallelCorpus(self.source.take(places), self.target.take(places), self.tokeniser, self.target_tokeniser)

    def held_out(self, share: float, seed: int) -> tuple[ParallelCorpus, ParallelCorpus]:
        """The corpus without a part drawn by the seed, and that part."""
        rest, part = _drawn(len(self), share, seed, self.name)
        return self.take(rest), self.take(part)

    def digest(self) -> str:
        """Tells another corpus from this one."""
        return array_digest(self.source.flat, self.source.starts, self.target.flat, self.target.starts)


@final
class LabelledCorpus:
    """Texts as token numbers, without special tokens, each with the number of its label.

    `names` are the labels by number; `truncated` counts the texts that were cut because they are longer than allowed.
    Messages call it by its `name`.
    """

    def __init__(self, texts: Ragged, labels: NDArray[np.int64], names: Sequence[str], tokeniser: Tokeniser) -> None:
        self.texts = texts
        self.labels = labels
        self.names = tuple(names)
        self.tokeniser = tokeniser
        self.name = ""
        self.truncated = 0

    @classmethod
    def read(
        cls,
        path: Path | str,
        tokeniser: Tokeniser,
        names: Sequence[str] | None = None,
        *,
        longest: int | None = None,
    ) -> LabelledCorpus:
        """A TSV file (text, a tab, label; or columns named in the first line) or JSON lines ("text", "label").

        Args:
            path: a UTF-8 file, gzip or not, or a folder of them.
            tokeniser: how the texts are cut.
            names: the labels, as training found them; None: find them here.
            longest: cut texts that, with begin and end token, have more positions than this.

        Raises:
            TextError: a file or line that cannot be read; where labels are found here, fewer than two of them, or
                some that occur once; else labels that are not among the names.
        """
        rows = list(read_rows(Path(path)))
        if not rows:
            raise TextError("there are no labelled texts in it", "a text and a label a line", where=at(Path(path)))
        known = tuple(learn_labels(rows) if names is None else names)
        gathering, truncated = Gathering(len(tokeniser)), 0
        for text in _encoded(rows, tokeniser):
            room = len(text) if longest is None else max(0, longest - 2)
            truncated += len(text) > room
            gathering.add(text[:room])
        labels = np.array([known_label(row, known) for row in rows], np.int64)
        corpus = cls(gathering.done(), labels, known, tokeniser)
        corpus.name, corpus.truncated = str(path), truncated
        return corpus

    def __len__(self) -> int:
        return len(self.texts)

    def histogram(self) -> dict[str, int]:
        """How often each label occurs."""
        counts = Counter(self.labels.tolist())
        return {name: counts[number] for number, name in enumerate(self.names)}

    def take(self, places: NDArray[np.int64]) -> LabelledCorpus:
        """These texts, in this order."""
        return LabelledCorpus(self.texts.take(places), self.labels[places], self.names, self.tokeniser)

    def held_out(self, share: float, seed: int) -> tuple[LabelledCorpus, LabelledCorpus]:
        """The corpus without a part drawn by the seed, and that part."""
        rest, part = _drawn(len(self), share, seed, self.name)
        return self.take(rest), self.take(part)

    def digest(self) -> str:
        """Tells another corpus from this one."""
        return array_digest(self.texts.flat, self.texts.starts, self.labels)


def _encoded(rows: list[Row], tokeniser: Tokeniser) -> Iterator[list[int]]:
    for start in range(0, len(rows), _TOGETHER):
        yield from tokeniser.encode_all([row.text for row in rows[start : start + _TOGETHER]])


def _drawn(count: int, share: float, seed: int, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two sets of places, each in order: the rest, and a share of all."""
    size = round(count * share)
    if not 0 < size < count:
        found = f"a share of {share} of {counted(count, 'example')} is {size:,}"
        raise TextError(found, "some of them, and not all", "use more of them, or another share", where=name)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    return np.sort(order[size:]), np.sort(order[:size])


def array_digest(*arrays: NDArray[Any]) -> str:
    """Tells other arrays from these."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
