"""Means, variances, norms and the like: one number from many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowered import reductions as lowered
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


def _counted(plain: Maker, function: Callable[..., Any], **extra: Callable[[Bound, int], Any]) -> Maker:
    """A reduction of NumPy that may be told which numbers count (``where=``)."""

    def make(bound: Bound, index: Index | None) -> Plan:
        where = bound.named_operand("where")
        if where is None:
            return plain(bound, index)
        operands = {"x": bound.operand(0), "where": where}
        constants = {"axis": bound.axes(len(operands["x"].shape)), "keepdims": bound.keepdims}
        return Plan(function, operands, constants | {k: f(bound, 0) for k, f in extra.items()}, {}, index or ())

    return make


def _about(plain: Maker, function: Callable[..., Any]) -> Maker:
    """A variance of NumPy that may be given the mean (``mean=``)."""

    def make(bound: Bound, index: Index | None) -> Plan:
        mean = bound.named_operand("mean")
        if mean is None or bound.named.get("where") is not None:
            return plain(bound, index)
        x = bound.operand(0)
        axes, count, _, _ = _reduced(bound, x, None)
        constants = {"axis": axes, "keepdims": bound.keepdims, "count": count, "fewer": _fewer(bound, count)}
        return Plan(function, {"x": x, "mean": mean}, constants, {}, index or ())

    return make


LOWERINGS["mean"] = _counted(_reduction(lowered.mean, count=_count), lowered.mean_where)
LOWERINGS["nanmean"] = _reduction(lowered.mean_of_numbers)
_VARIANCE = _about(_reduction(lowered.variance, count=_count, fewer=_fewer), lowered.variance_about)
_DEVIATION = _about(_reduction(lowered.standard_deviation, count=_count, fewer=_fewer), lowered.deviation_about)
LOWERINGS["var"] = _counted(_VARIANCE, lowered.variance_where, fewer=_fewer)
LOWERINGS["std"] = _counted(_DEVIATION, lowered.deviation_where, fewer=_fewer)
LOWERINGS["var_mean"] = lambda bound, index: LOWERINGS["mean" if bound.step.output else "var"](bound, index)
LOWERINGS["std_mean"] = lambda bound, index: LOWERINGS["mean" if bound.step.output else "std"](bound, index)
LOWERINGS["ptp"] = _reduction(lowered.spread)
LOWERINGS["logsumexp"] = _reduction(lowered.log_sum_exp)


@lowers("norm", "vector_norm", "linalg_vector_norm")
def _norm(bound: Bound, index: Index | None) -> Plan:
    order = bound.get("ord", 2)
    matrix = bound.operation == "norm" and bound.step.function == "numpy.linalg.norm"
    if matrix and "ord" in bound.named and len(bound.axes(len(bound.operand(0).shape))) == 2 and order != "fro":
        raise ValueError("norms of matrices other than Frobenius's are no sums over their numbers")
    known = {1: lowered.absolute_norm, 2: lowered.euclidean_norm, "fro": lowered.euclidean_norm}
    known |= {float("inf"): lowered.largest_size, float("-inf"): lowered.smallest_size}
    if order in known:
        return _reduction(known[order])(bound, index)
    return _reduction(lowered.norm_of_order, order=lambda bound, count: float(order))(bound, index)


@lowers("average")
def _average(bound: Bound, index: Index | None) -> Plan:
    weights = bound.named_operand("weights")
    if weights is None:
        return LOWERINGS["mean"](bound, index)
    x = bound.operand(0)
    axes = bound.axes(len(x.shape))
    shape = weights.shape
    if len(shape) < len(x.shape):
        shape = tuple(x.shape[a] if a in axes else 1 for a in range(len(x.shape)))
    return Plan(lowered.weighted_mean, {"x": x, "weights": weights}, {"axis": axes, "shape": shape}, {}, index or ())


_BETWEEN: dict[str, Callable[[Any], Any]] = {
    "linear": lambda place: place,
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.round,
    "midpoint": lambda place: (np.floor(place) + np.ceil(place)) / 2,
}


@lowers("quantile", "percentile")
def _quantiles(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    share = np.asarray(bound.get("q"), dtype=float) / (100 if bound.operation == "percentile" else 1)
    return _between(bound, x, share, str(bound.get("method", bound.get("interpolation", "linear"))), index)


def _between(bound: Bound, x: Operand, share: np.ndarray[Any, Any], way: str, index: Index | None) -> Plan:
    axes = bound.axes(len(x.shape))
    flat = len(axes) == len(x.shape)
    if (len(axes) != 1 and not flat) or (flat and bound.keepdims):
        raise ValueError("a quantile over some of several axes is not spelt out")
    axis = 0 if flat else axes[0]
    last = int(np.prod([x.shape[a] for a in axes])) - 1
    place = _BETWEEN[way](share.reshape(-1) * last)
    below = np.floor(place)
    rest = tuple(1 if a in axes else n for a, n in enumerate(x.shape) if a not in axes or bound.keepdims)
    constants = {
        "below": below.astype(int), "above": np.ceil(place).astype(int), "part": place - below, "axis": axis,
        "flat": flat, "shape": share.shape + rest,
    }  # fmt: skip
    return Plan(lowered.quantiles, {"x": x}, constants, {}, index or ())


@lowers("median")
def _median(bound: Bound, index: Index | None) -> Plan:
    """NumPy's lies between the two in the middle of an even number; PyTorch's is the lower of them."""
    x = bound.operand(0)
    torch = bound.step.function.startswith("aten.")
    return _between(bound, x, np.asarray(0.5), "lower" if torch else "linear", index)


@lowers("logcumsumexp")
def _running_log_sum_exp(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    return Plan(lowered.running_log_sum_exp, {"x": x}, {"axis": bound.axes(len(x.shape))[0]}, {}, index or ())


@lowers("diff")
def _differences(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axis = int(bound.get("axis", -1)) % len(x.shape)
    one_more = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    operands = {"x": x}
    constants: dict[str, Any] = {"axis": axis, "times": int(bound.get("n", 1))}
    for name, shape in (("prepend", "before"), ("append", "after")):
        end = bound.named_operand(name)
        if end is not None:
            operands[name], constants[shape] = end, end.shape or one_more
    return Plan(lowered.differences, operands, constants, {}, index or ())
