"""Beam search: the likeliest texts, found by keeping several beginnings of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from workings.generation.decoding import decoding
from workings.generation.filters import without
from workings.generation.largest import largest
from workings.generation.rows import Tokens, Writer, most_tokens, writing


@dataclass(frozen=True)
class Hypothesis:
    """A text that the search found.

    Attributes:
        tokens: the new tokens, without the stop token.
        log_probability: the natural logarithm of the text's probability, stop token included.
        score: the log probability divided by the length penalty; the larger, the better.
        ended: whether it ended with a stop token; otherwise it was cut off at the length.
    """

    tokens: list[int]
    log_probability: float
    score: float
    ended: bool


@dataclass(frozen=True, kw_only=True)
class Beams:
    """How a beam search goes about it.

    Attributes:
        count: how many beginnings are kept.
        alpha: how far longer texts are favoured: scores are divided by `length_penalty`; 0 compares probabilities.
        patience: the search for one text may end when this times `count` texts have ended; it does when the likeliest
            beam, were it a text, would not be among the `count` best of them. Infinity leaves off only when nothing
            better can come. Kasai et al. (2022), but for the comparison: by their count alone, a text that is nearly
            certain is given up when enough unlikely ones have ended before it.

    Raises: ValueError that names the setting, what was found and what fits.
    """

    count: int = 4
    alpha: float = 0.6
    patience: float = 1.0

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count is {self.count}; expected at least 1 beam")
        if not math.isfinite(self.alpha):
            raise ValueError(f"alpha is {self.alpha}; expected a finite number")
        if not self.patience > 0.0:
            raise ValueError(f"patience is {self.patience}; expected a number above 0")


def length_penalty(length: int, alpha: float) -> float:
    """((5 + length) / 6) ^ alpha. Wu et al. (2016), equation 14."""
    return float(((5 + length) / 6) ** alpha)


def beam_search(
    model: Writer,
    prompts: Sequence[Tokens],
    stop_tokens: Sequence[int],
    beams: Beams | None = None,
    *,
    sources: Sequence[Tokens] | None = None,
    best: int = 1,
    length: int = 128,
    never: Sequence[int] = (),
    on_token: Callable[[int], None] | None = None,
) -> list[list[Hypothesis]]:
    """The `best` texts found for each prompt, those with the highest score first.

    Of all one-token continuations of a prompt's beams, the likeliest are looked at, as many as there are beams: those
    with a stop token have ended. As many others go on as there are beams. At `length`, what has not ended is ranked
    with the rest. Sutskever, Vinyals and Le (2014), section 3.2; Vaswani et al. (2017) take 4 beams and alpha 0.6.

    Args:
        prompts: token ids, of any lengths; for an encoder-decoder, how its targets begin.
        stop_tokens: what ends a text.
        beams: how the search goes about it.
        sources: what an encoder-decoder reads, one for each prompt.
        best: how many texts to return; fewer are returned where fewer exist.
        length: the most tokens of a text, stop token included.
        never: tokens that no text holds, such as a tokeniser's `unwritten` ones; the probabilities of others stay.
        on_token: called with how many tokens the beams have, after each.

    Raises: ValueError for prompts that the model cannot read, and settings that do not fit.
    """
    beams = beams or Beams()
    if length < 1:
        raise ValueError(f"length is {length}; expected at least 1")
    if not 1 <= best <= beams.count:
        raise ValueError(f"best is {best}; expected from 1 to {beams.count}, the number of beams")
    with writing(model):
        writer = decoding(model, prompts, sources, beams.count, length)
        most = most_tokens(model.config)
        limits = [length if most is None else min(length, most - len(prompt) + 1) for prompt in prompts]
        searches = [_Search(beams, best, limit, frozenset(stop_tokens)) for limit in limits]
        going = searches
        totals = torch.tensor([search.totals for search in going], dtype=torch.float64)
        while True:
            likeliest = _likeliest(writer.logits, totals, len(set(stop_tokens)), never)
            for search, candidates in zip(going, likeliest, strict=True):
                search.extend(candidates)
            if on_token is not None:
                on_token(going[0].written)
            kept = [place for place, search in enumerate(going) if not search.over]
            if not kept:
                break
            going = [going[place] for place in kept]
            origins = [place * beams.count + beam for place, s in zip(kept, going, strict=True) for beam in s.origins]
            device = writer.logits.device
            writer.reorder(torch.tensor(origins, device=device))
            writer.step(torch.tensor([token for search in going for token in search.last], device=device))
            totals = torch.tensor([search.totals for search in going], dtype=torch.float64)
    return [search.ranked() for search in searches]


class _Candidate(NamedTuple):
    """A beam and a token that may follow it, with the log probability of both together."""

    total: float
    beam: int
    token: int


def _likeliest(logits: Tensor, totals: Tensor, stops: int, never: Sequence[int]) -> list[list[_Candidate]]:
    """The continuations of each prompt that count: logits (prompts × beams, v) and totals (prompts, beams).

    Of one beam, what comes after as many tokens as there are beams and stop tokens can neither go on nor end.
    """
    prompts, beams = totals.shape
    logs = logits.log_softmax(dim=-1)
    logs, tokens = largest(without(logs, never) if never else logs, beams + stops)
    count = logs.shape[-1]
    sums = (totals.to(logs.device)[:, :, None] + logs.double().view(prompts, beams, count)).flatten(1)
    order = sums.sort(dim=-1, descending=True, stable=True)
    tokens = tokens.view(prompts, -1).gather(-1, order.indices)
    origins = order.indices // count
    rows = zip(order.values.tolist(), origins.tolist(), tokens.tolist(), strict=True)
    return [[_Candidate(*each) for each in zip(*row, strict=True)] for row in rows]


_Text: TypeAlias = "tuple[_Text, int] | None"
"""A token and what comes before it; beams share their beginnings."""


class _Search:
    """The search for one prompt's texts.

    Attributes:
        texts, totals: what each beam has written, and its log probability; minus infinity for a beam that is not there.
        origins: which of the beams before each beam continues.
        over: whether nothing goes on.
    """

    def __init__(self, beams: Beams, best: int, limit: int, stops: frozenset[int]) -> None:
        self.beams, self.best, self.limit, self.stops = beams, best, limit, stops
        self.texts: list[_Text] = [None] * beams.count
        # All beams begin alike, so only one counts.
        self.totals = [0.0] + [-math.inf] * (beams.count - 1)
        self.origins = list(range(beams.count))
        self.last = [0] * beams.count
        self.written = 0
        self.found: list[Hypothesis] = []
        self.over = False

    def extend(self, candidates: list[_Candidate]) -> None:
        """Let those of the candidates go on or end that do, the likeliest first."""
        self.written += 1
        going: list[_Candidate] = []
        for rank, candidate in enumerate(candidates):
            if len(going) == self.beams.count or candidate.total == -math.inf:
                break
            if candidate.token not in self.stops:
                going.append(candidate)
            elif rank < self.beams.count:
                self.add(self.texts[candidate.beam], candidate.total, ended=True)
        self.texts = [(self.texts[beam], token) for _, beam, token in going]
        if self.written == self.limit:
            for text, candidate in zip(self.texts, going, strict=True):
                self.add(text, candidate.total, ended=False)
            self.over = True
            return
        self.over = not going or self.enough(going[0].total)
        missing = self.beams.count - len(going)
        self.texts += [None] * missing
        self.totals = [candidate.total for candidate in going] + [-math.inf] * missing
        self.origins = [candidate.beam for candidate in going] + [0] * missing
        self.last = [candidate.token for candidate in going] + [0] * missing

    def add(self, text: _Text, total: float, ended: bool) -> None:
        """Note a text that was found."""
        tokens = []
        while text is not None:
            text, token = text
            tokens.append(token)
        score = total / length_penalty(self.written, self.beams.alpha)
        self.found.append(Hypothesis(tokens[::-1], total, score, ended))

    def enough(self, total: float) -> bool:
        """Whether to leave off: enough has ended, or the likeliest beam can no longer come among the best."""
        count, alpha = self.beams.count, self.beams.alpha
        if len(self.found) >= self.beams.patience * count:
            scores = sorted((found.score for found in self.found), reverse=True)[:count]
            if total / length_penalty(self.written, alpha) <= scores[-1]:
                return True
        if len(self.found) < self.best:
            return False
        # Its log probability can only fall; at best it stays, and the penalty is the most favourable one.
        furthest = self.limit if alpha > 0 else self.written + 1
        return total / length_penalty(furthest, alpha) <= self.ranked()[-1].score

    def ranked(self) -> list[Hypothesis]:
        """The best of what was found, the highest score first."""
        return sorted(self.found, key=lambda found: -found.score)[: self.best]
