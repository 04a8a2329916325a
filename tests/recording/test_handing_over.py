"""A finished Working is complete: nothing adds to it any more, and nothing but its holder keeps it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import workings as wk


@pytest.fixture
def without_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _of_a_function() -> wk.Working:
    return wk.show(lambda x: (x * 2.0).sum(), np.arange(3.0))


def _of_a_model() -> wk.Working:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4))
    with wk.record(model) as working:
        model(torch.ones(2, 3)).sum().backward()
    return working


@pytest.mark.usefixtures("without_collection")
@pytest.mark.parametrize("recorded", [_of_a_function, _of_a_model])
def test_it_goes_with_its_last_holder(recorded: Callable[[], wk.Working]) -> None:
    working = recorded()
    known = weakref.ref(working)
    del working
    assert known() is None


def test_what_runs_later_adds_nothing() -> None:
    def makes(n: float) -> tuple[Any, Any]:
        scale = n * 2.0

        def moved(x: Any) -> Any:
            parts = [x + scale]
            for _ in range(2):
                parts.append(parts[-1] * scale)
            return np.concatenate(parts) if isinstance(x, np.ndarray) else parts

        return moved, (i * scale for i in range(4))

    working = wk.show(makes, 3.0)
    before = len(working.steps), len(working.groups), len(working.bindings), len(working.lost)
    moved, multiples = working.result
    assert list(multiples) == [0.0, 6.0, 12.0, 18.0]
    assert moved(1.0) == [7.0, 42.0, 252.0]
    assert moved(np.array([1.0, 2.0])).tolist() == [7.0, 8.0, 42.0, 48.0, 252.0, 288.0]
    assert (len(working.steps), len(working.groups), len(working.bindings), len(working.lost)) == before
