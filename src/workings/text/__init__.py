"""Text as numbers: tokenisers, corpora, batches.

    tokeniser = Tokeniser.train("bpe", read_lines("train.en"), 8000)
    corpus = ParallelCorpus.read("train.en", "train.de", tokeniser)
    for batch in BatchOrder(Pairs(corpus), tokens=2048, seed=1).forever(): ...

What needs PyTorch (`Batch` and the examples that make it) is loaded when it is first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workings.text.corpora import LabelledCorpus, ParallelCorpus, TextCorpus
from workings.text.errors import TextError
from workings.text.order import BatchOrder
from workings.text.reading import read_lines, read_text
from workings.text.specials import Specials
from workings.text.tokenisers import KINDS, Stream, Tokeniser

if TYPE_CHECKING:
    from workings.text.batches import IGNORED, Batch, Examples, Labelled, Pairs, Windows

_WITH_TORCH = ("IGNORED", "Batch", "Examples", "Labelled", "Pairs", "Windows")

__all__ = [  # noqa: RUF022 - in the order in which they are met
    "KINDS", "Tokeniser", "Specials", "Stream",
    "read_lines", "read_text", "TextCorpus", "ParallelCorpus", "LabelledCorpus",
    "BatchOrder", "Batch", "Examples", "Windows", "Pairs", "Labelled", "IGNORED",
    "TextError",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _WITH_TORCH:
        raise AttributeError(f"module 'workings.text' has no attribute {name!r}")
    from workings.text import batches

    return getattr(batches, name)
