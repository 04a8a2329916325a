"""Sections 5 and 9: what attention costs, counted, for its heads and for the length of the text."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from workings import equations as eq
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import Numbers, multiplications, recorded
from workings.experiments.outcome import Outcome, exactly, shown
from workings.experiments.timing import shortest
from workings.recording.working import Working

_WIDTH = 24
_TOKENS = 6
_COUNTS = (1, 2, 3, 4, 6, 8, 12, 24)
_LENGTHS = (64, 128, 256)
_TIMED = (256, 512, 1024)
_HEAD = 64


def _heads_cost(*, narrow: bool = True) -> Outcome:
    counted = [multiplications(_multi_head(heads, narrow)) for heads in _COUNTS]
    projections, pairs = 4 * _TOKENS * _WIDTH**2, 2 * _TOKENS**2 * _WIDTH
    return Outcome(
        f"{_TOKENS} tokens of width {_WIDTH} take {counted[0]:,} multiplications with one head and {counted[-1]:,} "
        f"with {_COUNTS[-1]}.",
        (
            exactly(f"multiplications with {', '.join(map(str, _COUNTS))} heads", counted, [counted[0]] * len(counted)),
            exactly("of one head: 4 L d² for projections, 2 L² d for scores and mix", counted[0], projections + pairs),
        ),
    )


def _multi_head(heads: int, narrow: bool) -> Working:
    """Equation (8) with so many heads, each d / h wide, or each d wide."""
    each = _WIDTH // heads if narrow else _WIDTH
    matrix = np.ones((_WIDTH, each))  # any numbers do: the multiplications are counted
    triples = [(matrix, matrix, matrix)] * heads
    return recorded(eq.multi_head, np.ones((_TOKENS, _WIDTH)), triples, np.ones((heads * each, _WIDTH)))


HEADS_COST = Experiment(
    name="heads-cost",
    title="Several narrow heads cost as much as one wide head",
    text="first",
    place="section 5, paragraph below (8)",
    claim="Splitting the width among several heads leaves the work the same: many narrow views cost no more than one "
    "wide view.",
    expected="The multiplications of projections, scores and mix, counted in what was recorded, are the same for every "
    "h that divides d.",
    see="workings explain multi_head",
    compute=_heads_cost,
    counter=CounterCheck("every head is as wide as the token", {"narrow": False}),
)


def _length(*, keys: int | None = None) -> Outcome:
    work, memory = [], []
    for length in _LENGTHS:
        working = recorded(eq.attention, *_operands(length, keys))
        work.append(multiplications(working))
        memory.append(int(working["attention.weights"].value.size))
    seconds = [_seconds(length, keys) for length in _TIMED]
    growth = math.log(seconds[-1] / seconds[0]) / math.log(_TIMED[-1] / _TIMED[0])
    times = [round(later / earlier, 6) for earlier, later in pairwise(work)]
    larger = [round(later / earlier, 6) for earlier, later in pairwise(memory)]
    return Outcome(
        f"From {_LENGTHS[0]} to {_LENGTHS[1]} to {_LENGTHS[2]} tokens, multiplications grow {times[0]:g} and "
        f"{times[1]:g} times, the weights that are kept {larger[0]:g} and {larger[1]:g} times. Measured here from "
        f"{_TIMED[0]:,} to {_TIMED[-1]:,} tokens, the time grows with the length to the power {growth:.1f}.",
        (
            exactly("multiplications, each length against half of it", times, [4.0, 4.0], 2),
            exactly("numbers of the weights, each length against half of it", larger, [4.0, 4.0], 2),
            exactly(f"multiplications at {_LENGTHS[0]} tokens: 2 L² d", work[0], 2 * _LENGTHS[0] ** 2 * _HEAD),
            shown(f"milliseconds at {', '.join(f'{n:,}' for n in _TIMED)} tokens", [1e3 * s for s in seconds], 2),
            shown("power of the length that the time grows with", growth, 2),
        ),
    )


def _operands(length: int, keys: int | None) -> tuple[Numbers, Numbers, Numbers]:
    """Queries, keys and values of so many tokens that attend to one another, or to the first few. Any numbers do."""
    tokens = np.ones((length, _HEAD))
    return tokens, tokens[: keys or length], tokens[: keys or length]


def _seconds(length: int, keys: int | None) -> float:
    operands = _operands(length, keys)
    return shortest(lambda: eq.attention(*operands))


LENGTH = Experiment(
    name="length",
    title="Time and memory of attention against length",
    text="first",
    place="section 9, remark on cost",
    claim="There is a score for every pair of tokens: twice the length is four times the work and four times the "
    "memory for the weights.",
    expected="Doubling the length takes 4 times the multiplications and 4 times the memory for the weights, counted "
    "exactly. Time is shown, and nothing is judged by it: at short lengths and on a busy machine its power is not 2.",
    see="workings explain attention",
    compute=_length,
    counter=CounterCheck("every token is compared with the first 16 only", {"keys": 16}),
)
