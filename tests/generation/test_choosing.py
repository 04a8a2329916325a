"""Choices from rows of logits: what falls where, and how close it was, by hand."""

from __future__ import annotations

import math

import pytest
import torch
from tests.generation.support import rows
from tests.generation.test_filters import logits_of

from workings.generation.choosing import Choice, choose
from workings.generation.ledger import write_entry
from workings.generation.settings import GREEDY, Sampling


def generators(*seeds: int) -> list[torch.Generator]:
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def drawn(choice: Choice) -> torch.Tensor:
    assert choice.draws is not None
    return choice.draws


def test_greedy_takes_the_largest_and_of_equals_the_first() -> None:
    logits = torch.tensor([[1.0, 4.0, 2.5], [7.0, 7.0, 1.0], [0.0, 3.0, 3.0]])
    choice = choose(logits, GREEDY, None, [])
    assert choice.tokens.tolist() == [1, 0, 1]
    assert choice.margins.tolist() == [1.5, 0.0, 0.0]
    assert choice.draws is None


def test_one_word_leaves_no_choice() -> None:
    assert choose(torch.zeros(1, 1), GREEDY, None, []).margins.tolist() == [math.inf]
    assert choose(torch.zeros(1, 1), Sampling(), None, generators(1)).margins.tolist() == [math.inf]


def test_the_draw_says_which_token() -> None:
    logits = logits_of(0.2, 0.0, 0.5, 0.3).expand(200, 4)
    choice = choose(logits, Sampling(), None, generators(*range(200)))
    for draw, token in zip(drawn(choice).tolist(), choice.tokens.tolist(), strict=True):
        assert token == (0 if draw < 0.2 else 2 if draw < 0.7 else 3)
    assert set(choice.tokens.tolist()) == {0, 2, 3}


def test_draws_are_those_of_each_rows_generator() -> None:
    choice = choose(rows(3, 5), Sampling(), None, generators(4, 5, 4))
    expected = [torch.rand((), generator=each, dtype=torch.float64).item() for each in generators(4, 5, 4)]
    assert drawn(choice).tolist() == expected


def test_frequencies_are_the_probabilities() -> None:
    probabilities = (0.05, 0.3, 0.15, 0.5)
    number = 1000
    choice = choose(logits_of(*probabilities).expand(number, 4), Sampling(top_k=3), None, generators(*range(number)))
    counts = torch.bincount(choice.tokens, minlength=4) / number
    # 0.05 is out; the standard error of each share is below 0.016.
    assert counts[0] == 0
    torch.testing.assert_close(counts[1:].double(), torch.tensor(probabilities[1:]).double() / 0.95, rtol=0, atol=0.06)


def test_filters_come_in_order() -> None:
    sampling = Sampling(repetition_penalty=2.0, temperature=0.5, top_k=3, top_p=0.9, min_p=0.1)
    logits = torch.tensor([[4.0, 3.0, 1.0, -1.0, -2.0]], dtype=torch.float64)
    seen = torch.tensor([[True, False, False, True, False]])
    choice = choose(logits, sampling, seen, generators(1))
    names = [stage.name for stage in choice.stages]
    assert names == ["model", "repetition penalty 2", "temperature 0.5", "top-k 3", "top-p 0.9", "min-p 0.1"]
    found = [stage.logits[0].tolist() for stage in choice.stages]
    out = -math.inf
    assert found[1] == [2.0, 3.0, 1.0, -2.0, -2.0]
    assert found[2] == [4.0, 6.0, 2.0, -4.0, -4.0]
    assert found[3] == [4.0, 6.0, 2.0, out, out]
    # Of e^-2, 1 and e^-4 (0.1353, 1, 0.0183), the first two reach 0.9 together.
    assert found[4] == [4.0, 6.0, out, out, out]
    # 0.1353 is more than a tenth of 1.
    assert found[5] == [4.0, 6.0, out, out, out]


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(), Sampling(top_k=2)])
def test_what_is_never_chosen_is_out_before_anything_else(sampling: Sampling) -> None:
    """Of 0.5, 0.3, 0.15 and 0.05 without the first, 0.6, 0.3 and 0.1 are left."""
    logits = logits_of(0.5, 0.3, 0.15, 0.05).expand(300, 4)
    choice = choose(logits, sampling, None, generators(*range(300)), never=[0])
    assert [stage.name for stage in choice.stages][:2] == ["model", "never chosen"]
    entry = write_entry(choice, 0, most=4)
    assert [stage.kept for stage in entry.stages[:2]] == [4, 3]
    assert entry.stages[0].probabilities == pytest.approx((0.5, 0.3, 0.15, 0.05))
    assert entry.stages[1].probabilities == pytest.approx((0.0, 0.6, 0.3, 0.1))
    shares = {"greedy": {1}, 2: {1, 2}, None: {1, 2, 3}}
    assert set(choice.tokens.tolist()) == shares["greedy" if sampling.greedy else sampling.top_k]


