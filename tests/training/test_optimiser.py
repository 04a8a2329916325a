"""The optimiser's groups, clipping and the average, by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from workings.training.optimiser import Average, adamw, clip, gradient_norm


def test_matrices_decay_and_vectors_do_not() -> None:
    """With a gradient of zero, AdamW only decays: by rate × decay."""
    model = nn.Linear(2, 2)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimiser = adamw(model, decay=0.5)
    for group in optimiser.param_groups:
        group["lr"] = 0.1
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    torch.testing.assert_close(model.weight, before["weight"] * (1 - 0.1 * 0.5))
    assert torch.equal(model.bias, before["bias"])


def test_one_step_is_that_of_the_algorithm() -> None:
    """The first step of Adam moves every weight by rate × g / (|g| + ε), whatever the size of its gradient."""
    model = nn.Linear(2, 1, bias=False).double()
    nn.init.zeros_(model.weight)
    model.weight.grad = torch.tensor([[3.0, -0.01]]).double()
    optimiser = adamw(model, decay=0.0, epsilon=0.0)
    optimiser.param_groups[0]["lr"] = 0.25
    optimiser.step()
    torch.testing.assert_close(model.weight.detach(), torch.tensor([[-0.25, 0.25]]).double())


def test_clipping() -> None:
    parameter = nn.Parameter(torch.zeros(2))
    parameter.grad = torch.tensor([3.0, 4.0])
    assert gradient_norm([parameter]) == 5.0
    for most in (None, 7.0):
        clip([parameter], 5.0, most)
        assert parameter.grad.tolist() == [3.0, 4.0]
    clip([parameter], 5.0, 1.0)
    assert parameter.grad.tolist() == pytest.approx([0.6, 0.8], rel=1e-5)


def test_average_by_hand() -> None:
    """After step 1 of 0.9: min(0.9, 2/11) of the old is kept; after step 1,000, 0.9."""
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 0.0)
    average = Average(model, 0.9)
    nn.init.constant_(model.weight, 11.0)
    average.update(1)
    assert average.weights["weight"].item() == pytest.approx(9.0)
    average.update(1000)
    assert average.weights["weight"].item() == pytest.approx(0.9 * 9.0 + 0.1 * 11.0)
    with average.in_place():
        assert model.weight.item() == pytest.approx(9.2)
    assert model.weight.item() == 11.0
