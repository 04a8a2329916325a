"""Programs run by the page's kernels, compared with Python's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.recording.operations.bound import as_array
from workings.recording.working import Ref, Working
from workings.views.live.program import Program

RUN = """([program, changes, wanted]) => {
  const machine = new W.Machine(program), held = new Map();
  for (const [node, place, value] of changes) {
    if (!held.has(node)) held.set(node, new Map());
    held.get(node).set(place, Number(value));
  }
  machine.change(held);
  const text = (value) => (Number.isFinite(value) ? value : String(value));
  const found = wanted.map(([node, start, shape]) => {
    const count = shape.reduce((a, b) => a * b, 1);
    return [Array.from(machine.values[node].slice(start, start + count), text), machine.stale[node] !== ""];
  });
  const guard = machine.stopped;
  return [found, guard === null ? "" : machine.stale[guard.at[0]] ? "may" : "does"];
}"""


def flat(value: Any) -> np.ndarray[Any, Any]:
    """The numbers of a value, in order, as float64."""
    return as_array(value).astype(float).reshape(-1)


def changed(program: Program, ref: Ref, value: Any) -> list[list[Any]]:
    """A change of a whole value, as the page takes it."""
    node, start, _ = program.view(ref)
    return [
        [node, start + place, number if np.isfinite(number) else _name(number)]
        for place, number in enumerate(flat(value))
    ]


def _name(number: float) -> str:
    return "NaN" if np.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def stops(page: Any, program: Program, changes: list[list[Any]]) -> str:
    """Whether the page says that the program "does" or "may" go another way after changes; empty where it does not."""
    return str(page.evaluate(RUN, [program.data(), changes, []])[1])


def run(
    page: Any, program: Program, changes: list[list[Any]], refs: list[Ref]
) -> list[tuple[np.ndarray[Any, Any], bool]]:
    """The values that the page gives for refs after changes, and whether it says that they may be stale."""
    found, _ = page.evaluate(RUN, [program.data(), changes, [program.view(ref) for ref in refs]])
    return [(np.array([float(number) for number in numbers]), stale) for numbers, stale in found]


def far(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], scale: float = 0.0) -> float:
    """How far numbers are apart, relative to their size (or to `scale`, where that is larger)."""
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.abs(found - expected) / np.maximum(np.abs(expected), max(scale, 1e-300))
    return float(np.max(np.where(same, 0.0, gaps), initial=0.0))


def inputs(working: Working) -> list[tuple[str, Ref]]:
    """The given numbers of a Working that have a name."""
    named = {ref: path for path, ref in working.index.named()}
    return [
        (named[Ref(step.number)], Ref(step.number))
        for step in working.steps
        if step.operation == "given" and step.dtype.endswith("float64") and Ref(step.number) in named
    ]
