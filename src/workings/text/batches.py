"""Batches of token numbers as tensors, and the three kinds of examples that they are made from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, final

import numpy as np
import torch
from numpy.typing import NDArray

from workings.text.corpora import LabelledCorpus, ParallelCorpus, TextCorpus
from workings.text.errors import TextError
from workings.wording import counted

IGNORED = -100
"""The target of a position that is no target; `torch.nn.functional.cross_entropy` leaves it out by default."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows padded on the right, to the longest of this batch. b rows, t target and s source positions; all int64.

    With target positions (language model, translation), `targets[i, j]` is what comes after `inputs[i, :j + 1]`.
    `labels` is for classification. Padded inputs hold the padding token, padded targets and labels `IGNORED`.
    """

    inputs: torch.Tensor  # (b, t)
    lengths: torch.Tensor  # (b,)
    targets: torch.Tensor | None = None  # (b, t)
    source: torch.Tensor | None = None  # (b, s)
    source_lengths: torch.Tensor | None = None  # (b,)
    labels: torch.Tensor | None = None  # (b,)
    examples: tuple[int, ...] = ()
    """Which examples the rows are: places in the corpus; for windows, where each begins."""
    tokens: int = 0
    """Real targets in these rows: target positions, or labels."""
    all_tokens: int = 0
    """Real targets in the same batch of all processes together: what a sum of losses is divided by."""

    @property
    def rows(self) -> int:
        return int(self.inputs.shape[0])

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on a device."""
        tensors = {f.name: getattr(self, f.name) for f in fields(self)}
        moved: dict[str, Any] = {
            name: t.to(device, non_blocking=True) for name, t in tensors.items() if isinstance(t, torch.Tensor)
        }
        return replace(self, **moved)

    def without_targets(self) -> Batch:
        """The same rows with nothing to learn from: what a process gets that has no row in a batch."""
        blank: dict[str, Any] = {}
        for name in ("targets", "labels"):
            tensor = getattr(self, name)
            blank[name] = None if tensor is None else torch.full_like(tensor, IGNORED)
        return replace(self, **blank, tokens=0)


class Examples(Protocol):
    """What batches are made from. Examples have numbers, which need not be consecutive."""

    def draw(self, generator: np.random.Generator | None) -> NDArray[np.int64]:
        """The examples of one epoch, in an order drawn by the generator; without one, each once and in order."""
        ...

    def sizes(self, examples: NDArray[np.int64]) -> NDArray[np.int64]:
        """The lengths of the sequences of each example (n, number of sequences), the target's first."""
        ...

    def counted(self, examples: NDArray[np.int64]) -> int:
        """The number of real targets in these examples."""
        ...

    def batch(self, examples: NDArray[np.int64]) -> Batch:
        """These examples as one batch, `all_tokens` being its own `tokens`."""
        ...

    def digest(self) -> str:
        """Tells other examples from these."""
        ...


