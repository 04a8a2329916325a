"""What is said about a model: how surprised it was, how near its translations came, which classes it took for which.

Records of what was counted; all else follows from that. `to_dict()` is for JSON.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Per:
    """A loss spread evenly over so many tokens, characters or words."""

    count: int
    nats: float
    """For each of them; infinity where there are none."""

    @property
    def bits(self) -> float:
        return self.nats / math.log(2)

    @property
    def perplexity(self) -> float:
        return math.exp(self.nats) if self.nats < 700 else math.inf

    def to_dict(self) -> dict[str, Any]:
        return {"count": self.count, "nats": self.nats, "bits": self.bits, "perplexity": self.perplexity}


@dataclass(frozen=True, kw_only=True)
class Perplexity:
    """How surprised a model was by a text.

    Texts cut in different ways are compared by `per_character` or `per_word`, never by `per_token`. Both take the text
    as the tokeniser gives it back; where `unknown` is not 0, part of it was hidden, and other tokenisers' numbers do
    not compare.

    Attributes:
        nats: the negative logarithm of the text's probability.
        tokens: what was predicted; for translations, with the end of each sentence.
        characters, words: of the predicted text; white space parts words.
        correct: tokens that the model thought the likeliest.
        unknown: tokens that stand for what the tokeniser does not know; each counts as one character.
    """

    nats: float
    tokens: int
    characters: int
    words: int
    correct: int
    unknown: int

    @property
    def per_token(self) -> Per:
        return self._per(self.tokens)

    @property
    def per_character(self) -> Per:
        return self._per(self.characters)

    @property
    def per_word(self) -> Per:
        return self._per(self.words)

    @property
    def accuracy(self) -> float:
        return self.correct / self.tokens

    def _per(self, count: int) -> Per:
        return Per(count, self.nats / count if count else math.inf)

    def to_dict(self) -> dict[str, Any]:
        return {
            "token": self.per_token.to_dict(),
            "character": self.per_character.to_dict(),
            "word": self.per_word.to_dict(),
            "accuracy": self.accuracy,
            "unknown": self.unknown,
        }


@dataclass(frozen=True, kw_only=True)
class TranslationScores:
    """Translations against references, by sacrebleu. The signatures say how; scores of others compare only with the
    same ones.

    Attributes:
        sentences: how many.
        exact: translations that are, letter for letter, their references.
        bleu, chrf: 0 to 100.
        precisions: BLEU's, of 1 to 4 words, in percent.
        brevity_penalty: what BLEU takes off for being too short; 1 is nothing.
        length_ratio: words of the translations for each word of the references.
    """

    sentences: int
    exact: int
    bleu: float
    bleu_signature: str
    precisions: tuple[float, ...]
    brevity_penalty: float
    length_ratio: float
    chrf: float
    chrf_signature: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def translation_scores(hypotheses: Sequence[str], references: Sequence[str]) -> TranslationScores:
    """BLEU (Papineni et al. 2002) and chrF (Popović 2015) of plain texts, with sacrebleu's defaults.

    Raises: ValueError where there is nothing to score, or not one reference for each translation.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    if not hypotheses or len(hypotheses) != len(references):
        raise ValueError(
            f"{len(hypotheses)} translations and {len(references)} references; expected one reference for each of "
            "at least one translation"
        )
    bleu, chrf = BLEU(), CHRF()
    words = bleu.corpus_score(list(hypotheses), [list(references)])
    letters = chrf.corpus_score(list(hypotheses), [list(references)])
    return TranslationScores(
        sentences=len(hypotheses),
        exact=sum(one == other for one, other in zip(hypotheses, references, strict=True)),
        bleu=words.score,
        bleu_signature=str(bleu.get_signature()),
        precisions=tuple(words.precisions),
        brevity_penalty=words.bp,
        length_ratio=words.ratio,
        chrf=letters.score,
        chrf_signature=str(chrf.get_signature()),
    )


@dataclass(frozen=True, kw_only=True)
class ClassScores:
    """One class: texts that have it (`support`), that were given it (`predicted`), and both (`right`)."""

    name: str
    support: int
    predicted: int
    right: int

    @property
    def precision(self) -> float:
        """The share of right ones among the predicted; 0 where it was never predicted."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of right ones among those that have it; 0 where none has."""
        return self.right / self.support if self.support else 0.0

    @property
    def f1(self) -> float | None:
        """The harmonic mean of the two: 2 right / (support + predicted). None for a class that does not occur."""
        return 2 * self.right / (self.support + self.predicted) if self.support + self.predicted else None

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, kw_only=True)
class ClassificationScores:
    """Predicted classes against labels.

    Attributes:
        names: the classes.
        confusion: how many texts of the row's class were given the column's.
        loss: the mean cross-entropy in nats, where probabilities were known.
    """

    names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    loss: float | None = None

    @property
    def classes(self) -> tuple[ClassScores, ...]:
        columns = [sum(column) for column in zip(*self.confusion, strict=True)]
        return tuple(
            ClassScores(name=name, support=sum(row), predicted=columns[place], right=row[place])
            for place, (name, row) in enumerate(zip(self.names, self.confusion, strict=True))
        )

    @property
    def texts(self) -> int:
        return sum(map(sum, self.confusion))

    @property
    def accuracy(self) -> float:
        return sum(each.right for each in self.classes) / self.texts

    @property
    def majority(self) -> float:
        """The accuracy of always saying the commonest class."""
        return max(each.support for each in self.classes) / self.texts

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the classes that occur, as labels or as predictions."""
        known = [each.f1 for each in self.classes if each.f1 is not None]
        return sum(known) / len(known)

    def to_dict(self) -> dict[str, Any]:
        return {
            "texts": self.texts,
            "accuracy": self.accuracy,
            "majority": self.majority,
            "macro_f1": self.macro_f1,
            "loss": self.loss,
            "classes": [each.to_dict() for each in self.classes],
            "confusion": [list(row) for row in self.confusion],
        }


def classification_scores(
    labels: ArrayLike, predictions: ArrayLike, names: Sequence[str], *, loss: float | None = None
) -> ClassificationScores:
    """Labels and predictions (n,), as the numbers of classes in `names`.

    Raises: ValueError where there is nothing to score, or the two do not go together.
    """
    wanted, given = np.asarray(labels, np.int64), np.asarray(predictions, np.int64)
    if wanted.shape != given.shape or wanted.ndim != 1 or not len(wanted):
        found = f"labels of shape {wanted.shape} and predictions of shape {given.shape}"
        raise ValueError(f"{found}; expected one prediction for each of at least one label")
    count = len(names)
    if min(wanted.min(), given.min()) < 0 or max(wanted.max(), given.max()) >= count:
        raise ValueError(f"a class outside the {count} that have names; expected numbers from 0 to {count - 1}")
    table = np.bincount(wanted * count + given, minlength=count * count).reshape(count, count)
    return ClassificationScores(names=tuple(names), confusion=tuple(map(tuple, table.tolist())), loss=loss)
