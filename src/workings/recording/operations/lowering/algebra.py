"""Linear algebra, distances, sums at given places and evenly spaced numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.operations.bound import Bound
from workings.recording.operations.lowered import algebra as lowered
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
        factor = bound.named_operand("alpha")
        if factor is not None and factor.array != 1:
            return Plan(lowered.multiples_added_at, operands | {"factor": factor}, {"where": key}, {}, index or ())
    else:
        grid = list(np.indices(where.shape))
        grid[axis] = where.array
        key = tuple(grid)
        if values.shape != where.shape:  # only the first of the values are wanted
            constants = {"where": key, "first": tuple(slice(0, n) for n in where.shape)}
            return Plan(lowered.first_added_at, operands, constants, {}, index or ())
    return Plan(lowered.added_at, operands, {"where": key}, {}, index or ())


@lowers("kron")
def _kronecker(bound: Bound, index: Index | None) -> Plan:
    a, b = bound.operand(0), bound.operand(1)
    if len(a.shape) != len(b.shape) or len(a.shape) > len(_FIRST):
        raise ValueError("a Kronecker product of arrays of different rank is not spelt out")
    first, second = _FIRST[: len(a.shape)], _SECOND[: len(b.shape)]
    spec = f"{first},{second}->{''.join(x + y for x, y in zip(first, second, strict=True))}"
    shape = tuple(m * n for m, n in zip(a.shape, b.shape, strict=True))
    return Plan(lowered.kronecker, {"a": a, "b": b}, {"spec": spec, "shape": shape}, {}, index or ())


_FIRST, _SECOND = "abcd", "efgh"


@lowers("cross", "linalg_cross")
def _cross(bound: Bound, index: Index | None) -> Plan:
    axis = bound.get("axis")
    first, second, last = (int(bound.get(n, -1) if axis is None else axis) for n in ("axisa", "axisb", "axisc"))
    operands = {"a": bound.operand(0), "b": bound.operand(1)}
    if operands["a"].shape[first] == operands["b"].shape[second] == 2:
        return Plan(lowered.cross_product_in_the_plane, operands, {"first": first, "second": second}, {}, index or ())
    return Plan(lowered.cross_product, operands, {"first": first, "second": second, "last": last}, {}, index or ())


@lowers("polyval")
def _polynomial(bound: Bound, index: Index | None) -> Plan:
    return Plan(lowered.polynomial, {"p": bound.operand(0), "x": bound.operand(1)}, {}, {}, index or ())


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
