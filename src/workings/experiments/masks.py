"""Section 8: the mask, whose weights are exactly 0."""

from __future__ import annotations

import math

import numpy as np

from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import ROUNDING, gap, listed, moved_rows, run, said, words_of
from workings.experiments.outcome import Outcome, at_most, exactly, is_so
from workings.recording.working import Working

_ATTENTION = "block.self_attention.1.weights"


def _mask_zeros(*, hidden: float = -math.inf) -> Outcome:
    example = run("decoder-block")
    words = words_of(example, "X")
    length = len(words)
    later = np.triu_indices(length, 1)
    mask = np.zeros((length, length))
    mask[later] = hidden
    working = example.replay({"block.mask": mask}).after()
    weights = working[_ATTENTION].value
    seen = [_earlier_rows_moved(working, row, word) for row, word in enumerate(words)]
    moving = listed([word for word, rows in zip(words, seen, strict=True) if rows])
    return Outcome(
        f"Of the {len(later[0])} weights above the diagonal {np.sum(weights[later] == 0)} are 0 to the last bit; the "
        f"largest is {said(weights[later].max())}. Words that move an output before them: {moving}.",
        (
            exactly("weights above the diagonal", weights[later], [0.0] * len(later[0])),
            is_so("all others are above 0", (weights[np.tril_indices(length)] > 0).all()),
            at_most("how far a row is from adding up to 1", gap(weights.sum(axis=1), np.ones(length)), ROUNDING),
            exactly("earlier outputs that move with each word", [len(rows) for rows in seen], [0] * length),
        ),
    )


def _earlier_rows_moved(working: Working, row: int, word: str) -> list[int]:
    """Outputs before a word that are not the same, to the last bit, with another vector in its place."""
    replayed = working.replay({f"X[{word}]": [3.0, -1.0, 2.0]})
    return [moved for moved in moved_rows(working["block.output"].value, replayed["block.output"]) if moved < row]


MASK_ZEROS = Experiment(
    name="mask-zeros",
    title="Masked weights are exactly zero",
    text="first",
    place="section 8, first part",
    claim="Hiding a position by −∞ takes all of its weight away, not nearly all: what is written later cannot reach "
    "what stands before it.",
    expected="Every weight above the diagonal is 0 to the last bit, every row still adds up to 1, and no later token "
    "moves an earlier output.",
    see='workings show decoder-block --at "block.self_attention.1.weights[begin, les]"',
    compute=_mask_zeros,
    counter=CounterCheck("−10 is added to the hidden scores instead of −∞", {"hidden": -10.0}),
)
