"""The recorded steps run by the page: every shipped example and all of ``tests/programs``, on other numbers."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from tests.recording.programs import PROGRAMS, load_program
from tests.recording.test_programs import changes, leaves, replayed
from tests.views.live.running import changed, far, flat, inputs, run, stops

import workings as wk
from workings.examples import names
from workings.recording.running import record_function
from workings.recording.working import Ref, Working
from workings.views.live.program import Program


def numeric(working: Working) -> list[tuple[str, Ref]]:
    found = []
    for path, ref in working.index.named():
        step = working.steps[ref.step]
        if "complex" not in step.dtype and any(kind in step.dtype for kind in ("float", "int", "bool")):
            found.append((path, ref))
    return found


@pytest.mark.parametrize("name", names())
def test_an_example_gives_pythons_numbers_as_recorded_and_on_random_inputs(kernels: Any, name: str) -> None:
    working = wk.example(name).run()
    program = Program(working)
    named = numeric(working)
    assert len(named) > 10
    for (path, ref), (found, stale) in zip(named, run(kernels, program, [], [r for _, r in named]), strict=True):
        assert far(found, flat(working.value(ref)), 1e-3) < 1e-12, path
        assert not stale, path
    generator = np.random.Generator(np.random.PCG64(11))
    for path, ref in inputs(working):
        new = np.asarray(working.value(ref)) + generator.normal(size=np.shape(working.value(ref))) * 0.3
        replay = working.replay({ref: new})
        wanted = [r for _, r in named]
        for (other, own), (found, stale) in zip(
            named, run(kernels, program, changed(program, ref, new), wanted), strict=True
        ):
            if stale or replay.rerun is not None:
                assert stale == (replay.rerun is not None) or own.step in replay.frozen, (path, other)
                continue
            assert far(found, flat(replay.value(own)), 1e-3) < 1e-12, (path, other)


TOLERANCE = {"float64": 1e-10, "float32": 2e-4, "float16": 5e-2, "bfloat16": 5e-2}


def tolerance(working: Working) -> float:
    """By the least exact numbers in it."""
    kinds = {step.dtype.removeprefix("torch.") for step in working.steps}
    return max(value for kind, value in TOLERANCE.items() if kind in kinds or kind == "float64")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_the_plain_program_gives_on_the_other_input_or_says_that_it_is_stale(
    kernels: Any, name: str
) -> None:
    module = load_program(name)
    working = record_function(module.program, [], copy.deepcopy(module.FIRST))
    program = Program(working)
    assert json.loads(json.dumps(program.data(), allow_nan=False))["nodes"]
    new = [
        each
        for ref, value in changes(working.argument_parts, copy.deepcopy(module.SECOND))
        if not isinstance(value, str)
        for each in changed(program, ref, value)
    ]
    stopped = stops(kernels, program, new)
    if stopped:
        assert stopped == "may" or replayed(working, module).rerun is not None
        return
    results = [
        (part, value)
        for part, value in zip(
            leaves(working.result_parts), leaves(module.program(**copy.deepcopy(module.SECOND))), strict=True
        )
        if isinstance(part, Ref)
    ]
    kept = [
        (part, value)
        for part, value in results
        if "complex" not in working.steps[part.step].dtype and not isinstance(value, (str, type(None), bytes))
    ]
    for (part, value), (found, stale) in zip(kept, run(kernels, program, new, [part for part, _ in kept]), strict=True):
        if stale:
            continue
        assert far(found, flat(value), 1e-2) < tolerance(working), working.path(part.step)