@final
class Windows:
    """Windows of a text for a language model: `context` inputs, and as targets the tokens one further.

    In order (evaluation), windows follow each other and each token after the first is a target once; the last window
    may be shorter. Drawn (training), each begins anywhere, and an epoch has as many as fit beside each other.
    """

    def __init__(self, corpus: TextCorpus, context: int) -> None:
        if context < 1:
            raise TextError(f"windows of {counted(context, 'token')}", "at least 1")
        if len(corpus) < 2:
            found = f"a corpus of {counted(len(corpus), 'token')}"
            raise TextError(found, "at least 2: one to read and one to predict", "use more text", where=corpus.name)
        self.corpus = corpus
        self.context = context

    def draw(self, generator: np.random.Generator | None) -> NDArray[np.int64]:
        last = len(self.corpus) - self.context
        if generator is None:
            return np.arange(0, len(self.corpus) - 1, self.context, dtype=np.int64)
        if last < 1:
            found, hint = f"a corpus of {counted(len(self.corpus), 'token')}", "use more text or a shorter context"
            raise TextError(found, f"more than the context of {self.context:,}", hint, where=self.corpus.name)
        return generator.integers(0, last, size=max(1, (len(self.corpus) - 1) // self.context), dtype=np.int64)

    def sizes(self, examples: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(self.context, len(self.corpus) - 1 - examples)[:, None]

    def counted(self, examples: NDArray[np.int64]) -> int:
        return int(self.sizes(examples).sum())

    def batch(self, examples: NDArray[np.int64]) -> Batch:
        tokens, padding = self.corpus.tokens, self.corpus.tokeniser.padding
        windows = [tokens[start : start + self.context + 1] for start in examples.tolist()]
        inputs, lengths = _padded([window[:-1] for window in windows], filler=padding)
        targets, _ = _padded([window[1:] for window in windows], filler=IGNORED)
        count = int(lengths.sum())
        return Batch(
            inputs=inputs,
            lengths=lengths,
            targets=targets,
            examples=tuple(examples.tolist()),
            tokens=count,
            all_tokens=count,
        )

    def digest(self) -> str:
        return _digest(self.corpus.digest(), self.context)


@final
class Pairs:
    """Sentence pairs for an encoder-decoder: source + end; begin + target as inputs; target + end as targets."""

    def __init__(self, corpus: ParallelCorpus) -> None:
        self.corpus = corpus

    def draw(self, generator: np.random.Generator | None) -> NDArray[np.int64]:
        return _each_once(len(self.corpus), generator)

    def sizes(self, examples: NDArray[np.int64]) -> NDArray[np.int64]:
        both = (self.corpus.target, self.corpus.source)
        return np.stack([side.lengths[examples] + 1 for side in both], axis=1)

    def counted(self, examples: NDArray[np.int64]) -> int:
        return int(self.sizes(examples)[:, 0].sum())

    def batch(self, examples: NDArray[np.int64]) -> Batch:
        places = examples.tolist()
        here, there = self.corpus.tokeniser, self.corpus.target_tokeniser
        wanted = [self.corpus.target[place] for place in places]
        source, source_lengths = _padded(
            [self.corpus.source[place] for place in places], after=here.end, filler=here.padding
        )
        inputs, lengths = _padded(wanted, before=there.begin, filler=there.padding)
        targets, _ = _padded(wanted, after=there.end, filler=IGNORED)
        count = int(lengths.sum())
        return Batch(
            inputs=inputs,
            lengths=lengths,
            targets=targets,
            source=source,
            source_lengths=source_lengths,
            examples=tuple(places),
            tokens=count,
            all_tokens=count,
        )

    def digest(self) -> str:
        return self.corpus.digest()


@final
class Labelled:
    """Labelled texts for a classifier: begin + text + end, and the number of its label."""

    def __init__(self, corpus: LabelledCorpus) -> None:
        self.corpus = corpus

    def draw(self, generator: np.random.Generator | None) -> NDArray[np.int64]:
        return _each_once(len(self.corpus), generator)

    def sizes(self, examples: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.corpus.texts.lengths[examples][:, None] + 2

    def counted(self, examples: NDArray[np.int64]) -> int:
        return len(examples)

    def batch(self, examples: NDArray[np.int64]) -> Batch:
        places, tokeniser = examples.tolist(), self.corpus.tokeniser
        inputs, lengths = _padded(
            [self.corpus.texts[place] for place in places],
            before=tokeniser.begin,
            after=tokeniser.end,
            filler=tokeniser.padding,
        )
        return Batch(
            inputs=inputs,
            lengths=lengths,
            labels=torch.from_numpy(self.corpus.labels[examples]),
            examples=tuple(places),
            tokens=len(places),
            all_tokens=len(places),
        )

    def digest(self) -> str:
        return self.corpus.digest()


def _each_once(count: int, generator: np.random.Generator | None) -> NDArray[np.int64]:
    return np.arange(count, dtype=np.int64) if generator is None else generator.permutation(count)


def _padded(
    rows: Sequence[NDArray[Any]], *, filler: int, before: int | None = None, after: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows, with a special token before or after each, padded on the right (b, longest); and their lengths (b,)."""
    front, back = int(before is not None), int(after is not None)
    lengths = np.array([front + len(row) + back for row in rows], np.int64)
    together = np.full((len(rows), int(lengths.max(initial=0))), filler, np.int64)
    if before is not None:
        together[:, 0] = before
    for place, row in enumerate(rows):
        together[place, front : front + len(row)] = row
    if after is not None:
        together[np.arange(len(rows)), lengths - 1] = after
    return torch.from_numpy(together), torch.from_numpy(lengths)


def _digest(*parts: object) -> str:
    return hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=16).hexdigest()
