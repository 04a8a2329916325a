"""What the tests of experiments share: each outcome once, and its values by their labels."""

from __future__ import annotations

from functools import cache
from typing import Any

from workings import experiments
from workings.experiments import Measured, Outcome


@cache
def outcome(name: str) -> Outcome:
    """The experiment, run once for all tests."""
    return experiments.load(name).run()


@cache
def counter_check(name: str) -> Outcome:
    """Its counter-check, run once for all tests."""
    return experiments.load(name).counter_check()


def measured(found: Outcome, label: str) -> Measured:
    """The one value whose label has these words."""
    (one,) = [value for value in found.values if label in value.label]
    return one


def value(found: Outcome, label: str) -> Any:
    return measured(found, label).value


def failing(found: Outcome) -> list[str]:
    """The labels of the values that do not meet."""
    return [value.label for value in found.values if value.meets is False]
