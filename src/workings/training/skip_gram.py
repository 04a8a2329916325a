"""Words predicted from their neighbours: skip-gram with negative sampling. Mikolov et al. (2013), arXiv:1310.4546.

A word w and a word o near it make a pair, which costs -log σ(u_o·v_w) - k E[log σ(-u_n·v_w)], with v the vectors of
centres, u those of neighbours, and n a word drawn from the noise, frequency^¾. Here the expectation is taken over
draws that a block of successive centres shares, so that all products are of matrices (Ji et al. 2016).
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from workings.text.corpora import TextCorpus
from workings.training.distribution import ALONE
from workings.training.errors import TrainingError
from workings.training.listeners import Report
from workings.training.run_directory import WEIGHTS
from workings.training.trainer import NotFinite
from workings.training.vocabulary import Vocabulary

_BLOCK = 32
"""Successive centres that share their negatives."""
_SQUARES = "squares/"
"""What the names of the optimiser's sums begin with in the state."""
CENTRES, NEIGHBOURS, TOKENS = "centres", "neighbours", "tokens"
"""The names of the weights: two tables (v, d), and the token of each row (v,)."""


@dataclass(frozen=True, kw_only=True)
class SkipGram:
    """How words are learned from their neighbours.

    Attributes:
        width: numbers in the vector of a word (d).
        window: the furthest neighbour. The reach of each centre is drawn from 1 to this, so that near words count more.
        negatives: how often noise counts for each pair (k).
        subsampling: words more frequent than this share of the text are passed over with probability
            1 - √(this / frequency); infinity passes over none.
        power: the noise is frequency to this power.
        minimum: rarer words are left out, as if they were not in the text.
        passes: how often the text is read.
        words: of the text, for one step.
        rate: of Adagrad (Duchi et al. 2011); it falls in a line to a thousandth at the last step.
        seed: decides everything that is drawn.

    Raises: ValueError that names the setting, what was found and what fits.
    """

    width: int = 100
    window: int = 5
    negatives: int = 5
    subsampling: float = 1e-3
    power: float = 0.75
    minimum: int = 5
    passes: int = 10
    words: int = 2048
    rate: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("width", "window", "negatives", "minimum", "passes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least 1")
        if self.words < 2:
            raise ValueError(f"words is {self.words}; expected at least 2, so that a word can have a neighbour")
        for name in ("subsampling", "rate"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} is {getattr(self, name)}; expected a number above 0")
        if not math.isfinite(self.power) or not math.isfinite(self.rate):
            raise ValueError(f"power is {self.power}, rate is {self.rate}; expected finite numbers")


class Draw(NamedTuple):
    """What one step looks at: rows of the tables, in g blocks of c centres."""

    centres: Tensor  # (g, c)
    neighbours: Tensor  # (g, c + 2 window): the centres of the block and what stands around them
    negatives: Tensor  # (g, n)
    near: Tensor  # (g, c, c + 2 window): 1 where centre and neighbour are a pair, else 0


class Gradients(NamedTuple):
    """The loss of a draw, summed over its pairs, and its gradients for the vectors that the draw names."""

    loss: Tensor
    right: Tensor  # the pairs that score higher than the centre does with the first drawn word
    centres: Tensor  # (g, c, d)
    neighbours: Tensor  # (g, c + 2 window, d)
    negatives: Tensor  # (g, n, d)


def skip_gram(centres: Tensor, neighbours: Tensor, negatives: Tensor, near: Tensor, noise: float) -> Gradients:
    """The loss of g blocks, and its gradients, written out.

    Σ over pairs (i, j) of -log σ(u_j·v_i) - noise / n · Σ over negatives l of log σ(-u_l·v_i).

    Args:
        centres: v, (g, c, d).
        neighbours: u, (g, s, d).
        negatives: u, (g, n, d).
        near: 1 for pairs, else 0, (g, c, s).
        noise: how often negatives count for each pair (k).
    """
    scores = centres @ neighbours.mT
    against = centres @ negatives.mT
    share = near.sum(dim=2, keepdim=True) * (noise / negatives.shape[1])
    loss = -(near * functional.logsigmoid(scores)).sum() - (share * functional.logsigmoid(-against)).sum()
    right = (near * (scores > against[:, :, :1])).sum()
    pull = near * (scores.sigmoid() - 1)
    push = share * against.sigmoid()
    return Gradients(
        loss,
        right,
        torch.baddbmm(pull @ neighbours, push, negatives),
        pull.mT @ centres,
        push.mT @ centres,
    )


