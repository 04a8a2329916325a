"""Schedules by hand, and against PyTorch's own."""

from __future__ import annotations

import warnings

import pytest
import torch

from workings.training.schedules import Constant, Cosine, InverseSquareRoot


def test_the_papers_formula() -> None:
    """Equation (3) of the 2017 paper, written out, for the base model."""
    schedule = InverseSquareRoot.paper(width=512, warmup=4000)
    for step in (1, 2, 1000, 4000, 4001, 100_000):
        assert schedule.rate(step) == pytest.approx(512**-0.5 * min(step**-0.5, step * 4000**-1.5), rel=1e-12)


def test_inverse_square_root_by_hand() -> None:
    schedule = InverseSquareRoot(peak=8.0, warmup=4)
    assert [schedule.rate(step) for step in (1, 2, 4, 16, 64)] == [2.0, 4.0, 8.0, 4.0, 2.0]


def test_cosine_by_hand() -> None:
    """Two steps up; then a quarter, half and all of the way from 10 down to 1: 10 - 9 (1 - cos) / 2."""
    schedule = Cosine(peak=10.0, warmup=2, steps=10, floor=0.1)
    assert [schedule.rate(step) for step in (1, 2, 6, 10, 50)] == pytest.approx([5.0, 10.0, 5.5, 1.0, 1.0])
    assert schedule.rate(4) == pytest.approx(10 - 9 * (1 - 2**-0.5) / 2)


def test_cosine_is_that_of_pytorch() -> None:
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.3)
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=20, eta_min=0.03)
    ours = Cosine(peak=0.3, warmup=0, steps=20, floor=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it expects a step of the optimiser before its own
        for step in range(1, 21):
            theirs.step()
            assert ours.rate(step) == pytest.approx(theirs.get_last_lr()[0], rel=1e-9)


def test_constant() -> None:
    assert [Constant(peak=2.0, warmup=4).rate(step) for step in (1, 2, 4, 9)] == [0.5, 1.0, 2.0, 2.0]
    assert [schedule.rate(7) for schedule in (Constant(peak=2.0), InverseSquareRoot(peak=2.0, warmup=0))] == [2.0, 2.0]
