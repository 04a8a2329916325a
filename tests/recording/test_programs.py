"""Every program of ``tests/programs``: recorded on one input, replayed on another, compared with the plain program.

A program is *whole* when nothing in it was lost and its replay needed no second run of the source.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.recording.programs import FOLDER, PROGRAMS, load_program

from workings.reading.replay import Replay
from workings.recording.running import record_function
from workings.recording.working import Ref, Working

# PyTorch itself gives other last bits when any dispatch mode is on: the derivative of a derivative of prod().
OTHER_BITS = {"torch_autograd_grad"}


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def as_array(value: Any) -> np.ndarray[Any, Any]:
    if hasattr(value, "detach"):
        return value.detach().cpu().numpy()  # type: ignore[no-any-return]
    return np.array(str(value)) if isinstance(value, (str, type(None))) else np.asarray(value)


def differing(found: Any, expected: Any, *, ulp: int = 0) -> list[int]:
    """Which leaves of two results differ, by place; sizes must agree."""
    pairs = list(zip(leaves(found), leaves(expected), strict=True))
    return [place for place, (a, b) in enumerate(pairs) if not _same(as_array(a), as_array(b), ulp)]


def _same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], ulp: int) -> bool:
    if a.shape != b.shape:
        return False
    if ulp:
        return bool((np.abs(a - b) <= ulp * np.spacing(np.maximum(np.abs(a), np.abs(b)))).all())
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def changes(parts: Any, new: Any) -> Iterator[tuple[Ref, Any]]:
    """Each input of a recording with its value on the other input."""
    if isinstance(parts, Ref):
        yield parts, new
    elif isinstance(parts, dict):
        for key, part in parts.items():
            yield from changes(part, new[key])
    elif isinstance(parts, (list, tuple)):
        for part, value in zip(parts, new, strict=True):
            yield from changes(part, value)


def replayed(working: Working, module: ModuleType) -> Replay:
    return working.replay(dict(changes(working.argument_parts, copy.deepcopy(module.SECOND))))


def is_stale(parts: Any, replay: Replay) -> Iterator[bool]:
    """For each leaf of a result, whether the replay says that it may not be what the source would give."""
    if isinstance(parts, dict):
        parts = list(parts.values())
    if isinstance(parts, (list, tuple)):
        for part in parts:
            yield from is_stale(part, replay)
    else:
        yield isinstance(parts, Ref) and parts.step in replay.frozen


@pytest.mark.parametrize("name", PROGRAMS)
def test_recorded_run_is_bit_for_bit_the_plain_run(name: str) -> None:
    module = load_program(name)
    plain = module.program(**copy.deepcopy(module.FIRST))
    working = record_function(module.program, [], copy.deepcopy(module.FIRST))
    assert differing(working.result, plain, ulp=1 if name in OTHER_BITS else 0) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_replay_gives_what_the_program_gives_on_the_other_input(name: str) -> None:
    module = load_program(name)
    plain = module.program(**copy.deepcopy(module.SECOND))
    working = record_function(module.program, [], copy.deepcopy(module.FIRST))
    replay = replayed(working, module)
    wrong = differing(replay.result, plain, ulp=1 if name in OTHER_BITS else 0)
    if getattr(module, "OPAQUE", False):
        stale = list(is_stale(working.result_parts, replay))
        assert replay.rerun is not None or all(stale[place] for place in wrong)
    else:
        assert wrong == []
        assert working.lost == []
        assert replay.frozen == {}
    if not getattr(module, "BRANCHES", False) and not getattr(module, "OPAQUE", False):
        assert replay.stopped is None


def test_enough_programs_are_whole() -> None:
    marked = [name for name in PROGRAMS if "OPAQUE = True" in (FOLDER / f"{name}.py").read_text(encoding="utf-8")]
    branching = [name for name in PROGRAMS if "BRANCHES = True" in (FOLDER / f"{name}.py").read_text(encoding="utf-8")]
    assert len(PROGRAMS) >= 60
    assert len(PROGRAMS) - len({*marked, *branching}) >= 50
