"""Writing many rows at once, each as if it were alone, against the model read from the start at every token."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from tests.generation.support import Letters
from tests.transformer.support import CHOICES, made

from workings import equations
from workings.generation import GREEDY, Generated, Piece, Sampling, generate
from workings.transformer import Dropout, Learned, Rotary

PROMPTS = [[3, 1, 4], [1, 5, 9, 2, 6], [5], [3, 5, 8, 9]]
SOURCES = [[7, 1], [8, 2, 8, 1], [8, 2, 8], [4]]
FULL = Sampling(repetition_penalty=1.3, temperature=0.9, top_k=9, top_p=0.95, min_p=0.01)


def uncached(model: Any, tokens: list[int], source: list[int] | None) -> torch.Tensor:
    """The logits after the tokens, (v,), of a model that reads everything at once and one row alone."""
    with torch.no_grad():
        batch = torch.tensor([tokens])
        return (model(batch) if source is None else model(torch.tensor([source]), batch))[0, -1]


def by_hand(
    model: Any, prompt: list[int], source: list[int] | None, sampling: Sampling, seed: int, length: int
) -> list[int]:
    """What should be written: the equations, one after the other, and one draw for each token."""
    generator = torch.Generator().manual_seed(seed)
    tokens = list(prompt)
    for _ in range(length):
        logits = uncached(model, tokens, source)
        for token in set(tokens):
            logits[token] = (
                logits[token] / sampling.repetition_penalty
                if logits[token] > 0
                else (logits[token] * sampling.repetition_penalty)
            )
        if sampling.greedy:
            tokens.append(int(equations.greedy(logits)))
            continue
        logits = equations.temperature(logits, sampling.temperature)
        logits = logits if sampling.top_k is None else equations.top_k(logits, sampling.top_k)
        logits = logits if sampling.top_p is None else equations.top_p(logits, sampling.top_p)
        probabilities = equations.softmax(logits)
        probabilities[probabilities < (sampling.min_p or 0.0) * probabilities.max()] = 0.0
        probabilities /= probabilities.sum()
        draw, total = torch.rand((), generator=generator, dtype=torch.float64).item(), 0.0
        for token, probability in enumerate(probabilities.tolist()):
            total += probability
            if draw < total:
                tokens.append(token)
                break
    return tokens[len(prompt) :]


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(), FULL, Sampling(temperature=0.0, repetition_penalty=1.5)])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("shape", ["decoder-only", "encoder-decoder"])
def test_rows_are_written_as_if_alone(shape: str, causal: bool, sampling: Sampling) -> None:
    model = made(shape, positions=Rotary(), causal=causal)
    sources = SOURCES if shape == "encoder-decoder" else None
    seeds = [11, 12, 11, 14]
    found = generate(model, PROMPTS, sampling, sources=sources, length=7, seed=seeds)
    for row, prompt in enumerate(PROMPTS):
        source = None if sources is None else sources[row]
        assert found[row].tokens == by_hand(model, prompt, source, sampling, seeds[row], 7)
        alone = generate(model, [prompt], sampling, sources=source and [source], length=7, seed=seeds[row])
        assert alone[0].tokens == found[row].tokens
        # What differs is far below how close any call was.
        assert found[row].margin == pytest.approx(alone[0].margin, abs=1e-9)
        assert found[row].margin > 1e-6


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_of_model_can_write(name: str) -> None:
    changes = CHOICES[name]
    model = made("decoder-only", **changes)
    found = generate(model, [[3, 1], [1, 5, 9, 2]], GREEDY, length=6)
    for prompt, row in zip([[3, 1], [1, 5, 9, 2]], found, strict=True):
        assert row.tokens == by_hand(model, prompt, None, GREEDY, 0, 6)


def test_float32_rows_agree_where_calls_were_not_close() -> None:
    model = made("decoder-only", positions=Rotary()).float()
    found = generate(model, PROMPTS, FULL, length=30, seed=range(4))
    smallest = min(row.margin for row in found)
    print(f"the smallest margin of 4 rows of 30 tokens in float32: {smallest:.2g}")
    for seed, (prompt, row) in enumerate(zip(PROMPTS, found, strict=True)):
        alone = generate(model, [prompt], FULL, length=30, seed=seed)[0]
        assert alone.tokens == row.tokens or row.margin < 1e-5


def test_one_seed_is_every_rows() -> None:
    model = made("decoder-only")
    found = generate(model, [[3, 1], [3, 1]], Sampling(), length=6, seed=5)
    assert found[0].tokens == found[1].tokens
    found = generate(model, [[3, 1]] * 6, Sampling(), length=6, seed=range(6))
    assert len({tuple(row.tokens) for row in found}) > 1


def test_stop_tokens_end_rows_and_leave_the_others_alone() -> None:
    model = made("decoder-only", positions=Rotary())
    free = generate(model, PROMPTS, Sampling(), length=9, seed=range(4))
    stop = next(token for token in free[1].tokens if any(token not in row.tokens for row in free))
    found = generate(model, PROMPTS, Sampling(), length=9, seed=range(4), stop_tokens=[stop, 99])
    for before, after in zip(free, found, strict=True):
        if stop in before.tokens:
            assert after.tokens == before.tokens[: before.tokens.index(stop)]
            assert after.reason == "stop token"
        else:
            assert after.tokens == before.tokens
            assert after.reason == "length"
    assert {row.reason for row in found} == {"stop token", "length"}


def pieces_of(found: list[Generated], said: list[Piece]) -> None:
    for number, row in enumerate(found):
        own = [piece for piece in said if piece.row == number]
        assert "".join(piece.text for piece in own) == row.text
        assert [piece.token for piece in own if piece.token is not None] == row.tokens


def test_stop_strings_and_streaming() -> None:
    model = made("decoder-only", positions=Rotary())
    free = generate(model, PROMPTS, Sampling(), length=9, tokeniser=Letters(), seed=range(4))
    assert [row.text for row in free] == ["".join(chr(97 + token) for token in row.tokens) for row in free]
    text = free[1].text
    assert text is not None
    stop = text[3:5]
    said: list[Piece] = []
    found = generate(
        model,
        PROMPTS,
        Sampling(),
        length=9,
        tokeniser=Letters(),
        stop_strings=[stop],
        seed=range(4),
        on_piece=said.append,
    )
    pieces_of(found, said)
    for before, after in zip(free, found, strict=True):
        assert before.text is not None
        assert after.text == before.text.split(stop)[0]
        assert after.reason == ("stop string" if stop in before.text else "length")
    # The tokens are those that were written, the ones of the stop string included.
    assert found[1].tokens == free[1].tokens[: text.index(stop) + 2]


def test_pieces_come_as_they_are_chosen() -> None:
    said: list[Piece] = []
    generate(made("decoder-only"), [[1], [2]], GREEDY, length=3, on_piece=said.append)
    assert [piece.row for piece in said] == [0, 1] * 3
    assert all(piece.text == "" for piece in said)


def test_the_context_ends_a_row_and_leaves_the_others_alone() -> None:
    # 11 learned positions: after 9 tokens, two more can be read, and what follows the last one can still be chosen.
    model = made("decoder-only", positions=Learned())
    prompts = [[1] * 9, [2, 3], [1] * 11]
    found = generate(model, prompts, GREEDY, length=5)
    assert [(len(row.tokens), row.reason) for row in found] == [(3, "context"), (5, "length"), (1, "context")]
    for prompt, row in zip(prompts, found, strict=True):
        assert row.tokens == by_hand(model, prompt, None, GREEDY, 0, len(row.tokens))


def test_an_ended_row_that_is_still_there_does_not_run_out_of_positions() -> None:
    model = made("decoder-only", positions=Learned())
    prompts = [[1] * 9, *[[number] for number in range(2, 8)]]
    free = generate(model, prompts, GREEDY, length=10)
    stop = free[0].tokens[0]
    found = generate(model, prompts, GREEDY, length=10, stop_tokens=[stop])
    assert found[0].tokens == []
    assert max(len(row.tokens) for row in found) > 3


def test_the_ledger_tells_how_each_token_was_chosen() -> None:
    model = made("decoder-only", positions=Rotary())
    prompt = PROMPTS[0]
    row = generate(model, PROMPTS, FULL, length=6, seed=21, ledger=13)[0]
    assert [entry.chosen for entry in row.ledger] == row.tokens
    assert row.margin == min(entry.margin for entry in row.ledger)
    for place, entry in enumerate(row.ledger):
        logits = uncached(model, prompt + row.tokens[:place], None)
        assert sorted(entry.candidates) == list(range(13))
        first, last = entry.stages[0], entry.stages[-1]
        torch.testing.assert_close(
            torch.tensor(first.logits).double(), logits[list(entry.candidates)], rtol=1e-6, atol=1e-6
        )
        assert sum(first.probabilities) == pytest.approx(1.0)
        assert sum(last.probabilities) == pytest.approx(1.0)
        assert last.kept == sum(logit > -math.inf for logit in last.logits)
        # Laid side by side in the order of their ids, the draw falls on the chosen one.
        placed = sorted(zip(entry.candidates, last.probabilities, strict=True))
        low = sum(probability for token, probability in placed if token < entry.chosen)
        assert entry.draw is not None
        assert entry.low == pytest.approx(low)
        assert entry.low <= entry.draw < entry.high


def test_the_model_is_left_as_it_was() -> None:
    model = made("decoder-only", dropout=Dropout(rate=0.5))
    model.train()
    first = generate(model, [[1, 2]], Sampling(), length=5)
    assert model.training
    assert first[0].tokens == generate(model, [[1, 2]], Sampling(), length=5)[0].tokens


BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no prompts": ([], {}, "no prompts"),
    "an empty prompt": ([[1], []], {}, "prompt 1 has no tokens"),
    "a token beyond the vocabulary": ([[1, 13]], {}, "prompt 0 holds the token 13; expected numbers from 0 to 12"),
    "a negative token": ([[-1]], {}, "prompt 0 holds the token -1"),
    "a prompt beyond the positions": ([[1] * 12], {}, "12 tokens; expected at most 11"),
    "sources for a decoder": ([[1]], {"sources": [[1]]}, "decoder-only"),
    "no length": ([[1]], {"length": 0}, "length is 0"),
    "stop strings without a tokeniser": ([[1]], {"stop_strings": ["x"]}, "tokeniser"),
    "a stop string that is not in a list": ([[1]], {"stop_strings": "x", "tokeniser": Letters()}, "list"),
    "seeds for other rows": ([[1]], {"seed": [1, 2]}, "2 seeds"),
    "a ledger of nothing": ([[1]], {"ledger": 0}, "ledger is 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    prompts, options, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        generate(made("decoder-only", positions=Learned()), prompts, GREEDY, **options)


def test_an_encoder_decoder_needs_its_sources() -> None:
    model = made("encoder-decoder")
    with pytest.raises(ValueError, match="the sources are none; expected 2"):
        generate(model, [[1], [1]], GREEDY)
    with pytest.raises(ValueError, match="the sources are 1; expected 2"):
        generate(model, [[1], [1]], GREEDY, sources=[[1]])
    with pytest.raises(ValueError, match="source 1 has no tokens"):
        generate(model, [[1], [1]], GREEDY, sources=[[1], []])
