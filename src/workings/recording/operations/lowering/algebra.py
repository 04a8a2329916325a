"""Linear algebra, distances, sums at given places and evenly spaced numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.operations import lowered
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowering.plans import Index, Maker, Plan, entering

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)


@lowers("_cdist_forward")
def _distances(bound: Bound, index: Index | None) -> Plan:
    return Plan(lowered.distances, {"a": bound.operand(0), "b": bound.operand(1)}, {}, {}, index or ())


@lowers("index_add", "scatter_add")
def _added_rows(bound: Bound, index: Index | None) -> Plan:
    base, where, values = bound.operand(0), bound.operand(2), bound.operand(3)
    axis = int(bound.get("axis", 0)) % len(base.shape)
    operands = {"base": base, "values": values}
    if bound.operation == "index_add":
        key: Any = (*(slice(None),) * axis, where.array)
    else:
        grid = list(np.indices(where.shape))
        grid[axis] = where.array
        key = tuple(grid)
        cut = tuple(slice(0, n) for n in where.shape)
        operands["values"] = Operand(bound.working, None, values.array[cut]) if values.shape != where.shape else values
    return Plan(lowered.added_at, operands, {"where": key}, {}, index or ())


@lowers("linspace")
def _evenly_spaced(bound: Bound, index: Index | None) -> Plan:
    operands = {"start": bound.operand(0), "stop": bound.operand(1)}
    return Plan(lowered.evenly_spaced, operands, {"count": int(bound.get("num", 50))}, {}, index or ())


def _square(function: Callable[..., Any], *names: str) -> Maker:
    """Linear algebra on one square matrix; stacks of matrices are not spelt out."""

    def make(bound: Bound, index: Index | None) -> Plan:
        operands = {name: bound.operand(i) for i, name in enumerate(names)}
        return Plan(function, operands, {}, {}, index or ())

    return make


LOWERINGS["linalg_solve"] = _square(lowered.solution, "a", "b")
LOWERINGS["linalg_inv"] = _square(lowered.inverse, "a")
LOWERINGS["linalg_det"] = _square(lowered.determinant, "a")
LOWERINGS["dist"] = _square(lowered.distance, "a", "b")
