"""Skip-gram against the loss written out pair by pair, PyTorch's own Adagrad, and draws that can be counted."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from workings.text import TextCorpus, Tokeniser
from workings.training.embeddings import Embeddings
from workings.training.errors import TrainingError
from workings.training.skip_gram import Draw, SkipGram, SkipGramTrainer, skip_gram
from workings.training.tensor_file import read_tensors, write_tensors
from workings.training.vocabulary import Vocabulary


def corpus_of(text: str, vocabulary: int | None = None) -> TextCorpus:
    tokeniser = Tokeniser.train("word", [text], vocabulary)
    return TextCorpus.of([text], tokeniser)


def trainer(text: str, dtype: torch.dtype = torch.float64, **settings: Any) -> SkipGramTrainer:
    chosen = {"minimum": 1, "subsampling": math.inf, "width": 5, "window": 2, "negatives": 2, **settings}
    return SkipGramTrainer(corpus_of(text), SkipGram(**chosen), dtype)


def numbers(count: int, different: int = 12) -> str:
    """Words "w0", "w1", … of which the first are the most frequent."""
    drawn = np.random.default_rng(1).zipf(1.5, count) % different
    return " ".join(f"w{number}" for number in drawn)


def written_out(draw: Draw, centres: torch.Tensor, neighbours: torch.Tensor, negatives: int) -> torch.Tensor:
    """Equation (4) of the paper, pair after pair, the expectation being the mean over the block's drawn words."""
    total = torch.zeros((), dtype=centres.dtype)
    for block in range(len(draw.centres)):
        for i, row in enumerate(draw.centres[block]):
            drawn = [functional.logsigmoid(-neighbours[n] @ centres[row]) for n in draw.negatives[block]]
            for j, near in enumerate(draw.near[block, i]):
                if near:
                    total -= functional.logsigmoid(neighbours[draw.neighbours[block, j]] @ centres[row])
                    total -= negatives * torch.stack(drawn).mean()
    return total


def test_gradients_are_those_of_the_loss_written_out() -> None:
    generator = torch.Generator().manual_seed(1)
    ours = [torch.randn(2, n, 5, generator=generator, dtype=torch.float64) for n in (3, 7, 4)]
    near = torch.randint(0, 2, (2, 3, 7), generator=generator).double()
    given = [tensor.clone().requires_grad_() for tensor in ours]
    # The same as tables: every vector is a row of its own.
    ids = [torch.arange(tensor.shape[1]) + 10 * torch.arange(2)[:, None] for tensor in given]
    ids[2] = ids[2] + 20
    tables = [torch.zeros(40, 5, dtype=torch.float64) for _ in range(2)]
    tables[0] = tables[0].index_put((ids[0],), given[0])
    tables[1] = tables[1].index_put((ids[1],), given[1]).index_put((ids[2],), given[2])
    loss = written_out(Draw(*ids, near), tables[0], tables[1], 3)
    loss.backward()

    found = skip_gram(*ours, near, 3)
    torch.testing.assert_close(found.loss, loss.detach(), rtol=1e-12, atol=1e-12)
    for own, tensor in zip(found[2:], given, strict=True):
        torch.testing.assert_close(own, tensor.grad, rtol=1e-12, atol=1e-12)


def test_steps_are_those_of_adagrad_on_that_loss() -> None:
    training = trainer(numbers(150), words=60, rate=0.3, passes=2)
    tables = [table.clone().requires_grad_() for table in training.tables.values()]
    optimiser = torch.optim.Adagrad(tables, eps=1e-10)
    assert training.steps == 6
    for number in range(1, 6):
        draw = training.draw(number)
        assert draw is not None
        for group in optimiser.param_groups:
            group["lr"] = 0.3 * (1 - (number - 1) / 6)
        optimiser.zero_grad()
        loss = written_out(draw, *tables, 2)
        loss.backward()
        optimiser.step()
        report, wishes = training.step(True, False)
        assert report.loss == pytest.approx(loss.item() / draw.near.sum().item(), rel=1e-12)
        assert (report.step, report.tokens, wishes) == (number, draw.near.sum().item(), [True, False])
    for own, other in zip(training.tables.values(), tables, strict=True):
        torch.testing.assert_close(own, other.detach(), rtol=1e-10, atol=1e-12)


