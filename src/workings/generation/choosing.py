"""From logits to tokens: filters one after the other, then one draw for each row, and how close each call was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from workings.generation import filters
from workings.generation.largest import largest
from workings.generation.settings import Sampling


class Stage(NamedTuple):
    """The logits of all rows, (b, v), after something was done to them, and how close that came to another result.

    `margin`, (b,), is a probability; infinite where nothing was near.
    """

    name: str
    logits: Tensor
    margin: Tensor


class Choice(NamedTuple):
    """A token for each row, and how it came about.

    Attributes:
        tokens: (b,).
        stages: the model's logits, then those after each filter.
        draws: a number from [0, 1) for each row, (b,) in float64; None where the largest logit was taken.
        lows, highs: where the token's probability lies among those of all tokens in the order of their ids, (b,): the
            draw is at least `lows` and below `highs`.
        margins: how close the closest call was, (b,). For a draw: the smallest change of a probability, or of their
            running total, that could have led to another token. Greedy: the difference of the two largest logits.
    """

    tokens: Tensor
    stages: list[Stage]
    draws: Tensor | None
    lows: Tensor
    highs: Tensor
    margins: Tensor


NEVER = "never chosen"
"""The stage that takes out what must not be written, whatever the model says of it."""


def choose(
    logits: Tensor, sampling: Sampling, seen: Tensor | None, generators: Sequence[torch.Generator],
    never: Sequence[int] = (),
) -> Choice:  # fmt: skip
    """Choose a token for each row of logits, (b, v).

    Every row draws one number from its own generator, and the tokens' probabilities, laid side by side in the order of
    their ids, say which token it falls on. So no row depends on another.

    Args:
        seen: (b, v), True for the tokens that a repetition penalty falls on; None without a penalty.
        never: tokens that are taken out before anything else.

    Raises: ValueError for logits that are not numbers.
    """
    far = logits.new_full(logits.shape[:1], math.inf)
    stages = [Stage("model", logits, far)]
    if never:
        logits = filters.without(logits, never)
        stages.append(Stage(NEVER, logits, far))
    if seen is not None and sampling.repetition_penalty != 1.0:
        penalised = filters.repetition_penalty(logits, seen, sampling.repetition_penalty)
        stages.append(Stage(f"repetition penalty {sampling.repetition_penalty:g}", penalised, far))
    if sampling.greedy:
        return _greedy(stages)
    _filter(stages, sampling, far)
    return _draw(stages, generators)


def _greedy(stages: list[Stage]) -> Choice:
    logits = stages[-1].logits
    best, tokens = largest(logits, 2)
    _check_numbers(best[:, 0])
    margins = best[:, 0] - best[:, 1] if best.shape[-1] > 1 else stages[0].margin
    if bool((margins == 0).any()):
        # Any of several equal largest may be named; the first of them is the rule.
        tokens = logits.argmax(dim=-1, keepdim=True)
    nothing = torch.zeros_like(margins)
    return Choice(tokens[:, 0], stages, None, nothing, nothing + 1.0, margins)


def _check_numbers(largest: Tensor) -> None:
    """Raise ValueError for rows of logits with a NaN in them, which reaches their largest number and their total."""
    if bool(largest.isnan().any()):
        raise ValueError("the model's logits are not numbers (NaN); expected a model whose training did not fail")


def _filter(stages: list[Stage], sampling: Sampling, far: Tensor) -> None:
    logits = stages[-1].logits
    if sampling.temperature != 1.0:
        logits = filters.temperature(logits, sampling.temperature)
        stages.append(Stage(f"temperature {sampling.temperature:g}", logits, far))
    if sampling.top_k is not None:
        kept = filters.top_k(logits, sampling.top_k)
        stages.append(Stage(f"top-k {sampling.top_k}", kept, _gap(logits.softmax(-1), kept)))
        logits = kept
    if sampling.top_p is not None:
        kept = filters.top_p(logits, sampling.top_p)
        stages.append(Stage(f"top-p {sampling.top_p:g}", kept, _top_p_margin(logits.softmax(-1), kept, sampling.top_p)))
        logits = kept
    if sampling.min_p is not None:
        kept = filters.min_p(logits, sampling.min_p)
        stages.append(Stage(f"min-p {sampling.min_p:g}", kept, _min_p_margin(logits.softmax(-1), sampling.min_p)))


def _gap(probabilities: Tensor, kept: Tensor) -> Tensor:
    """The smallest probability kept minus the largest one that was not: (b,)."""
    out = kept.isneginf()
    smallest = probabilities.masked_fill(out, math.inf).amin(dim=-1)
    return smallest - probabilities.masked_fill(~out, -math.inf).amax(dim=-1)


def _top_p_margin(probabilities: Tensor, kept: Tensor, p: float) -> Tensor:
    """How near the running total came to p, just before and just after it was reached; or the gap, if smaller."""
    out = kept.isneginf()
    inside = probabilities.masked_fill(out, 0.0).sum(dim=-1)
    last = probabilities.masked_fill(out, math.inf).amin(dim=-1)
    nearest = torch.minimum(inside - p, p - (inside - last)).clamp(min=0.0)
    margin = torch.minimum(nearest, _gap(probabilities, kept))
    return torch.where(out.any(dim=-1), margin, math.inf)


def _min_p_margin(probabilities: Tensor, share: float) -> Tensor:
    return (probabilities - share * probabilities.amax(dim=-1, keepdim=True)).abs().amin(dim=-1)


def _draw(stages: list[Stage], generators: Sequence[torch.Generator]) -> Choice:
    probabilities = stages[-1].logits.double().softmax(dim=-1)
    totals = probabilities.cumsum(dim=-1)
    _check_numbers(totals[:, -1])
    numbers = [torch.rand((), generator=generator, dtype=torch.float64) for generator in generators]
    draws = torch.stack(numbers).to(totals.device)
    # The first token whose total exceeds the draw; never one of probability 0. The last total may round to below 1.
    possible = (probabilities > 0).long()
    first, last = possible.argmax(dim=-1), possible.cumsum(dim=-1).argmax(dim=-1)
    tokens = torch.minimum(torch.searchsorted(totals, draws[:, None], right=True)[:, 0], last)
    highs = totals.gather(-1, tokens[:, None])[:, 0]
    lows = highs - probabilities.gather(-1, tokens[:, None])[:, 0]
    below = (draws - lows).clamp(min=0.0).masked_fill(tokens == first, math.inf)
    above = (highs - draws).clamp(min=0.0).masked_fill(tokens == last, math.inf)
    margins = torch.minimum(below, above)
    for stage in stages:
        margins = torch.minimum(margins, stage.margin.double())
    return Choice(tokens, stages, draws, lows, highs, margins)