@final
class SkipGramTrainer:
    """Vectors in training: `step()` makes one step, `state()` is all that is needed to go on.

    What a step draws depends on the seed and its number alone. On the CPU, with the same number of threads, the same
    seed gives the same vectors.
    """

    def __init__(self, corpus: TextCorpus, settings: SkipGram, dtype: torch.dtype = torch.float32) -> None:
        self.corpus, self.settings = corpus, settings
        self.vocabulary = Vocabulary.of(corpus, settings.minimum)
        self.processes = ALONE
        self.done = 0
        self.each_pass = math.ceil(len(corpus) / settings.words)
        self.steps = self.each_pass * settings.passes
        frequencies = self.vocabulary.counts / self.vocabulary.counts.sum()
        self._kept = np.minimum(1.0, np.sqrt(settings.subsampling / frequencies))
        noise = frequencies**settings.power
        self._noise = np.cumsum(noise / noise.sum())
        self._order: tuple[int, NDArray[np.int64]] = (-1, np.zeros(0, np.int64))
        shape = (len(self.vocabulary.tokens), settings.width)
        start = self._generator(0).random(shape) - 0.5
        self.tables = {
            CENTRES: torch.from_numpy(start / settings.width).to(dtype),
            NEIGHBOURS: torch.zeros(shape, dtype=dtype),
        }
        self.squares = {name: torch.zeros_like(table) for name, table in self.tables.items()}

    def _generator(self, *what: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self.settings.seed, *what]))

    def rate(self, number: int) -> float:
        """The learning rate of a step; they count from 1."""
        return self.settings.rate * max(1e-3, 1 - (number - 1) / self.steps)

    def draw(self, number: int) -> Draw | None:
        """What a step looks at; None where sub-sampling left no pair."""
        settings = self.settings
        generator = self._generator(1, number)
        place = self._place(number - 1) * settings.words
        rows = self.vocabulary.rows[self.corpus.tokens[place : place + settings.words]]
        rows = rows[rows >= 0]
        rows = rows[generator.random(len(rows)) < self._kept[rows]]
        if len(rows) < 2:
            return None
        blocks, window = -(-len(rows) // _BLOCK), settings.window
        around = np.full(blocks * _BLOCK + 2 * window, -1, np.int64)
        around[window : window + len(rows)] = rows
        neighbours = np.lib.stride_tricks.sliding_window_view(around, _BLOCK + 2 * window)[::_BLOCK]
        centres = neighbours[:, window:-window]
        reach = generator.integers(1, window + 1, size=(blocks, _BLOCK, 1))
        distance = np.abs(np.arange(_BLOCK + 2 * window) - window - np.arange(_BLOCK)[:, None])
        near = (distance > 0) & (distance <= reach) & (centres >= 0)[:, :, None] & (neighbours >= 0)[:, None, :]
        # As many as a centre has pairs, times negatives for each: every draw then weighs about 1.
        noise = generator.random((blocks, settings.negatives * (window + 1)))
        negatives = np.minimum(np.searchsorted(self._noise, noise), len(self._noise) - 1)
        return Draw(
            torch.from_numpy(np.maximum(centres, 0)),
            torch.from_numpy(np.maximum(neighbours, 0)),
            torch.from_numpy(negatives),
            torch.from_numpy(near).to(self.tables[CENTRES].dtype),
        )

    def _place(self, number: int) -> int:
        """Which part of the text a step reads: each once in a pass, in an order of its own."""
        this = number // self.each_pass
        if self._order[0] != this:
            self._order = this, self._generator(2, this).permutation(self.each_pass)
        return int(self._order[1][number % self.each_pass])

    def gradients(self, draw: Draw) -> Gradients:
        """The loss of a draw at the present vectors, and its gradients."""
        centres, neighbours = self.tables[CENTRES], self.tables[NEIGHBOURS]
        return skip_gram(
            functional.embedding(draw.centres, centres),
            functional.embedding(draw.neighbours, neighbours),
            functional.embedding(draw.negatives, neighbours),
            draw.near,
            self.settings.negatives,
        )

    def step(self, *wishes: bool) -> tuple[Report, list[bool]]:
        """One step; and each wish, as `Trainer.step` does where several processes have them.

        The report counts pairs, and as right those whose neighbour scores higher than a drawn word.

        Raises:
            NotFinite: the loss is no number; the vectors are still those before the step.
        """
        began = time.perf_counter()
        number = self.done + 1
        rate, draw = self.rate(number), self.draw(number)
        pairs, loss, right, norm = 0, 0.0, 0.0, 0.0
        if draw is not None:
            found = self.gradients(draw)
            pairs, loss, right = int(draw.near.sum()), float(found.loss), float(found.right)
            if not math.isfinite(loss):
                raise NotFinite(f"at step {number:,} the loss is {loss:g}")
            self._update(CENTRES, [(draw.centres, found.centres)], rate)
            self._update(NEIGHBOURS, [(draw.neighbours, found.neighbours), (draw.negatives, found.negatives)], rate)
        self.done = number
        report = Report(
            step=number,
            loss=loss / max(1, pairs),
            accuracy=right / max(1, pairs),
            tokens=pairs,
            rate=rate,
            norm=norm,
            seconds=time.perf_counter() - began,
        )
        return report, list(wishes)

    def _update(self, name: str, parts: list[tuple[Tensor, Tensor]], rate: float) -> None:
        """Adagrad for the rows that have gradients: w -= rate · g / √(sum of all g²)."""
        flat = torch.cat([ids.flatten() for ids, _ in parts])
        rows, places = torch.unique(flat, return_inverse=True)
        gradients = torch.cat([part.flatten(0, 1) for _, part in parts])
        total = gradients.new_zeros(len(rows), gradients.shape[1]).index_add_(0, places, gradients)
        squares = self.squares[name][rows].addcmul_(total, total)
        self.squares[name][rows] = squares
        self.tables[name].index_add_(0, rows, total.div_(squares.sqrt_().add_(1e-10)), alpha=-rate)

    def weights(self) -> dict[str, Tensor]:
        """The two tables, and which token each row belongs to."""
        tables = {name: table.clone() for name, table in self.tables.items()}
        return {**tables, TOKENS: torch.from_numpy(self.vocabulary.tokens.copy())}

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that is needed to go on exactly: tensors and plain data."""
        tensors = {WEIGHTS + name: tensor for name, tensor in self.weights().items()}
        tensors |= {_SQUARES + name: tensor.clone() for name, tensor in self.squares.items()}
        return tensors, {"step": self.done, "settings": self._named_settings(), "text": self._digest()}

    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """Go on where `state` was taken.

        Raises:
            TrainingError: the state is that of other settings or of another text, or is damaged.
        """
        own = self._named_settings()
        for key, value in dict(about.get("settings", {})).items():
            if own.get(key) != value:
                hint = "resume with the run file it began with"
                raise TrainingError(f"{key} was {value!r} when the state was saved", f"{own.get(key)!r}", hint)
        if about.get("text") != self._digest():
            raise TrainingError("the state is that of another text", "the text it began with", "start anew")
        for prefix, tables in ((WEIGHTS, self.tables), (_SQUARES, self.squares)):
            for name, table in tables.items():
                saved = tensors.get(prefix + name)
                if saved is None or saved.shape != table.shape:
                    found = "missing" if saved is None else f"of shape {tuple(saved.shape)}"
                    raise TrainingError(f"in the saved state, {prefix + name} is {found}", f"{tuple(table.shape)}")
                table.copy_(saved)
        self.done = int(about["step"])

    def _named_settings(self) -> dict[str, Any]:
        return {key: value if math.isfinite(value) else None for key, value in asdict(self.settings).items()}

    def _digest(self) -> str:
        parts = (self.corpus.digest(), self.corpus.tokeniser.fingerprint)
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
