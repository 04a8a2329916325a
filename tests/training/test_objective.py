"""The objective against PyTorch's own cross-entropy, values and gradients, and a line by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from workings.text.batches import IGNORED
from workings.training import objective
from workings.training.objective import cross_entropy


@pytest.fixture(params=[7, 10_000], ids=["in chunks", "at once"])
def chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """`_SCORES` so small that the positions go through in several chunks, or not."""
    monkeypatch.setattr(objective, "_SCORES", 13 * 16 if request.param == 7 else 1 << 24)


def example(dtype: torch.dtype = torch.float64, positions: int = 53) -> tuple[torch.Tensor, ...]:
    """States (positions, 5), weight (13, 5), bias (13,), targets with a tenth ignored."""
    generator = torch.Generator().manual_seed(1)
    states = torch.randn(positions, 5, generator=generator, dtype=torch.float64).to(dtype)
    weight = torch.randn(13, 5, generator=generator, dtype=torch.float64).to(dtype)
    bias = torch.randn(13, generator=generator, dtype=torch.float64).to(dtype)
    targets = torch.randint(0, 13, (positions,), generator=generator)
    targets[::10] = IGNORED
    return states, weight, bias, targets


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("with_bias", [False, True])
def test_value_and_gradients_are_those_of_pytorch(smoothing: float, with_bias: bool) -> None:
    *given, targets = example()
    ours = [tensor.clone().requires_grad_() for tensor in given]
    theirs = [tensor.clone().requires_grad_() for tensor in given]

    loss, correct = cross_entropy(ours[0], ours[1], targets, ours[2] if with_bias else None, smoothing=smoothing)
    (loss * 0.25).backward()
    logits = functional.linear(theirs[0], theirs[1], theirs[2] if with_bias else None)
    expected = functional.cross_entropy(
        logits, targets, reduction="sum", label_smoothing=smoothing, ignore_index=IGNORED
    )
    (expected * 0.25).backward()

    torch.testing.assert_close(loss, expected, rtol=1e-12, atol=1e-12)
    assert correct == (logits.argmax(1) == targets).sum()
    for own, other in zip(ours, theirs, strict=True):
        if other.grad is not None:
            torch.testing.assert_close(own.grad, other.grad, rtol=1e-12, atol=1e-12)
        else:
            assert own.grad is None


@pytest.mark.usefixtures("chunks")
def test_against_the_fused_function_of_pytorch() -> None:
    """`torch.nn.functional.linear_cross_entropy`, in PyTorch 2.13, computes the same in chunks."""
    fused = getattr(functional, "linear_cross_entropy", None)
    if fused is None:
        pytest.skip("this PyTorch has no linear_cross_entropy")
    states, weight, bias, targets = example()
    expected = fused(states, weight, targets, linear_bias=bias, reduction="sum")
    torch.testing.assert_close(cross_entropy(states, weight, targets, bias)[0], expected, rtol=1e-12, atol=1e-12)


def test_by_hand() -> None:
    """Two words with logits 0 and ln 3: probabilities 1/4 and 3/4. The target is the second word.

    Plain: -ln 3/4. Smoothed by 0.2: 0.9 × -ln 3/4 + 0.1 × -ln 1/4.
    """
    states, weight = (
        torch.tensor([[[1.0]]], dtype=torch.float64),
        torch.tensor([[0.0], [math.log(3)]], dtype=torch.float64),
    )
    targets = torch.tensor([[1]])
    assert cross_entropy(states, weight, targets)[0].item() == pytest.approx(-math.log(0.75), abs=1e-12)
    smoothed = cross_entropy(states, weight, targets, smoothing=0.2)[0].item()
    assert smoothed == pytest.approx(-0.9 * math.log(0.75) - 0.1 * math.log(0.25), abs=1e-12)


def test_positions_that_are_ignored_need_no_state() -> None:
    """A state in the padding may even be NaN."""
    states, weight, bias, targets = example()
    spoilt = torch.where((targets == IGNORED)[:, None], torch.nan, states)
    plain, again = (cross_entropy(given, weight, targets, bias)[0] for given in (states, spoilt))
    assert plain == again


def test_nothing_to_predict_is_a_loss_of_zero() -> None:
    states, weight, bias, targets = example()
    states.requires_grad_()
    loss, correct = cross_entropy(states, weight, torch.full_like(targets, IGNORED), bias)
    loss.backward()
    assert (loss.item(), correct.item()) == (0.0, 0)
    assert states.grad is not None
    assert not states.grad.any()


def test_large_logits_do_not_overflow() -> None:
    states, weight = torch.tensor([[1000.0]]), torch.tensor([[1.0], [-1.0]])
    loss, _ = cross_entropy(states, weight, torch.tensor([1]))
    assert loss.item() == pytest.approx(2000.0)


def test_bfloat16_states_keep_float32_sums() -> None:
    states, weight, bias, targets = example(torch.float32)
    weight.requires_grad_()
    loss, _ = cross_entropy(states.bfloat16(), weight, targets, bias, smoothing=0.1)
    loss.backward()
    logits = functional.linear(states, weight, bias)
    expected = functional.cross_entropy(logits, targets, reduction="sum", label_smoothing=0.1, ignore_index=IGNORED)
    assert loss.dtype == torch.float32
    assert weight.grad is not None
    assert weight.grad.dtype == torch.float32
    torch.testing.assert_close(loss, expected, rtol=2e-2, atol=0)


def test_a_gradient_is_taken_once() -> None:
    states, weight, bias, targets = example()
    loss, _ = cross_entropy(states.requires_grad_(), weight, targets, bias)
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="already taken"):
        loss.backward()
