"""Masks by hand, combined; what the kernel is told; and what models may not see."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.transformer.support import CHOICES, SOME, made, tokens
from torch import Tensor

from workings.transformer import Causal, Everything, Padding, Window
from workings.transformer.masks import KernelMask, Mask

EVERY = pytest.mark.parametrize("choice", CHOICES)


def drawn(text: str) -> Tensor:
    """A mask as it is drawn: x where a query (row) may attend to a key (column)."""
    return torch.tensor([[sign == "x" for sign in row] for row in text.split()])


def allowed(mask: Mask, *arguments: Any) -> Tensor:
    found = mask.allowed(*arguments)
    assert found is not None
    return found


def test_causal() -> None:
    assert torch.equal(allowed(Causal(), 3, 3), drawn("x.. xx. xxx"))
    assert torch.equal(allowed(Causal(), 2, 4, 2), drawn("xxx. xxxx"))
    rows = allowed(Causal(), 2, 4, torch.tensor([2, 0]))
    assert torch.equal(rows, torch.stack([drawn("xxx. xxxx"), drawn("x... xx..")])[:, None])


def test_padding() -> None:
    rows = allowed(Padding(torch.tensor([2, 3])), 2, 3)
    assert torch.equal(rows, torch.stack([drawn("xx."), drawn("xxx")])[:, None])


def test_window() -> None:
    assert torch.equal(allowed(Window(2), 4, 4), drawn("xx.. xxx. .xxx ..xx"))
    assert torch.equal(allowed(Window(2) & Causal(), 4, 4), drawn("x... xx.. .xx. ..xx"))
    assert torch.equal(allowed(Causal() & Window(2), 1, 4, 3), drawn("..xx"))


def test_all_at_once() -> None:
    found = allowed(Causal() & Window(2) & Padding(torch.tensor([2, 4])), 4, 4)
    assert torch.equal(found[0, 0], drawn("x... xx.. .x.. ...."))
    assert torch.equal(found[1, 0], drawn("x... xx.. .xx. ..xx"))


def test_everything_is_the_neutral_one() -> None:
    assert Everything().allowed(3, 3) is None
    assert Everything() & Causal() == Causal() == Causal() & Everything() == Causal() & Causal()
    assert Everything() & Everything() == Everything()


def test_the_kernel_is_told_as_little_as_possible() -> None:
    """No mask is held, so that memory grows with the length and not with its square."""
    lengths = torch.tensor([2, 5])
    assert Everything().kernel_arguments(5, 5) == KernelMask(None, False)
    for mask in (Causal(), Causal() & Padding(lengths), Causal() & Padding(lengths) & Window(5)):
        assert mask.kernel_arguments(5, 5) == KernelMask(None, True)
    assert Causal().kernel_arguments(1, 1) == KernelMask(None, False)
    padding = Padding(lengths).kernel_arguments(5, 5).attn_mask
    assert padding is not None
    assert padding.shape == (2, 1, 1, 5)
    assert (Causal() & Window(2)).kernel_arguments(5, 5) == KernelMask(None, True, 2)
    windowed = (Causal() & Window(3)).kernel_arguments(5, 5)
    assert windowed.attn_mask is not None
    assert not windowed.is_causal


@EVERY
def test_no_output_depends_on_a_later_token(choice: str) -> None:
    model, batch = made("decoder-only", **CHOICES[choice]), tokens(1, 8)
    before = model(batch)
    for place in range(1, 8):
        changed = batch.clone()
        changed[0, place:] = (changed[0, place:] + 1 + torch.arange(8 - place) % 5) % 13
        after = model(changed)
        torch.testing.assert_close(after[:, :place], before[:, :place], rtol=1e-12, atol=1e-12)
        assert not torch.allclose(after[:, place], before[:, place])


@pytest.mark.parametrize("choice", SOME)
@pytest.mark.parametrize("shape", ["decoder-only", "encoder-only"])
def test_padding_changes_nothing(choice: str, shape: str) -> None:
    model = made(shape, **CHOICES[choice])
    lengths, batch = torch.tensor([3, 8]), tokens(2, 8)
    alone = model(batch[:1, :3])
    for filling in (0, 7, 12):
        filled = batch.clone()
        filled[0, 3:] = filling
        torch.testing.assert_close(model(filled, lengths)[:1, :3], alone, rtol=1e-12, atol=1e-12)


def test_padding_gets_no_gradient_through_real_rows() -> None:
    model = made("encoder-only")
    batch = tokens(2, 8, vocabulary=12)
    batch[0, 3:] = 12
    model.states(batch, torch.tensor([3, 8]))[0, :3].sum().backward()
    assert model.embedding.weight.grad[12].abs().max() == 0.0
    assert model.embedding.weight.grad[batch[0, 0]].abs().max() > 0.0


@settings(max_examples=20, deadline=None)
@given(shift=st.integers(1, 500), pairing=st.sampled_from(["adjacent", "halves"]))
def test_rotary_scores_depend_on_distance_alone(shift: int, pairing: str) -> None:
    from workings.transformer import Config, Rotary
    from workings.transformer.positions import RotaryPositions, rotate

    choice = Rotary(pairing=pairing)  # type: ignore[arg-type]
    positions = RotaryPositions(Config(vocabulary=2, width=8, heads=1, decoder_layers=1, positions=choice), choice)
    queries, keys = torch.randn(2, 1, 5, 1, 8, dtype=torch.float64)

    def scores(offset: int) -> Tensor:
        rotation = positions.rotation(5, offset, queries)
        return rotate(queries, rotation)[0, :, 0] @ rotate(keys, rotation)[0, :, 0].T

    torch.testing.assert_close(scores(shift), scores(0), rtol=1e-10, atol=1e-10)
