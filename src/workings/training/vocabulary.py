"""Which words of a text get vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workings.text.corpora import TextCorpus
from workings.text.tokenisers import Tokeniser
from workings.training.errors import TrainingError
from workings.wording import counted


class Vocabulary(NamedTuple):
    """The words that have vectors, and how often each occurs."""

    tokens: NDArray[np.int64]  # (v,)
    counts: NDArray[np.int64]  # (v,)
    rows: NDArray[np.int64]  # the row of each token, -1 where it has none

    @classmethod
    def of(cls, corpus: TextCorpus, minimum: int) -> Vocabulary:
        """The pieces with a letter or digit that occur at least so often; the most frequent first.

        Raises:
            TrainingError: there are fewer than two.
        """
        counts = np.zeros(len(corpus.tokeniser), np.int64)
        for start in range(0, len(corpus), 1 << 20):
            counts += np.bincount(corpus.tokens[start : start + (1 << 20)], minlength=len(counts))
        real = counts * _are_words(corpus.tokeniser)
        tokens = np.argsort(-real, kind="stable")[: int(np.count_nonzero(real >= minimum))]
        if len(tokens) < 2:
            found = f"{counted(len(tokens), 'word')} seen at least {counted(minimum, 'time')}"
            raise TrainingError(found, "at least 2", "use more text, or let rarer words count", where=corpus.name)
        rows = np.full(len(counts), -1, np.int64)
        rows[tokens] = np.arange(len(tokens))
        return cls(tokens, counts[tokens], rows)


def _are_words(tokeniser: Tokeniser) -> NDArray[np.bool_]:
    """Which tokens are words: not signs, and not special."""
    words = [any(map(str.isalnum, piece)) for piece in tokeniser.pieces(range(len(tokeniser)))]
    for name in tokeniser.specials.names:
        words[tokeniser.special(name)] = False
    return np.array(words)
