"""Means, variances, norms and the like: one number from many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.operations import lowered
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowering.plans import Index, Maker, Plan, entering, one

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)


def _reduced(
    bound: Bound, operand: Operand, index: Index | None
) -> tuple[tuple[int, ...], int, tuple[slice, ...], Index]:
    """Axes of a reduction, how many numbers it takes, the part of the input one result needs, and its place."""
    rank = len(operand.shape)
    axes = bound.axes(rank)
    count = int(np.prod([operand.shape[a] for a in axes], dtype=np.int64))
    if index is None:
        return axes, count, (), ()
    places = iter(index)
    key: list[slice] = []
    for axis in range(rank):
        if axis in axes:
            key.append(slice(None))
            if bound.keepdims:
                next(places)
        else:
            key.append(one(next(places)))
    return axes, count, tuple(key), (0,) * len(index)


def _reduction(function: Callable[..., Any], **extra: Callable[[Bound, int], Any]) -> Maker:
    def make(bound: Bound, index: Index | None) -> Plan:
        x = bound.operand(0)
        axes, count, key, place = _reduced(bound, x, index)
        constants = {"axis": axes, "keepdims": bound.keepdims, **{k: f(bound, count) for k, f in extra.items()}}
        return Plan(function, {"x": x}, constants, {"x": key}, place)

    return make


def _fewer(bound: Bound, count: int) -> int:
    default = 1 if bound.step.function.startswith("aten.") else 0
    value = bound.get("ddof", default)
    return int(value)


def _count(bound: Bound, count: int) -> int:
    return count


LOWERINGS["mean"] = _reduction(lowered.mean, count=_count)
LOWERINGS["nanmean"] = _reduction(lowered.mean_of_numbers)
LOWERINGS["var"] = _reduction(lowered.variance, count=_count, fewer=_fewer)
LOWERINGS["std"] = _reduction(lowered.standard_deviation, count=_count, fewer=_fewer)
LOWERINGS["var_mean"] = lambda bound, index: LOWERINGS["mean" if bound.step.output else "var"](bound, index)
LOWERINGS["ptp"] = _reduction(lowered.spread)
LOWERINGS["logsumexp"] = _reduction(lowered.log_sum_exp)


@lowers("norm", "vector_norm", "linalg_vector_norm")
def _norm(bound: Bound, index: Index | None) -> Plan:
    order = bound.get("ord", 2)
    function = lowered.absolute_norm if order == 1 else lowered.euclidean_norm
    return _reduction(function)(bound, index)


@lowers("average")
def _average(bound: Bound, index: Index | None) -> Plan:
    weights = bound.named_operand("weights")
    if weights is None:
        return LOWERINGS["mean"](bound, index)
    x = bound.operand(0)
    axes = bound.axes(len(x.shape))
    if len(weights.shape) < len(x.shape):
        shape = [x.shape[a] if a in axes else 1 for a in range(len(x.shape))]
        weights = Operand(bound.working, None, weights.array.reshape(shape))
    return Plan(lowered.weighted_mean, {"x": x, "weights": weights}, {"axis": axes}, {}, index or ())


@lowers("diff")
def _differences(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axis = int(bound.get("axis", -1)) % len(x.shape)
    return Plan(lowered.differences, {"x": x}, {"axis": axis}, {}, index or ())
