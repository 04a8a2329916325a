"""Composite operations: which function made of simpler operations each of them means, and on which part of its inputs.

Opening one number of a composite needs only the row it stands in: ``rows`` says which axes of the inputs run alongside
the result, so that a softmax over a million rows is opened for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from workings import equations
from workings.frozen import frozen
from workings.recording.operations import lowered
from workings.recording.operations.bound import Bound, Operand

Index = tuple[int, ...]


_NONE: Mapping[str, Any] = MappingProxyType({})


@frozen
class Plan:
    """A composite spelt out: a function, its operands by name, constants, and where in its result the number is."""

    function: Callable[..., Any]
    operands: dict[str, Operand]
    constants: Mapping[str, Any] = _NONE
    slices: Mapping[str, tuple[slice, ...]] = _NONE
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
    return LOWERINGS[bound.operation](bound, index)


def _one(i: int) -> slice:
    return slice(i, i + 1)


def _row(shape: Sequence[int], axes: Sequence[int], index: Index | None) -> tuple[tuple[slice, ...], Index]:
    """The row along ``axes`` that an element of a same-shaped result stands in, and its place there."""
    if index is None:
        return (), ()
    key = tuple(slice(None) if a in axes else _one(i) for a, i in enumerate(index))
    return key, tuple(i if a in axes else 0 for a, i in enumerate(index))


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


@lowers("softmax", "_safe_softmax")
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
    if bound.step.output:
        count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
        if bound.step.output == 1:
            return Plan(lowered.mean, {"x": x}, {"axis": axes, "keepdims": True, "count": count}, {"x": key}, place)
        settings = {"axis": axes, "count": count, "epsilon": epsilon}
        return Plan(lowered.inverse_deviation, {"x": x}, settings, {"x": key}, place)
    if gain is None or bias is None or wide > 1:
        count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
        return Plan(
            lowered.centred_and_scaled, {"x": x}, {"axis": axes, "count": count, "epsilon": epsilon}, {"x": key}, place
        )
    return Plan(equations.layer_norm, {"x": x, "gain": gain, "bias": bias}, {"epsilon": epsilon}, {"x": key}, place)


@lowers("rms_norm", "_fused_rms_norm")
def _rms_norm(bound: Bound, index: Index | None) -> Plan:
    x, gain = bound.operand(0), bound.named_operand("gain")
    key, place = _row(x.shape, (len(x.shape) - 1,), index)
    gain = gain if gain is not None else Operand(bound.working, None, np.ones(x.shape[-1]))
    return Plan(
        equations.rms_norm, {"x": x, "gain": gain}, {"epsilon": float(bound.get("epsilon", 1e-6))}, {"x": key}, place
    )


@lowers("addmm", "addmv", "baddbmm")
def _affine(bound: Bound, index: Index | None) -> Plan:
    bias, x, weight = bound.operand(0), bound.operand(1), bound.operand(2)
    beta, alpha = float(bound.get("beta", 1)), float(bound.get("alpha", 1))
    if (beta, alpha) != (1.0, 1.0):
        operands = {"bias": bias, "x": x, "weight": weight}
        return Plan(lowered.scaled_affine, operands, {"beta": beta, "alpha": alpha}, {}, index or ())
    if index is None or len(x.shape) != 2 or len(weight.shape) != 2:
        return Plan(lowered.affine, {"bias": bias, "x": x, "weight": weight}, {}, {}, index or ())
    row, column = index
    bias_key = tuple(
        slice(None) if n == 1 else _one(i) for n, i in zip(bias.shape, index[2 - len(bias.shape) :], strict=True)
    )
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
    if bound.step.output == 1:
        return Plan(
            lowered.kept_count,
            {"targets": operands["targets"]},
            {"ignored": int(bound.get("ignore_index", -100))},
            {},
            (),
        )
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
    function = lowered.log_softmax_slope if "log" in bound.operation else lowered.softmax_slope
    return Plan(
        function, {"gradient": gradient, "output": output}, {"axis": axes[0]}, {"gradient": key, "output": key}, place
    )


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


@lowers("mse_loss")
def _squared_error(bound: Bound, index: Index | None) -> Plan:
    operands = {"x": bound.operand(0), "target": bound.operand(1)}
    return Plan(lowered.squared_error, operands, {"reduction": int(bound.get("reduction", 1))}, {}, index or ())


@lowers("mse_loss_backward")
def _squared_error_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {name: bound.operand(i) for i, name in enumerate(("gradient", "x", "target"))}
    return Plan(lowered.squared_error_slope, operands, {"reduction": int(bound.get("reduction", 1))}, {}, index or ())


@lowers("batch_norm")
def _batch_norm(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    shape = (-1, *(1,) * (len(x.shape) - 2))
    epsilon = float(bound.get("epsilon", 1e-5))
    operands = {"x": x}
    for place, name in enumerate(("gain", "bias", "mean", "variance"), 1):
        given = bound.args[place]
        value = (
            bound.operand(place).array
            if given is not None
            else np.full(x.shape[1], float(name in ("gain", "variance")))
        )
        operands[name] = Operand(bound.working, None, value.reshape(shape))
    if bound.get("training", False):
        axes = tuple(a for a in range(len(x.shape)) if a != 1)
        operands["mean"] = Operand(bound.working, None, x.array.mean(axis=axes).reshape(shape))
        operands["variance"] = Operand(bound.working, None, x.array.var(axis=axes).reshape(shape))
    return Plan(lowered.batch_norm, operands, {"epsilon": epsilon}, {}, index or ())


@lowers("convolution")
def _convolution(bound: Bound, index: Index | None) -> Plan:
    x, weight = bound.operand(0), bound.operand(1)
    rank = len(x.shape) - 2
    stride, padding = bound.get("stride", [1]), bound.get("padding", [0])
    pairs = [(0, 0), (0, 0), *((int(p), int(p)) for p in _each(padding, rank))]
    axes = tuple(range(2, rank + 2))
    steps = (slice(None), slice(None), *(slice(None, None, int(s)) for s in _each(stride, rank)))
    outer, inner = "xyz"[:rank], "uvw"[:rank]
    constants = {
        "padding": pairs, "window": weight.shape[2:], "axes": axes, "steps": steps,
        "spec": f"bc{outer}{inner},oc{inner}->bo{outer}",
    }  # fmt: skip
    operands = {"x": x, "weight": weight}
    if bound.args[2] is None:
        return Plan(lowered.convolution, operands, constants, {}, index or ())
    bias = Operand(bound.working, None, bound.operand(2).array.reshape(-1, *(1,) * rank))
    return Plan(lowered.convolution_with_bias, {**operands, "bias": bias}, constants, {}, index or ())


def _each(values: Any, count: int) -> list[int]:
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    return listed * count if len(listed) == 1 else listed


@lowers("max_pool2d_with_indices")
def _largest_in_windows(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    first = len(x.shape) - 2
    window = tuple(_each(bound.get("window"), 2))
    stride = _each(bound.get("stride") or list(window), 2)
    steps = (*(slice(None),) * first, *(slice(None, None, int(s)) for s in stride))
    constants = {"window": window, "axes": (first, first + 1), "steps": steps, "inside": (-2, -1)}
    return Plan(lowered.largest_in_windows, {"x": x}, constants, {}, index or ())


@lowers("_cdist_forward")
def _distances(bound: Bound, index: Index | None) -> Plan:
    return Plan(lowered.distances, {"a": bound.operand(0), "b": bound.operand(1)}, {}, {}, index or ())


@lowers("_scaled_dot_product_flash_attention_for_cpu_backward")
def _attention_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {name: bound.operand(i) for i, name in enumerate(("gradient", "queries", "keys", "values"))}
    queries, keys = operands["queries"].shape, operands["keys"].shape
    hidden = _hidden(bound, queries[-2], keys[-2], slice(0, queries[-2]))
    if bound.get("mask") is not None:
        mask = bound.named_operand("mask")
        assert mask is not None
        hidden = mask.array if hidden is None else hidden + mask.array
    scale = bound.get("scale")
    constants = {
        "hidden": 0.0 if hidden is None else hidden,
        "scale": float(scale) if scale is not None else queries[-1] ** -0.5,
        "part": bound.step.output or 0,
    }  # fmt: skip
    return Plan(lowered.attention_slope, operands, constants, {}, index or ())


@lowers("native_layer_norm_backward")
def _layer_norm_slope(bound: Bound, index: Index | None) -> Plan:
    gradient, x = bound.operand(0), bound.operand(1)
    wide = len(bound.get("normalized_shape", [1]))
    axes = tuple(range(len(x.shape) - wide, len(x.shape)))
    over = tuple(range(len(x.shape) - wide))
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    spread = 1.0 / bound.operand(4).array.reshape(-1)[0] ** 2 - x.array.reshape(-1, count)[0].var()
    settings = {"axis": axes, "count": count, "epsilon": float(max(spread, 0.0))}
    if bound.step.output == 2:
        return Plan(lowered.layer_norm_bias_slope, {"gradient": gradient}, {"over": over}, {}, index or ())
    if bound.step.output == 1:
        return Plan(
            lowered.layer_norm_gain_slope, {"gradient": gradient, "x": x}, {**settings, "over": over}, {}, index or ()
        )
    gain = bound.named_operand("gain") or Operand(bound.working, None, np.ones(x.shape[-1]))
    return Plan(lowered.layer_norm_slope, {"gradient": gradient, "x": x, "gain": gain}, settings, {}, index or ())


def _fused_mask(bound: Bound, x: Operand) -> Any:
    """What the fused kernels hide: a key padding mask (one flag for each key) or a mask of queries by keys."""
    mask = bound.named_operand("mask") if bound.get("mask") is not None else None
    if mask is None:
        return 0.0
    flags = mask.array
    if flags.ndim == 2 and flags.shape[0] == x.shape[0] and int(bound.get("mask_type", 1)) == 1:
        flags = flags[:, None, None, :]
    return np.where(flags, -np.inf, 0.0) if flags.dtype == bool else flags


@lowers("multi_head_attention")
def _fused_self_attention(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    operands = {"x": x} | {n: bound.named_operand(n) for n in ("W_in", "b_in", "W_out", "b_out")}
    constants = {"hidden": _fused_mask(bound, x), "heads": int(bound.get("heads"))}
    return Plan(lowered.self_attention, operands, constants, {}, index or ())  # type: ignore[arg-type]


@lowers("encoder_block")
def _fused_encoder_block(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    names = ("W_in", "b_in", "W_out", "b_out", "g1", "n1", "g2", "n2", "W1", "b1", "W2", "b2")
    operands = {"x": x} | {n: bound.named_operand(n) for n in names}
    constants = {
        "hidden": _fused_mask(bound, x), "heads": int(bound.get("heads")), "epsilon": float(bound.get("epsilon", 1e-5)),
        "gelu": bool(bound.get("gelu", False)), "norm_first": bool(bound.get("norm_first", False)),
    }  # fmt: skip
    return Plan(lowered.encoder_block, operands, constants, {}, index or ())  # type: ignore[arg-type]


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


def result_labels(working: Any, step: Any, inputs: Sequence[Any]) -> Any:
    """Labels of what a composite gives: axes of the same size as the first input's, from the front, keep theirs."""
    bound = Bound(working, step)
    shape = step.shape
    blank = (None,) * len(shape)
    if step.operation in (
        "mean",
        "var",
        "std",
        "norm",
        "vector_norm",
        "ptp",
        "average",
        "logsumexp",
        "linalg_vector_norm",
    ):
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
