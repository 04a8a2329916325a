"""Composite operations: which function made of simpler operations each of them means, and on which part of its inputs.

Opening one number of a composite needs only the row it stands in: ``rows`` says which axes of the inputs run alongside
the result, so that a softmax over a million rows is opened for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workings import equations
from workings.recording.operations import lowered
from workings.recording.operations.bound import Bound, Operand

Index = tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """A composite spelt out: a function, its operands by name, constants, and where the wanted number is in its result."""

    function: Callable[..., Any]
    operands: dict[str, Operand]
    constants: dict[str, Any] = field(default_factory=dict)
    slices: dict[str, tuple[slice, ...]] = field(default_factory=dict)
    index: Index = ()
    part: int | None = None  # which part of a tuple result


Maker = Callable[[Bound, Index | None], Plan]
LOWERINGS: dict[str, Maker] = {}


def lowers(*names: str) -> Callable[[Maker], Maker]:
    def mark(maker: Maker) -> Maker:
        for name in names:
            LOWERINGS[name] = maker
        return maker

    return mark


def plan(bound: Bound, index: Index | None) -> Plan:
    """How to open a composite step: whole, or only what one element of its value needs."""
    return LOWERINGS[bound.step.operation](bound, index)


def _one(i: int) -> slice:
    return slice(i, i + 1)


def _row(shape: Sequence[int], axes: Sequence[int], index: Index | None) -> tuple[tuple[slice, ...], Index]:
    """The row along ``axes`` that an element of a same-shaped result stands in, and its place there."""
    if index is None:
        return (), ()
    key = tuple(slice(None) if a in axes else _one(i) for a, i in enumerate(index))
    return key, tuple(i if a in axes else 0 for a, i in enumerate(index))


def _reduced(bound: Bound, operand: Operand, index: Index | None) -> tuple[tuple[int, ...], int, tuple[slice, ...], Index]:
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
            key.append(_one(next(places)))
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
LOWERINGS["nanmean"] = LOWERINGS["mean"]
LOWERINGS["var"] = _reduction(lowered.variance, count=_count, fewer=_fewer)
LOWERINGS["std"] = _reduction(lowered.standard_deviation, count=_count, fewer=_fewer)
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


@lowers("softmax")
def _softmax(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axes = bound.axes(len(x.shape))
    key, place = _row(x.shape, axes, index)
    return Plan(equations.softmax, {"scores": x}, {"axis": axes[0] if axes else -1}, {"scores": key}, place)


@lowers("log_softmax")
def _log_softmax(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axes = bound.axes(len(x.shape))
    key, place = _row(x.shape, axes, index)
    return Plan(lowered.log_softmax, {"x": x}, {"axis": axes[0] if axes else -1}, {"x": key}, place)


@lowers("layer_norm", "native_layer_norm")
def _layer_norm(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    gain, bias = bound.named_operand("gain"), bound.named_operand("bias")
    epsilon = float(bound.get("epsilon", 1e-5))
    rank = len(x.shape)
    wide = len(gain.shape) if gain is not None else len(bound.get("normalized_shape", [1]))
    axes = tuple(range(rank - wide, rank))
    key, place = _row(x.shape, axes, index)
    if gain is None or bias is None or wide > 1:
        count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
        return Plan(lowered.centred_and_scaled, {"x": x}, {"axis": axes, "count": count, "epsilon": epsilon}, {"x": key}, place)
    return Plan(equations.layer_norm, {"x": x, "gain": gain, "bias": bias}, {"epsilon": epsilon}, {"x": key}, place)


@lowers("rms_norm", "_fused_rms_norm")
def _rms_norm(bound: Bound, index: Index | None) -> Plan:
    x, gain = bound.operand(0), bound.named_operand("gain")
    key, place = _row(x.shape, (len(x.shape) - 1,), index)
    gain = gain if gain is not None else Operand(bound.working, None, np.ones(x.shape[-1]))
    return Plan(equations.rms_norm, {"x": x, "gain": gain}, {"epsilon": float(bound.get("epsilon", 1e-6))}, {"x": key}, place)


@lowers("addmm", "addmv", "baddbmm")
def _affine(bound: Bound, index: Index | None) -> Plan:
    bias, x, weight = bound.operand(0), bound.operand(1), bound.operand(2)
    if index is None or len(x.shape) != 2 or len(weight.shape) != 2:
        return Plan(lowered.affine, {"bias": bias, "x": x, "weight": weight}, {}, {}, index or ())
    row, column = index
    bias_key = tuple(slice(None) if n == 1 else _one(i) for n, i in zip(bias.shape, index[2 - len(bias.shape) :], strict=True))
    slices = {"bias": bias_key, "x": (_one(row), slice(None)), "weight": (slice(None), _one(column))}
    return Plan(lowered.affine, {"bias": bias, "x": x, "weight": weight}, {}, slices, (0, 0))


@lowers("linear")
def _linear(bound: Bound, index: Index | None) -> Plan:
    x, weight, bias = bound.operand(0), bound.operand(1), bound.named_operand("bias")
    operands = {"x": x, "weight": weight}
    slices: dict[str, tuple[slice, ...]] = {}
    place: Index = index or ()
    if index is not None:
        slices = {"x": (*map(_one, index[:-1]), slice(None)), "weight": (_one(index[-1]), slice(None))}
        place = (0,) * len(index)
    if bias is None:
        return Plan(lowered.linear, operands, {}, slices, place)
    if index is not None:
        slices["bias"] = (_one(index[-1]),)
    return Plan(lowered.linear_with_bias, {**operands, "bias": bias}, {}, slices, place)


@lowers("scaled_dot_product_attention")
def _attention(bound: Bound, index: Index | None) -> Plan:
    queries, keys, values = (bound.operand(i) for i in range(3))
    mask = bound.named_operand("mask") if bound.get("mask") is not None else None
    scale = bound.get("scale")
    shape = queries.shape
    groups = shape[-3] // keys.shape[-3] if len(shape) > 2 and len(keys.shape) > 2 and keys.shape[-3] else 1
    slices: dict[str, tuple[slice, ...]] = {}
    place: Index = index or ()
    rows = slice(0, shape[-2])
    if index is not None:
        lead = index[:-2]
        shared = (*lead[:-1], lead[-1] // groups) if lead else ()
        rows = _one(index[-2])
        slices = {
            "queries": (*map(_one, lead), rows, slice(None)),
            "keys": (*map(_one, shared), slice(None), slice(None)),
            "values": (*map(_one, shared), slice(None), slice(None)),
        }
        place = (0,) * (len(index) - 1) + (index[-1],)
    operands = {"queries": queries, "keys": keys, "values": values}
    hidden = _hidden(bound, shape[-2], keys.shape[-2], rows)
    if mask is not None:
        given = mask.array
        if given.dtype == bool:
            given = np.where(given, 0.0, -np.inf).astype(queries.array.dtype)
        if index is not None:
            full = np.broadcast_to(given, (*shape[:-2], shape[-2], keys.shape[-2]))
            given = full[(*map(_one, index[:-2]), rows, slice(None))]
        hidden = given if hidden is None else hidden + given
    constants: dict[str, Any] = {} if scale is None else {"scale": float(scale)}
    if hidden is not None:
        operands["mask"] = Operand(bound.working, None, hidden)
    return Plan(equations.attention, operands, constants, slices, place, part=0)


def _hidden(bound: Bound, queries: int, keys: int, rows: slice) -> Any:
    if not bound.get("causal", bound.get("is_causal", False)):
        return None
    later = np.arange(keys)[None, :] > np.arange(queries)[:, None]
    return np.where(later, -np.inf, 0.0)[rows]


@lowers("nll_loss", "nll_loss_forward")
def _likelihood(bound: Bound, index: Index | None) -> Plan:
    operands = {"log_probabilities": bound.operand(0), "targets": bound.operand(1)}
    constants = {"ignored": int(bound.get("ignore_index", -100)), "reduction": int(bound.get("reduction", 1))}
    return Plan(lowered.negative_log_likelihood, operands, constants, {}, index or ())


@lowers("diff")
def _differences(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axis = int(bound.get("axis", -1)) % len(x.shape)
    return Plan(lowered.differences, {"x": x}, {"axis": axis}, {}, index or ())


@lowers("_softmax_backward_data", "_log_softmax_backward_data")
def _softmax_slope(bound: Bound, index: Index | None) -> Plan:
    gradient, output = bound.operand(0), bound.operand(1)
    axes = bound.axes(len(output.shape))
    key, place = _row(output.shape, axes, index)
    function = lowered.log_softmax_slope if "log" in bound.step.operation else lowered.softmax_slope
    return Plan(function, {"gradient": gradient, "output": output}, {"axis": axes[0]}, {"gradient": key, "output": key}, place)


@lowers("nll_loss_backward")
def _likelihood_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {"gradient": bound.operand(0), "log_probabilities": bound.operand(1), "targets": bound.operand(2)}
    constants = {"ignored": int(bound.get("ignore_index", -100)), "reduction": int(bound.get("reduction", 1))}
    return Plan(lowered.likelihood_slope, operands, constants, {}, index or ())


@lowers("embedding_dense_backward")
def _embedding_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {"gradient": bound.operand(0), "ids": bound.operand(1)}
    constants = {"count": int(bound.get("count", 0)), "padding": int(bound.get("padding", -1))}
    return Plan(lowered.embedding_slope, operands, constants, {}, index or ())


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


def result_labels(working: Any, step: Any, inputs: Sequence[Any]) -> Any:
    """Labels of what a composite gives: axes of the same size as the first input's, from the front, keep theirs."""
    bound = Bound(working, step)
    shape = step.shape
    blank = (None,) * len(shape)
    if step.operation in ("mean", "var", "std", "norm", "vector_norm", "ptp", "average", "logsumexp", "linalg_vector_norm"):
        from workings.recording.operations import reduction

        return reduction.labels(bound, list(inputs))
    if step.operation in ("addmm", "linear"):
        first = bound.operand(1 if step.operation == "addmm" else 0)
        return (*first.labels[:-1], None) if len(first.shape) == len(shape) else blank
    if step.operation == "scaled_dot_product_attention":
        return (*bound.operand(0).labels[:-1], bound.operand(2).labels[-1])
    for ref, labels in zip(step.inputs, inputs, strict=True):
        if working.steps[ref.step].shape[len(ref.index) :] == shape:
            return labels
    return blank