def test_margins_by_hand() -> None:
    logits = logits_of(0.1, 0.2, 0.3, 0.4)[None]
    draw = torch.rand((), generator=generators(1)[0], dtype=torch.float64).item()
    plain = choose(logits, Sampling(), None, generators(1))
    edges = [0.1, 0.3, 0.6]
    assert plain.margins.item() == pytest.approx(min(abs(draw - edge) for edge in edges), abs=1e-15)
    # Of two kept, 3/7 and 4/7; between the second and the third lies 0.3 - 0.2.
    kept = choose(logits, Sampling(top_k=2), None, generators(1))
    assert kept.margins.item() == pytest.approx(min(0.1, abs(draw - 3 / 7)), abs=1e-15)
    # The total reaches 0.7 with the second, 0.05 above p; before it was 0.25 below.
    kept = choose(logits, Sampling(top_p=0.65), None, generators(1))
    assert kept.margins.item() == pytest.approx(min(0.05, abs(draw - 3 / 7)), abs=1e-15)
    # Half of 0.4 is 0.2, which is just one of the probabilities; with 0.6 it is 0.24, and 0.2 is nearest.
    kept = choose(logits, Sampling(min_p=0.6), None, generators(1))
    assert kept.margins.item() == pytest.approx(min(0.04, abs(draw - 3 / 7)), abs=1e-15)


@pytest.mark.parametrize("sampling", [Sampling(), GREEDY, Sampling(top_p=0.9)])
def test_what_is_no_number_is_refused(sampling: Sampling) -> None:
    logits = torch.zeros(2, 3)
    logits[1, 1] = math.nan
    with pytest.raises(ValueError, match="not numbers"):
        choose(logits, sampling, None, generators(1, 2))


def test_an_entry_of_the_ledger() -> None:
    logits = torch.stack([logits_of(0.1, 0.2, 0.3, 0.4)] * 2)
    choice = choose(logits, Sampling(temperature=2.0, top_k=3), None, generators(1, 9))
    entry = write_entry(choice, 1, most=3)
    assert entry.candidates[:2] == (3, 2)
    assert entry.chosen in entry.candidates
    assert entry.draw is not None
    assert entry.low <= entry.draw < entry.high
    assert [stage.kept for stage in entry.stages] == [4, 4, 3]
    model, tempered, kept = entry.stages
    assert model.probabilities[:2] == pytest.approx((0.4, 0.3))
    roots = [math.sqrt(p) for p in (0.1, 0.2, 0.3, 0.4)]
    assert tempered.probabilities[:2] == pytest.approx((roots[3] / sum(roots), roots[2] / sum(roots)))
    assert kept.probabilities[:2] == pytest.approx((roots[3] / sum(roots[1:]), roots[2] / sum(roots[1:])))
    # The chosen one's stretch is as long as its probability.
    place = entry.candidates.index(entry.chosen)
    assert entry.high - entry.low == pytest.approx(kept.probabilities[place])
    assert entry.to_dict()["stages"][2]["name"] == "top-k 3"


def test_the_chosen_token_is_always_a_candidate() -> None:
    logits = logits_of(0.01, 0.49, 0.5)[None]
    for seed in range(200):
        choice = choose(logits, Sampling(), None, generators(seed))
        assert int(choice.tokens) in write_entry(choice, 0, most=1).candidates
