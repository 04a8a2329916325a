"""The steps from the model's logits to those that a token is drawn from, each a pure function on rows of logits.

Rows are (..., v). A filter sets what it takes out to -inf; nothing is changed in place. Tokens that tie with the last
one kept are kept too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

_USUALLY_ENOUGH = 256
"""The most probable tokens that are looked at first: sorting a whole vocabulary takes longer than a small model."""


def without(logits: Tensor, tokens: Sequence[int]) -> Tensor:
    """All but these tokens, such as those that stand for no text."""
    return logits.index_fill(-1, torch.tensor(tokens, device=logits.device), -math.inf)


def temperature(logits: Tensor, value: float) -> Tensor:
    """Logits divided by the temperature. Ackley, Hinton and Sejnowski (1985).

    Raises: ValueError unless the temperature is a finite number above 0; 0 means greedy, which needs no draw.
    """
    if not 0.0 < value < math.inf:
        raise ValueError(f"temperature is {value}; expected a number above 0 (0 means greedy: nothing is drawn)")
    quotients = logits / value
    if bool(quotients.isposinf().any()):
        # A temperature so small that the division overflows: the largest quotient becomes 0, probabilities stay.
        quotients = (logits - logits.amax(dim=-1, keepdim=True)) / value
    return quotients


def top_k(logits: Tensor, k: int) -> Tensor:
    """The k largest logits. Fan, Lewis and Dauphin (2018). Raises: ValueError for a k below 1."""
    if k < 1:
        raise ValueError(f"top_k is {k}; expected at least 1, or no token is left")
    if k >= logits.shape[-1]:
        return logits
    threshold = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < threshold, -math.inf)


def top_p(logits: Tensor, p: float) -> Tensor:
    """The most probable tokens that reach p together, the one that reaches it included. Holtzman et al. (2020).

    Raises: ValueError unless p is above 0 and at most 1.
    """
    if not 0.0 < p <= 1.0:
        raise ValueError(f"top_p is {p}; expected a number above 0 and at most 1")
    if p == 1.0:
        return logits
    probabilities = logits.softmax(dim=-1)
    descending, totals_before = _running_totals(probabilities, p)
    threshold = torch.where(totals_before < p, descending, 1.0).amin(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < threshold, -math.inf)


def min_p(logits: Tensor, share: float) -> Tensor:
    """Tokens at least `share` times as probable as the most probable one. Nguyen et al. (2024).

    Raises: ValueError unless the share is at least 0 and at most 1.
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"min_p is {share}; expected a number from 0 to 1")
    if share == 0.0:
        return logits
    probabilities = logits.softmax(dim=-1)
    threshold = share * probabilities.amax(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < threshold, -math.inf)


def repetition_penalty(logits: Tensor, seen: Tensor, penalty: float) -> Tensor:
    """Tokens that were there before made less likely: positive logits divided, negative ones multiplied.

    Keskar et al. (2019), section 4.1; negative logits are multiplied as in their code. `seen` is boolean, (..., v).

    Raises: ValueError unless the penalty is a finite number above 0.
    """
    if not 0.0 < penalty < math.inf:
        raise ValueError(f"repetition_penalty is {penalty}; expected a number above 0 (1 changes nothing)")
    penalised = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, penalised, logits)


def _running_totals(probabilities: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """The largest probabilities in descending order, until they reach `p`, and the total before each: both (..., n)."""
    count = min(_USUALLY_ENOUGH, probabilities.shape[-1])
    descending = probabilities.topk(count, dim=-1).values
    totals = descending.cumsum(dim=-1)
    if count < probabilities.shape[-1] and bool((totals[..., -1] < p).any()):
        descending = probabilities.sort(dim=-1, descending=True).values
        totals = descending.cumsum(dim=-1)
    # Moved by one place, not recomputed by a difference, so that p = 0.8 stops after 0.5 + 0.3.
    before = torch.cat([torch.zeros_like(totals[..., :1]), totals[..., :-1]], dim=-1)
    return descending, before