def test_pairs_are_the_words_within_a_reach_of_each_centre() -> None:
    text = " ".join(f"w{number}" for number in range(100))
    training = trainer(text, window=3, words=100)
    places = [int(piece[1:]) for piece in training.corpus.tokeniser.pieces(training.vocabulary.tokens.tolist())]
    reaches: Counter[int] = Counter()
    for number in range(1, 40):
        draw = training.draw(number)
        assert draw is not None
        found: dict[int, set[int]] = {place: set() for place in range(100)}
        for block, i, j in draw.near.nonzero().tolist():
            centre, other = places[draw.centres[block, i]], places[draw.neighbours[block, j]]
            assert other not in found[centre]
            found[centre].add(other)
        for place, others in found.items():
            reach = max(abs(place - other) for other in others)
            assert others == {p for p in range(place - reach, place + reach + 1) if p != place and 0 <= p < 100}
            if 3 <= place < 97:
                reaches[reach] += 1
    assert set(reaches) == {1, 2, 3}
    assert all(abs(count / reaches.total() - 1 / 3) < 0.04 for count in reaches.values())


def test_each_pass_reads_every_part_once_in_an_order_of_its_own() -> None:
    text = " ".join(f"w{number}" for number in range(90))
    training = trainer(text, words=10, passes=3, window=1)
    orders = []
    for start in (1, 10, 19):
        draws = [training.draw(number) for number in range(start, start + 9)]
        centres = [draw.centres[draw.near.sum(2) > 0] for draw in draws if draw is not None]
        assert sorted(torch.cat(centres).tolist()) == list(range(90))
        orders.append(torch.cat(centres).tolist())
    assert orders[0] != orders[1] != orders[2]


def test_the_noise_is_frequency_to_three_quarters() -> None:
    training = trainer("a " * 81 + "b " * 16 + "c", words=98, window=1, negatives=500)
    drawn: Counter[int] = Counter()
    for number in range(1, 40):
        draw = training.draw(number)
        assert draw is not None
        drawn.update(draw.negatives.flatten().tolist())
    # 81, 16 and 1 to the power of 3/4 are 27, 8 and 1.
    assert [drawn[row] / drawn.total() for row in range(3)] == pytest.approx([27 / 36, 8 / 36, 1 / 36], abs=0.01)


def test_frequent_words_are_passed_over() -> None:
    training = trainer("a b " * 450 + "c " * 100, words=1000, subsampling=0.1)
    kept: Counter[int] = Counter()
    for number in range(1, 60):
        draw = training.draw(number)
        assert draw is not None
        kept.update(draw.centres[draw.near.sum(2) > 0].tolist())
    shares = [kept[row] / 59 / count for row, count in enumerate((450, 450, 100))]
    # √(0.1 / 0.45) of a and b; c is as frequent as the threshold and stays.
    assert shares == pytest.approx([math.sqrt(0.1 / 0.45)] * 2 + [1.0], abs=0.02)


def test_words_are_what_is_frequent_enough_and_no_sign() -> None:
    text = "b a , a . a b c 7 7 7 ! ! z z z z"
    corpus = TextCorpus.of([text], Tokeniser.train("word", [text.replace("z", "")]))
    found = Vocabulary.of(corpus, 2)
    assert sorted(corpus.tokeniser.pieces(found.tokens)) == ["7", "a", "b"]
    assert found.counts.tolist() == [3, 3, 2]
    assert [found.rows[token] for token in found.tokens] == [0, 1, 2]
    assert np.count_nonzero(found.rows >= 0) == 3
    with pytest.raises(TrainingError, match="1 word seen at least 9 times; expected at least 2"):
        Vocabulary.of(corpus_of("a " * 9 + "b"), 9)


