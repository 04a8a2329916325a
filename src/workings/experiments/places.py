"""Section 6: what sinusoids of positions make easy: a fixed offset, and the word just before."""

from __future__ import annotations

import numpy as np

from workings import equations as eq
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import ROUNDING, Numbers, gap, said
from workings.experiments.outcome import Outcome, about, at_most, exactly, is_so, shown

_WIDTH = 8
_SEEN, _FAR = 512, 100_000
_OFFSETS = (1, 7, 300)
_SEED = 10000
_ANGLES = 1e-9
"""Angles of 100,000 radians are known to about 10⁻¹¹, and their sines with them."""
_LENGTHS = (5, 12, 50)


def _rotation(*, drawn: bool = False) -> Outcome:
    like = np.zeros(1)
    if drawn:
        encoding = np.random.default_rng(_SEED).normal(size=(_FAR, _WIDTH))
    else:
        encoding = eq.sinusoidal_positions(_FAR, _WIDTH, like)
    parts = encoding[:_SEEN], encoding[-_SEEN:]
    near, far = (max(_turned(part, offset) for offset in _OFFSETS) for part in parts)
    largest = float(np.max(np.abs(encoding)))
    hand = eq.sinusoidal_positions(4, 2, like)
    angles = np.arctan2(hand[:, 0], hand[:, 1])
    return Outcome(
        f"Turned by a fixed angle for each frequency, the code of a position is that of {_OFFSETS[0]}, {_OFFSETS[1]} "
        f"or {_OFFSETS[2]} positions on, give or take {said(near)} at the first {_SEEN} positions and {said(far)} at "
        f"the last {_SEEN} of {_FAR:,}. The largest number of any code is {said(largest)}.",
        (
            at_most(f"largest gap between turned and shifted codes, first {_SEEN} positions", near, _ANGLES),
            at_most(
                f"largest gap between turned and shifted codes, positions {_FAR - _SEEN:,} to {_FAR - 1:,}",
                far,
                _ANGLES,
            ),
            at_most("largest number of any code, in size", largest, 1.0),
            about("angles of positions 0 to 3 in two dimensions", angles, [0.0, 1.0, 2.0, 3.0], ROUNDING, 1),
        ),
    )


def _turned(encoding: Numbers, offset: int) -> float:
    """How far the codes, turned, are from those `offset` positions on.

    A pair of a code is (sine, cosine), which a rotary turn by −k moves on by k: rows of positions alone.
    """
    turned = eq.rotary(encoding[:-offset], np.full(len(encoding) - offset, -float(offset)))
    return gap(turned, encoding[offset:])


ROTATION = Experiment(
    name="rotation",
    title="A fixed offset is a fixed rotation, bounded, and defined beyond the lengths seen",
    text="first",
    place="section 6, remark and caption of Figure 5",
    claim="Moving on by k positions turns each pair of sine and cosine by an angle that does not depend on where one "
    "starts: a fixed linear map. No code is larger than 1, and the codes never run out.",
    expected="For every frequency, position and offset the turned pair is the code at the shifted position, to "
    f"rounding, also at positions up to {_FAR:,}; no number of a code exceeds 1 in size.",
    see="workings explain sinusoidal_positions",
    compute=_rotation,
    counter=CounterCheck("the code of each position is drawn, as a table that is learned begins", {"drawn": True}),
)


def _previous_token(*, turn: float = 1.0) -> Outcome:
    found = {length: _head(length, turn) for length in _LENGTHS}
    looking = {length: [int(place) for place in np.argmax(weights, axis=1)] for length, weights in found.items()}
    right = {length: places[1:] == list(range(length - 1)) for length, places in looking.items()}
    rows, looks = found[_LENGTHS[0]], looking[_LENGTHS[0]]
    return Outcome(
        f"With queries made from the codes of positions by one fixed matrix, the tokens of a sentence of {_LENGTHS[0]} "
        f"look most at positions {', '.join(map(str, looks))}; there is none before the first.",
        (
            exactly(f"where tokens 1 to {_LENGTHS[0] - 1} look most", looks[1:], list(range(_LENGTHS[0] - 1))),
            *(is_so(f"every token but the first looks most at the one before, of {n}", so) for n, so in right.items()),
            shown(f"the largest weight of each token, of {_LENGTHS[0]}", rows.max(axis=1), 3),
        ),
    )


def _head(length: int, turn: float) -> Numbers:
    """The weights of a head that reads positions alone; its W_Q turns a code back by `turn` positions."""
    encoding = eq.sinusoidal_positions(length, _WIDTH, np.zeros(1))
    W_Q = eq.rotary(np.eye(_WIDTH), np.full(_WIDTH, turn))
    weights: Numbers = eq.attention(encoding @ W_Q, encoding, encoding)[1]
    return weights


PREVIOUS_TOKEN = Experiment(
    name="previous-token",
    title="A head that looks at the word just before, made from positions alone",
    text="first",
    place="section 6, steps and remark",
    claim="Position alone is enough for a head to look one word back, wherever in the sentence the word stands.",
    expected="With queries that one matrix turns back by one position, every row but the first gives its largest "
    "weight to the row above it.",
    see="workings explain sinusoidal_positions",
    compute=_previous_token,
    counter=CounterCheck("queries are not turned: each token looks at itself", {"turn": 0.0}),
)
