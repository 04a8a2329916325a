"""The experiment that trains two models: its language, its least loss, its measures."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

torch = pytest.importorskip("torch")
from torch.nn import functional  # noqa: E402 - after the check that PyTorch is there

from workings.experiments import leaking  # noqa: E402
from workings.text.batches import IGNORED  # noqa: E402
from workings.transformer import Config, DecoderOnly  # noqa: E402

from .support import counter_check, failing, outcome, value  # noqa: E402


def untrained(causal):
    torch.manual_seed(1)
    return DecoderOnly(Config(vocabulary=14, width=8, heads=2, decoder_layers=1, context=48, causal=causal)).eval()


def test_texts_are_of_the_language():
    follows = leaking._language()
    assert all(len(set(row)) == 2 for row in follows.tolist())
    texts = leaking._texts(3, 400)
    for begin, *signs, end in texts:
        assert (begin, end) == (12, 13)
        assert all(now in follows[before] for before, now in pairwise(signs))
    assert sum(len(text) - 2 for text in texts) / len(texts) == pytest.approx(8, abs=1)  # one in eight ends it


def test_the_least_loss_is_that_of_the_true_probabilities():
    """−log of what truly comes next, averaged over many texts."""
    texts = leaking._texts(4, 2000)
    ends, signs = len(texts), sum(len(text) - 3 for text in texts)
    loss = -(ends * math.log(1 / 8) + signs * math.log(7 / 8 / 2)) / (ends + signs)
    assert pytest.approx(loss, abs=0.02) == leaking._FLOOR


def test_a_batch_asks_for_what_comes_next():
    batch = leaking._batch(5, 6)
    for text, inputs, targets, length in zip(
        leaking._texts(5, 6), batch.inputs, batch.targets, batch.lengths, strict=True
    ):
        assert inputs[:length].tolist() == text[:-1]
        assert targets[1:length].tolist() == text[2:]
        assert targets[0] == IGNORED
        assert (targets[length:] == IGNORED).all()


def test_the_loss_is_pytorchs():
    model, batch = untrained(True), leaking._batch(0, 64)
    logits = model(batch.inputs, batch.lengths)
    expected = functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)
    assert leaking._loss(model) == pytest.approx(expected.item(), rel=1e-5)


def test_only_a_model_without_the_mask_sees_the_answer():
    assert leaking._moved_by_answer(untrained(True)) == 0
    assert leaking._moved_by_answer(untrained(False)) > 0


def test_other_random_numbers_are_left_alone():
    torch.manual_seed(2)
    before = torch.random.get_rng_state()
    leaking._batch(1, 2)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.slow
def test_leak():
    found = outcome("leak")
    assert value(found, "loss without it") < leaking._FLOOR / 4 < value(found, "loss with the mask")
    assert value(found, "before the end, without it") <= 1
    assert value(found, "before the end, with the mask") >= 3
    assert set(failing(counter_check("leak"))) == {
        "without it: how far scores move with the token to predict",
        "loss without it",
        "signs written before the end, without it",
    }