def test_a_text_of_which_nothing_is_left_changes_nothing() -> None:
    training = trainer("a " * 30 + "b", words=2, subsampling=1e-9)
    before = training.weights()
    report, _ = training.step()
    assert (training.done, report.tokens, report.loss) == (1, 0, 0.0)
    assert all(torch.equal(before[name], tensor) for name, tensor in training.weights().items())


def test_goes_on_exactly(tmp_path: Path) -> None:
    text = numbers(3000, 40)
    settings = {"dtype": torch.float32, "words": 200, "seed": 3, "subsampling": 0.05}
    straight = trainer(text, **settings)
    for _ in range(20):
        straight.step()
    first = trainer(text, **settings)
    for _ in range(11):
        first.step()
    tensors, about = first.state()
    write_tensors(tmp_path / "state.safetensors", tensors, about)
    second = trainer(text, **settings)
    second.restore(*read_tensors(tmp_path / "state.safetensors"))
    while second.done < 20:
        second.step()
    ours, theirs = second.state(), straight.state()
    assert ours[1] == theirs[1]
    assert all(torch.equal(tensor, theirs[0][name]) for name, tensor in ours[0].items())
    other = trainer(text, **{**settings, "seed": 4})
    assert not torch.equal(other.weights()["centres"], trainer(text, **settings).weights()["centres"])

    with pytest.raises(TrainingError, match=r"seed was 3 when the state was saved; expected 4"):
        other.restore(tensors, about)
    with pytest.raises(TrainingError, match="another text"):
        trainer(text + " w1", **settings).restore(tensors, about)
    with pytest.raises(TrainingError, match="weights/centres is missing"):
        straight.restore({}, about)


def test_a_loss_that_is_not_finite_stops_before_it_changes_anything() -> None:
    training = trainer(numbers(100), words=100)
    training.step()
    training.tables["centres"][3, 2] = math.nan
    kept = training.tables["neighbours"].clone()
    with pytest.raises(TrainingError, match="at step 2 the loss is nan"):
        training.step()
    assert torch.equal(kept, training.tables["neighbours"])
    assert training.done == 1


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"width": 0}, "width is 0; expected at least 1"),
        ({"words": 1}, "words is 1; expected at least 2"),
        ({"rate": 0.0}, "rate is 0.0; expected a number above 0"),
        ({"power": math.inf}, "power is inf"),
    ],
)
def test_settings_that_do_not_fit_are_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SkipGram(**setting)


def test_words_with_the_same_neighbours_end_up_nearest() -> None:
    """Cats and dogs do the same things, as do roses and tulips; which is which is drawn."""
    generator = np.random.default_rng(0)
    animal = ["the {} sleeps on the mat", "a {} chases its tail", "my {} eats meat and barks", "feed the {} at home"]
    plant = ["the {} blooms in may", "a {} needs water and sun", "my {} smells sweet", "cut the {} in the garden"]
    lines = [
        str(generator.choice(forms)).format(generator.choice(words))
        for _ in range(600)
        for forms, words in ((animal, ["cat", "dog"]), (plant, ["rose", "tulip"]))
    ]
    training = trainer(" ".join(lines), torch.float32, width=16, words=500, passes=10, subsampling=0.01)
    first = training.step()[0].loss
    while training.done < training.steps:
        report, _ = training.step()
    assert first == pytest.approx(3 * math.log(2), rel=1e-3)  # one pair and two drawn words, all scores near 0
    assert report.loss < 0.9 * first
    found = Embeddings.of(training.weights(), training.corpus.tokeniser)
    for one, other in (("cat", "dog"), ("rose", "tulip")):
        assert found.nearest(one, 1)[0].word == other
        assert found.nearest(other, 1)[0].word == one
