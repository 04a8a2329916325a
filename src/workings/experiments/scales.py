"""Section 4, remark on the scale: how wide scores spread, and what is left of the softmax's gradient."""

from __future__ import annotations

import math

import numpy as np

from workings import equations as eq
from workings.experiments import programs
from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import Numbers, recorded
from workings.experiments.outcome import Measured, Outcome, about, at_least, at_most

_SEED = 64
_DRAWS = 10_000
_TOKENS = 4
_WIDTHS = (4, 16, 64)
_SHARE = 0.1
"""How far a variance may be from what is expected, as a share of it."""


def _variance(*, scale: float | None = None) -> Outcome:
    generator = np.random.default_rng(_SEED)
    values: list[Measured] = []
    for width in _WIDTHS:
        raw, scaled = _scores(generator, width, scale)
        values.append(about(f"variance of the scores, d_k = {width}", raw.var(), float(width), _SHARE * width, 2))
        values.append(about(f"variance of the scaled scores, d_k = {width}", scaled.var(), 1.0, _SHARE, 3))
    sharp, soft = (eq.softmax(scores).max(axis=-1) for scores in (raw, scaled))
    steep, flat = _slopes(scaled), _slopes(raw)
    values += [
        about("largest of 4 weights, unscaled (median)", np.median(sharp), 0.99, 0.01, 3),
        about("largest of 4 weights, scaled (median)", np.median(soft), 0.49, 0.03, 3),
        about("size of the softmax's Jacobian, unscaled (median)", np.median(flat), 0.02, 0.02, 3),
        about("size of the softmax's Jacobian, scaled (median)", np.median(steep), 0.43, 0.03, 3),
        at_least("how many times larger the Jacobian is with the scale", np.median(steep) / np.median(flat), 10, 1),
        at_most("size of the typical score, scaled", math.sqrt(float(scaled.var())), 1 + _SHARE, 3),
    ]
    return Outcome(
        f"Of {_DRAWS:,} drawn queries with {_TOKENS} keys each, the scores vary by {raw.var():.1f} at d_k = 64, and by "
        f"{scaled.var():.3f} after the scale. Unscaled, half of the softmaxes give one token "
        f"{100 * np.median(sharp):.0f} % or more, and their Jacobian has a size of {np.median(flat):.3f}; after the "
        f"scale of {np.median(steep):.3f}.",
        tuple(values),
    )


def _scores(generator: np.random.Generator, width: int, scale: float | None) -> tuple[Numbers, Numbers]:
    """The scores of drawn queries for drawn keys, before and after the scale: (draws, tokens) each."""
    queries = generator.normal(size=(_DRAWS, 1, width))
    keys = generator.normal(size=(_DRAWS, _TOKENS, width))
    working = recorded(eq.attention, queries, keys, keys, None, scale)
    raw, scaled = (working[f"attention.{name}"].value[:, 0] for name in ("scores", "scaled_scores"))
    return raw, scaled


def _slopes(scores: Numbers) -> Numbers:
    """The Frobenius norm of the softmax's Jacobian at each row of scores: (draws, tokens) to (draws,).

    The weight of one token, added up over all rows, has in each row the slopes of that row alone.
    """
    squares = np.zeros(len(scores))
    for token in range(scores.shape[-1]):
        working = recorded(programs.total_weight, scores, token)
        slopes = working.gradient("total_weight.total", ["total_weight.scores"])["gradient.total_weight_scores"].value
        squares += np.sum(slopes**2, axis=-1)
    return np.sqrt(squares)


VARIANCE = Experiment(
    name="variance",
    title="Variance d_k, and the softmax's gradient with and without the scale",
    text="first",
    place="section 4, remark on the scale",
    claim="Scores of random queries and keys spread more the wider the vectors are, with a variance of d_k, and "
    "dividing by √d_k undoes that. Undivided, at d_k = 64, one token gets nearly all the weight, and hardly any slope "
    "is left to learn from.",
    expected="Variances of 4, 16 and 64, and of 1 after the scale, each within 10 %. At d_k = 64 with 4 tokens, the "
    "median largest weight is about 0.99 unscaled and 0.49 scaled, the median norm of the Jacobian about 0.02 and "
    "0.43. (With many tokens the difference is small: at 50 both are about 0.2.)",
    see="workings explain attention",
    compute=_variance,
    counter=CounterCheck("the scores are left as they are: scale 1", {"scale": 1.0}),
    statistical=f"{_DRAWS:,} queries with {_TOKENS} keys each, drawn for each d_k from seed {_SEED}; variances within "
    "10 %, medians within what stands beside them",
)
