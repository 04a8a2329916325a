"""Words as vectors, and their geometry: what is near, and what is to c as b is to a.

    embeddings = Embeddings.of(run.weights(), run.tokeniser())
    embeddings.nearest("king", 10)
    embeddings.analogy("man", "king", "woman")  # king - man + woman

Mikolov, Yih and Zweig (2013), "Linguistic Regularities in Continuous Space Word Representations".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

import torch
from torch import Tensor
from torch.nn import functional

from workings.text.tokenisers import Tokeniser
from workings.training.errors import TrainingError, why
from workings.training.skip_gram import CENTRES, TOKENS
from workings.training.tensor_file import read_tensors, write_tensors, write_text
from workings.wording import near

_VECTORS, _WORDS = "vectors.safetensors", "words.json"
_TOGETHER = 256
"""Questions answered at once."""


class Neighbour(NamedTuple):
    """A word and the cosine of the angle between its vector and what was asked for."""

    word: str
    cosine: float


@dataclass(frozen=True, kw_only=True)
class AnalogyScore:
    """How many analogies were answered.

    Attributes:
        asked: questions (a, b, c, d): d is to c as b is to a.
        known: those of which all four words have vectors; the others count nowhere else.
        right: d was nearest to b - a + c, the words a, b and c left out.
        right_among_all: the same with nothing left out; the nearest is then mostly b or c itself.
        right_by_nearness: d was nearest to c alone, with a and b left out: what closeness gives without any analogy.
        unknown: the words that had no vector, in the order in which they were met.
    """

    asked: int
    known: int
    right: int
    right_among_all: int
    right_by_nearness: int
    unknown: tuple[str, ...]

    @property
    def accuracy(self) -> float:
        """The share of right ones among the known; 0 where none is."""
        return self.right / self.known if self.known else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "unknown": list(self.unknown), "accuracy": self.accuracy}


@final
class Embeddings:
    """Words and their vectors (v, d). Angles alone count: vectors are compared, added and subtracted at length 1."""

    def __init__(self, words: Sequence[str], vectors: Tensor) -> None:
        if vectors.ndim != 2 or len(words) != len(vectors):
            raise ValueError(f"{len(words)} words and vectors of shape {tuple(vectors.shape)}; expected a row for each")
        self.words = tuple(words)
        self.vectors = vectors.detach()
        self._rows = {word: row for row, word in enumerate(self.words)}
        if len(self._rows) != len(self.words):
            raise ValueError("a word occurs twice; expected each once")
        wide = self.vectors.to(torch.promote_types(vectors.dtype, torch.float32))
        self._directions = functional.normalize(wide, dim=1)

    @classmethod
    def of(cls, weights: Mapping[str, Tensor], tokeniser: Tokeniser) -> Embeddings:
        """From the weights of a `SkipGramTrainer`, and the tokeniser of its text.

        Raises:
            TrainingError: these are other weights, or the tokeniser is another one.
        """
        tokens, vectors = weights.get(TOKENS), weights.get(CENTRES)
        if tokens is None or vectors is None or tokens.numel() == 0 or int(tokens.max()) >= len(tokeniser):
            raise TrainingError("these weights hold no word vectors for this tokeniser", "a run of embeddings")
        return cls(tokeniser.pieces(tokens.tolist()), vectors)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def vector(self, word: str) -> Tensor:
        """The vector of a word (d,), as it was learned.

        Raises:
            TrainingError: it has none.
        """
        return self.vectors[self._row(word)]

    def cosine(self, one: str, other: str) -> float:
        """Of the angle between two words: 1 is the same direction, 0 none in common."""
        return float(self._directions[self._row(one)] @ self._directions[self._row(other)])

    def nearest(self, word: str, count: int = 10) -> list[Neighbour]:
        """The words nearest to a word, the nearest first, itself left out.

        Raises:
            TrainingError: the word has no vector.
        """
        row = self._row(word)
        return self._nearest(self._directions[row], [row], count)

    def analogy(self, a: str, b: str, c: str, count: int = 1) -> list[Neighbour]:
        """What is to `c` as `b` is to `a`: the words nearest to b - a + c, these three left out.

        Raises:
            TrainingError: one of the words has no vector.
        """
        rows = [self._row(word) for word in (a, b, c)]
        one, two, three = self._directions[rows]
        return self._nearest(two - one + three, rows, count)

    def score_analogies(self, questions: Iterable[Sequence[str]]) -> AnalogyScore:
        """How many of the analogies (a, b, c, d) hold: d is to c as b is to a.

        Raises: ValueError for a question that has not four words.
        """
        rows: list[list[int]] = []
        unknown: dict[str, None] = {}
        asked = 0
        for question in questions:
            if isinstance(question, str) or len(question) != 4:
                raise ValueError(f"the question {question!r}; expected four words")
            asked += 1
            missing = [word for word in question if word not in self._rows]
            unknown.update(dict.fromkeys(missing))
            if not missing:
                rows.append([self._rows[word] for word in question])
        right = [0, 0, 0]
        for first in range(0, len(rows), _TOGETHER):
            found = self._answers(torch.tensor(rows[first : first + _TOGETHER]))
            right = [before + now for before, now in zip(right, found, strict=True)]
        return AnalogyScore(
            asked=asked,
            known=len(rows),
            right=right[0],
            right_among_all=right[1],
            right_by_nearness=right[2],
            unknown=tuple(unknown),
        )

    def _answers(self, rows: Tensor) -> list[int]:
        """How many of the questions (n, 4) are right: without the given words, among all, by nearness to c alone."""
        a, b, c = (self._directions[column] for column in rows[:, :3].T)
        wanted = rows[:, 3]
        scores = (b - a + c) @ self._directions.T
        among_all = scores.argmax(dim=1) == wanted
        without = scores.scatter(1, rows[:, :3], -torch.inf).argmax(dim=1) == wanted
        near_c = (c @ self._directions.T).scatter(1, rows[:, :3], -torch.inf).argmax(dim=1) == wanted
        return [int(without.sum()), int(among_all.sum()), int(near_c.sum())]

    def _nearest(self, direction: Tensor, excluded: list[int], count: int) -> list[Neighbour]:
        if count < 1:
            raise ValueError(f"count is {count}; expected at least 1")
        cosines = self._directions @ functional.normalize(direction, dim=0)
        cosines[excluded] = -torch.inf
        found = cosines.topk(min(count, len(self) - len(set(excluded))))
        return [
            Neighbour(self.words[row], cosine)
            for row, cosine in zip(found.indices.tolist(), found.values.tolist(), strict=True)
        ]

    def _row(self, word: str) -> int:
        row = self._rows.get(word)
        if row is None:
            hint = near(word, self.words, "it may be too rare in the text, or written otherwise")
            raise TrainingError(f"there is no vector for the word {word!r}", hint=hint)
        return row

    def save(self, folder: Path | str) -> None:
        """Write words and vectors into a folder, which is made where it is missing.

        Raises:
            TrainingError: it cannot be written.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"the folder cannot be made: {why(error)}", where=folder) from error
        write_tensors(folder / _VECTORS, {"vectors": self.vectors.contiguous()}, {})
        write_text(folder / _WORDS, json.dumps({"words": self.words}, ensure_ascii=False, indent=0) + "\n")

    @classmethod
    def load(cls, folder: Path | str) -> Embeddings:
        """Read back what `save` wrote.

        Raises:
            TrainingError: a file is missing or damaged, or the two do not belong together.
        """
        folder = Path(folder)
        tensors, _ = read_tensors(folder / _VECTORS)
        path = folder / _WORDS
        try:
            words = json.loads(path.read_text("utf-8"))["words"]
            return cls([str(word) for word in words], tensors["vectors"])
        except OSError as error:
            raise TrainingError(f"it cannot be read: {why(error)}", "the words of the vectors", where=path) from None
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingError(f"the file is damaged: {error}", hint="save the vectors again", where=path) from None
