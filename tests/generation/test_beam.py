"""Beam search against the score of every text there is, and against the same search written down plainly."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import pytest
import torch
from tests.transformer.support import CHOICES, made

from workings.generation import GREEDY, Beams, Hypothesis, beam_search, generate, length_penalty
from workings.transformer import Learned, Rotary

WORDS, END = 4, 0
EXACT = 1e-10

Text = tuple[int, ...]


class Scores:
    """The log probability of each token after a text, by a model that reads everything at once and one row alone."""

    def __init__(self, model: Any, prompt: list[int], source: list[int] | None) -> None:
        self.model, self.prompt, self.source = model, prompt, source

    @functools.cache  # noqa: B019 - one test long
    def after(self, text: Text) -> list[float]:
        batch = torch.tensor([[*self.prompt, *text]])
        with torch.no_grad():
            logits = self.model(batch) if self.source is None else self.model(torch.tensor([self.source]), batch)
        return logits[0, -1].log_softmax(dim=-1).tolist()

    def of(self, text: Text) -> float:
        return math.fsum(self.after(text[:place])[token] for place, token in enumerate(text))


def penalised(total: float, length: int, alpha: float) -> float:
    return total / ((5 + length) ** alpha / 6**alpha)


def every_text(scores: Scores, length: int, alpha: float) -> list[Hypothesis]:
    """All texts that end within the length, and all that are cut off there: the highest score first."""
    found = []
    for size in range(length + 1):
        for text in itertools.product(range(1, WORDS), repeat=size):
            ended = size < length
            whole = (*text, END) if ended else text
            total = scores.of(whole)
            found.append(Hypothesis(list(text), total, penalised(total, len(whole), alpha), ended))
    return sorted(found, key=lambda each: -each.score)


def plainly(
    scores: Scores, beams: Beams, best: int, length: int, stops: set[int], never: tuple[int, ...] = ()
) -> list[Hypothesis]:
    """Beam search as a sentence says it: sort all continuations of all beams."""
    alive: list[tuple[float, Text]] = [(0.0, ())]
    found: list[Hypothesis] = []
    for size in range(1, length + 1):
        continued = [
            (total + log, (*text, token))
            for total, text in alive
            for token, log in enumerate(scores.after(text))
            if token not in never
        ]
        continued.sort(key=lambda each: -each[0])
        for total, text in continued[: beams.count]:
            if text[-1] in stops:
                found.append(Hypothesis(list(text[:-1]), total, penalised(total, size, beams.alpha), True))
        alive = [each for each in continued if each[1][-1] not in stops][: beams.count]
        if len(found) >= beams.patience * beams.count:
            kept = sorted((each.score for each in found), reverse=True)[: beams.count]
            if not alive or penalised(alive[0][0], size, beams.alpha) <= kept[-1]:
                break
        if size == length:
            found += [
                Hypothesis(list(text), total, penalised(total, size, beams.alpha), False) for total, text in alive
            ]
    return sorted(found, key=lambda each: -each.score)[:best]


def agree(found: list[Hypothesis], expected: list[Hypothesis]) -> None:
    assert [each.tokens for each in found] == [each.tokens for each in expected]
    assert [each.ended for each in found] == [each.ended for each in expected]
    for mine, other in zip(found, expected, strict=True):
        assert mine.log_probability == pytest.approx(other.log_probability, abs=EXACT)
        assert mine.score == pytest.approx(other.score, abs=EXACT)


@pytest.mark.parametrize("alpha", [0.0, 0.6, -0.5])
@pytest.mark.parametrize("shape", ["decoder-only", "encoder-decoder"])
def test_enough_beams_find_the_best_of_all_texts(shape: str, alpha: float) -> None:
    model = made(shape, vocabulary=WORDS, positions=Rotary())
    prompts = [[1], [2, 3, 1], [3, 3]]
    sources = [[1, 2], [3], [2, 2, 1]] if shape == "encoder-decoder" else None
    # At most 3^4 = 81 beginnings are alive at once.
    beams = Beams(count=81, alpha=alpha, patience=math.inf)
    found = beam_search(model, prompts, [END], beams, sources=sources, best=20, length=4)
    for row, prompt in enumerate(prompts):
        agree(found[row], every_text(Scores(model, prompt, sources and sources[row]), 4, alpha)[:20])


@pytest.mark.parametrize("patience", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_few_beams_find_what_the_plain_search_finds(seed: int, count: int, patience: float) -> None:
    model = made("encoder-decoder", seed=seed, vocabulary=7, positions=Rotary())
    prompts, sources = [[1], [2, 5, 1], [3, 3]], [[1, 2], [3], [6, 2, 1, 4]]
    beams = Beams(count=count, alpha=0.6, patience=patience)
    found = beam_search(model, prompts, [END, 6], beams, sources=sources, best=count, length=6)
    for row, prompt in enumerate(prompts):
        agree(found[row], plainly(Scores(model, prompt, sources[row]), beams, count, 6, {END, 6}))


@pytest.mark.parametrize("count", [1, 4])
def test_what_is_never_chosen_stands_in_no_text(count: int) -> None:
    """The probabilities of the others stay those of the model."""
    model = made("decoder-only", vocabulary=7, positions=Rotary())
    prompts = [[1], [2, 5, 1], [3, 3]]
    free = beam_search(model, prompts, [END], Beams(count=count), best=count, length=6)
    assert any(token in each.tokens for ranked in free for each in ranked for token in (2, 5))
    found = beam_search(model, prompts, [END], Beams(count=count), best=count, length=6, never=[2, 5])
    for row, prompt in enumerate(prompts):
        agree(found[row], plainly(Scores(model, prompt, None), Beams(count=count), count, 6, {END}, (2, 5)))
    written = generate(model, prompts, GREEDY, length=6, stop_tokens=[END], never=[2, 5])
    if count == 1:
        assert [ranked[0].tokens for ranked in found] == [each.tokens for each in written]


@pytest.mark.parametrize(
    "name", ["learned", "alibi", "window", "grouped", "additive", "post-norm", "separate with bias"]
)
def test_choices(name: str) -> None:
    model = made("decoder-only", vocabulary=7, **CHOICES[name])
    prompts = [[1, 5], [2], [3, 3, 4, 1]]
    beams = Beams(count=3)
    counts: list[int] = []
    found = beam_search(model, prompts, [END], beams, best=3, length=5, on_token=counts.append)
    assert counts == list(range(1, len(counts) + 1))
    assert len(counts) <= 5
    for row, prompt in enumerate(prompts):
        agree(found[row], plainly(Scores(model, prompt, None), beams, 3, 5, {END}))


def counting() -> Any:
    """A decoder made by hand: after 1 comes 2, then 3, then 1 again; with e^-9, each time, the text ends instead."""
    model = made("decoder-only", vocabulary=WORDS, positions=Rotary(), **CHOICES["separate with bias"])
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
        model.embedding.weight[:, :WORDS] = torch.eye(WORDS)
        states = model.states(torch.arange(WORDS)[:, None])[:, 0]
        scores = torch.full((WORDS, WORDS), -99.0, dtype=states.dtype)
        scores[torch.arange(1, WORDS), torch.tensor([2, 3, 1])] = 9.0
        scores[:, END] = 0.0
        # (lstsq's usual driver gave another solution now and then, and a wrong one.)
        model.output.weight.copy_((torch.linalg.pinv(states) @ scores).T)
    return model


@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_a_text_that_is_nearly_certain_outlasts_unlikely_ones(alpha: float) -> None:
    """Four texts have ended before the fifth token; none of them is anywhere near as likely."""
    (found,) = beam_search(counting(), [[1]], [END], Beams(count=4, alpha=alpha), length=12)
    assert found[0].tokens == [2, 3, 1] * 4
    assert found[0].log_probability == pytest.approx(-12 * math.log1p(math.exp(-9)), rel=1e-6)


def test_one_beam_is_greedy() -> None:
    model = made("decoder-only", positions=Rotary())
    prompts = [[3, 1, 4], [1, 5, 9, 2, 6], [5]]
    greedy = generate(model, prompts, GREEDY, length=8, stop_tokens=[END])
    found = beam_search(model, prompts, [END], Beams(count=1, patience=math.inf), length=8)
    assert [each[0].tokens for each in found] == [row.tokens for row in greedy]


def test_rows_are_searched_as_if_alone() -> None:
    model = made("encoder-decoder", positions=Rotary())
    prompts, sources = [[1]] * 3, [[1, 2, 3, 4], [5], [6, 7]]
    together = beam_search(model, prompts, [END], sources=sources, best=4, length=7)
    for row, source in enumerate(sources):
        agree(together[row], beam_search(model, [[1]], [END], sources=[source], best=4, length=7)[0])


def test_learned_positions_end_the_search() -> None:
    model = made("decoder-only", vocabulary=7, positions=Learned())
    prompts = [[1] * 9, [2]]
    found = beam_search(model, prompts, [END], Beams(count=3), best=3, length=6)
    # After 9 of 11 positions, three more tokens can be chosen.
    agree(found[0], plainly(Scores(model, prompts[0], None), Beams(count=3), 3, 3, {END}))
    agree(found[1], plainly(Scores(model, prompts[1], None), Beams(count=3), 3, 6, {END}))


def test_the_penalty_by_hand() -> None:
    assert length_penalty(1, 0.6) == 1.0
    assert length_penalty(7, 1.0) == 2.0
    assert length_penalty(19, 0.5) == 2.0
    assert length_penalty(100, 0.0) == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "count is 0"),
        ({"alpha": math.nan}, "alpha is nan"),
        ({"patience": 0.0}, "patience is 0.0"),
    ],
)
def test_impossible_settings_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Beams(**options)


def test_more_than_the_beams_are_refused() -> None:
    with pytest.raises(ValueError, match="best is 5; expected from 1 to 4"):
        beam_search(made("decoder-only"), [[1]], [0], best=5)
    with pytest.raises(ValueError, match="length is 0"):
        beam_search(made("decoder-only"), [[1]], [0], length=0)
