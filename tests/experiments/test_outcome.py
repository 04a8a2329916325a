"""How a value is judged, and what an outcome is made of."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workings.experiments.outcome import Measured, Outcome, about, at_least, at_most, exactly, is_so, plain, shown


@pytest.mark.parametrize(
    ("one", "meets"),
    [
        (exactly("", 0.0, 0), True),
        (exactly("", 5e-324, 0), False),
        (exactly("", [1, 2], [1, 2]), True),
        (exactly("", [1, 2], [1, 3]), False),
        (exactly("", [], [0]), False),
        (exactly("", [0.0] * 6, [0.0] * 7), False),
        (about("", 0.9, 1.0, 0.1000001), True),
        (about("", 0.9, 1.0, 0.09), False),
        (about("", [0.1, 5.0], [0.1, 0.1], 0.01), False),
        (at_least("", 2, 2), True),
        (at_least("", 1.9, 2), False),
        (at_most("", 2.0, 2), True),
        (at_most("", [1, 3], [2, 2]), False),
        (is_so("", np.bool_(True)), True),
        (is_so("", set()), False),
        (shown("", 3.0), None),
    ],
)
def test_a_value_is_judged_by_its_relation(one, meets):
    assert one.meets is meets


@pytest.mark.parametrize("make", [exactly, at_least, at_most, lambda *given: about(*given, 1.0)])
def test_what_is_no_number_meets_nothing(make):
    assert make("", math.nan, 1.0).meets is False
    assert make("", [1.0, math.nan], [1.0, 1.0]).meets is False


def test_values_are_pythons_own():
    assert plain(np.float64(1.5)) == 1.5
    assert type(plain(np.float64(1.5))) is float
    assert plain(np.array([1, 2])) == (1, 2)
    assert type(plain(np.bool_(True))) is bool
    with pytest.raises(ValueError, match="2 axes"):
        plain([[1.0]])


def test_an_outcome_holds_where_every_judged_value_meets():
    good, bad, only_shown = Measured("a", 1, "=", 1), Measured("b", 1, "=", 2), Measured("c", 1)
    assert Outcome("", (good, only_shown)).holds
    assert not Outcome("", (good, bad)).holds
    assert not Outcome("", (only_shown,)).holds  # judges nothing
    assert not Outcome("", ()).holds
