"""Filters against the equations in float64, and against arithmetic by hand."""

from __future__ import annotations

import math

import numpy
import pytest
import torch
from tests.generation.support import rows
from torch import Tensor

from workings import equations
from workings.generation import Sampling, filters

OUT = -math.inf


def logits_of(*probabilities: float) -> Tensor:
    return torch.tensor(probabilities, dtype=torch.float64).log()


@pytest.mark.parametrize("value", [0.3, 1.0, 7.0])
def test_temperature_is_the_equation(value: float) -> None:
    logits = rows(2, 3, 11)
    expected = equations.temperature(logits.numpy(), value)
    numpy.testing.assert_array_equal(filters.temperature(logits, value).numpy(), expected)


@pytest.mark.parametrize("k", [1, 2, 7, 11, 50])
def test_top_k_is_the_equation(k: int) -> None:
    logits = rows(2, 3, 11)
    numpy.testing.assert_array_equal(filters.top_k(logits, k).numpy(), equations.top_k(logits.numpy(), k))


@pytest.mark.parametrize("p", [1e-9, 0.1, 0.5, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("vocabulary", [1, 11, 700])
def test_top_p_is_the_equation(p: float, vocabulary: int) -> None:
    # 700 flat tokens reach 0.9 only beyond the 256 that are looked at first.
    logits = rows(2, 3, vocabulary) / 4
    numpy.testing.assert_array_equal(filters.top_p(logits, p).numpy(), equations.top_p(logits.numpy(), p))


def test_ties_are_kept_as_the_equations_keep_them() -> None:
    logits = torch.tensor([[2.0, 1.0, 2.0, 1.0, 1.0, 0.0]], dtype=torch.float64)
    assert filters.top_k(logits, 1).isfinite().sum() == 2
    for k in range(1, 7):
        numpy.testing.assert_array_equal(filters.top_k(logits, k).numpy(), equations.top_k(logits.numpy(), k))
    for p in (0.2, 0.4, 0.65, 0.9):
        numpy.testing.assert_array_equal(filters.top_p(logits, p).numpy(), equations.top_p(logits.numpy(), p))


def test_top_p_by_hand() -> None:
    # 0.5 + 0.3 reaches 0.8 exactly, and 0.79 too; 0.81 needs the third.
    logits = logits_of(0.05, 0.3, 0.15, 0.5)
    assert filters.top_p(logits, 0.79).isfinite().tolist() == [False, True, False, True]
    assert filters.top_p(logits, 0.81).isfinite().tolist() == [False, True, True, True]
    assert filters.top_p(logits, 0.4).isfinite().tolist() == [False, False, False, True]


def test_min_p_by_hand() -> None:
    # A fifth of 0.5 is 0.1.
    logits = logits_of(0.05, 0.3, 0.15, 0.5)
    assert filters.min_p(logits, 0.2).isfinite().tolist() == [False, True, True, True]
    assert filters.min_p(logits, 0.5).isfinite().tolist() == [False, True, False, True]
    assert filters.min_p(logits, 1.0).isfinite().tolist() == [False, False, False, True]
    assert torch.equal(filters.min_p(logits, 0.0), logits)


def test_repetition_penalty_by_hand() -> None:
    logits = torch.tensor([[3.0, -3.0, 0.0, 3.0, -3.0]])
    seen = torch.tensor([[True, True, True, False, False]])
    assert filters.repetition_penalty(logits, seen, 1.5).tolist() == [[2.0, -4.5, 0.0, 3.0, -3.0]]


def test_a_temperature_near_0_does_not_overflow() -> None:
    logits = torch.tensor([[1.0, 3.0, 2.0]])
    assert filters.temperature(logits, 1e-45).softmax(-1).tolist() == [[0.0, 1.0, 0.0]]


def test_nothing_is_changed_in_place() -> None:
    logits = rows(2, 9)
    before = logits.clone()
    seen = torch.ones_like(logits, dtype=torch.bool)
    filters.temperature(logits, 2.0)
    filters.top_k(logits, 2)
    filters.top_p(logits, 0.5)
    filters.min_p(logits, 0.5)
    filters.repetition_penalty(logits, seen, 2.0)
    assert torch.equal(logits, before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_dtype_stays(dtype: torch.dtype) -> None:
    logits = rows(2, 9, dtype=dtype)
    found = [filters.temperature(logits, 2.0), filters.top_k(logits, 2), filters.top_p(logits, 0.5)]
    assert all(each.dtype == dtype for each in [*found, filters.min_p(logits, 0.5)])


@pytest.mark.parametrize(
    ("filter_", "value"),
    [
        (filters.temperature, 0.0),
        (filters.temperature, math.inf),
        (filters.top_k, 0),
        (filters.top_p, 0.0),
        (filters.top_p, 1.1),
        (filters.min_p, -0.1),
        (filters.min_p, 1.1),
    ],
)
def test_impossible_numbers_are_refused(filter_, value) -> None:
    with pytest.raises(ValueError, match=f"{filter_.__name__} is {value}"):
        filter_(rows(1, 4), value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -1.0),
        ("temperature", math.nan),
        ("top_k", 0),
        ("top_p", 1.5),
        ("min_p", 2.0),
        ("repetition_penalty", 0.0),
    ],
)
def test_impossible_settings_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value}; expected"):
        Sampling(**{name: value})
