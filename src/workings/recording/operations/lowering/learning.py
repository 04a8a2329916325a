"""Losses, and the backward pass of PyTorch's operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowered import losses, slopes
from workings.recording.operations.lowering.layers import hidden_places
from workings.recording.operations.lowering.plans import Index, Maker, Plan, entering, row_of

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)


@lowers("nll_loss", "nll_loss_forward")
def _likelihood(bound: Bound, index: Index | None) -> Plan:
    targets, weights = {"targets": bound.operand(1)}, _weights(bound)
    ignored = {"ignored": int(bound.get("ignore_index", -100))}
    if bound.step.output == 1:
        return Plan(losses.kept_weight if weights else losses.kept_count, targets | weights, ignored, {}, ())
    operands = {"log_probabilities": bound.operand(0)} | targets | weights
    constants = ignored | {"reduction": int(bound.get("reduction", 1))}
    function = losses.weighted_likelihood if weights else losses.negative_log_likelihood
    return Plan(function, operands, constants, {}, index or ())


def _weights(bound: Bound) -> dict[str, Operand]:
    """What each class counts, where a loss is told."""
    weights = bound.named_operand("weight")
    return {} if weights is None else {"weights": weights}


def _reduction(bound: Bound) -> dict[str, Any]:
    return {"reduction": int(bound.get("reduction", 1))}


def _or_one(bound: Bound, name: str) -> Operand:
    return bound.named_operand(name) or Operand(bound.working, None, 1.0)


def _two(bound: Bound) -> dict[str, Operand]:
    return {"x": bound.operand(0), "target": bound.operand(1)}


@lowers("mse_loss")
def _squared_error(bound: Bound, index: Index | None) -> Plan:
    return Plan(losses.squared_error, _two(bound), _reduction(bound), {}, index or ())


@lowers("binary_cross_entropy")
def _binary_likelihood(bound: Bound, index: Index | None) -> Plan:
    operands = _two(bound) | {"weight": _or_one(bound, "weight")}
    return Plan(losses.binary_likelihood, operands, _reduction(bound), {}, index or ())


@lowers("binary_cross_entropy_with_logits")
def _binary_likelihood_of_scores(bound: Bound, index: Index | None) -> Plan:
    operands = _two(bound) | {"weight": _or_one(bound, "weight"), "positive": _or_one(bound, "positive")}
    return Plan(losses.binary_likelihood_of_scores, operands, _reduction(bound), {}, index or ())


@lowers("huber_loss")
def _huber(bound: Bound, index: Index | None) -> Plan:
    constants = _reduction(bound) | {"delta": float(bound.get("delta", 1.0))}
    return Plan(losses.huber, _two(bound), constants, {}, index or ())


@lowers("smooth_l1_loss")
def _smooth_absolute_error(bound: Bound, index: Index | None) -> Plan:
    constants = _reduction(bound) | {"beta": float(bound.get("beta", 1.0))}
    return Plan(losses.smooth_absolute_error, _two(bound), constants, {}, index or ())


@lowers("xlogy")
def _product_with_logarithm(bound: Bound, index: Index | None) -> Plan:
    return Plan(losses.product_with_logarithm, {"x": bound.operand(0), "y": bound.operand(1)}, {}, {}, index or ())


# -- slopes ----------------------------------------------------------------------------------------------------------


@lowers("_softmax_backward_data", "_log_softmax_backward_data")
def _softmax_slope(bound: Bound, index: Index | None) -> Plan:
    gradient, output = bound.operand(0), bound.operand(1)
    axes = bound.axes(len(output.shape))
    key, place = row_of(output.shape, axes, index)
    function = slopes.log_softmax_slope if "log" in bound.operation else slopes.softmax_slope
    return Plan(
        function, {"gradient": gradient, "output": output}, {"axis": axes[0]}, {"gradient": key, "output": key}, place
    )


@lowers("nll_loss_backward")
def _likelihood_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {"gradient": bound.operand(0), "log_probabilities": bound.operand(1), "targets": bound.operand(2)}
    weights = _weights(bound)
    constants = {"ignored": int(bound.get("ignore_index", -100)), "reduction": int(bound.get("reduction", 1))}
    function = slopes.weighted_likelihood_slope if weights else slopes.likelihood_slope
    return Plan(function, operands | weights, constants, {}, index or ())


@lowers("embedding_dense_backward")
def _embedding_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {"gradient": bound.operand(0), "ids": bound.operand(1)}
    constants = {"count": int(bound.get("count", 0)), "padding": int(bound.get("padding", -1))}
    return Plan(slopes.embedding_slope, operands, constants, {}, index or ())


@lowers("mse_loss_backward")
def _squared_error_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {name: bound.operand(i) for i, name in enumerate(("gradient", "x", "target"))}
    return Plan(slopes.squared_error_slope, operands, {"reduction": int(bound.get("reduction", 1))}, {}, index or ())


@lowers("_scaled_dot_product_flash_attention_for_cpu_backward")
def _attention_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {name: bound.operand(i) for i, name in enumerate(("gradient", "queries", "keys", "values"))}
    queries, keys = operands["queries"].shape, operands["keys"].shape
    hidden = hidden_places(bound, queries[-2], keys[-2], slice(0, queries[-2]))
    mask = bound.named_operand("mask")
    if mask is not None and hidden is not None:
        raise ValueError("a mask beside a causal one is not spelt out")
    operands["mask"] = mask or Operand(bound.working, None, 0.0 if hidden is None else hidden)
    scale = bound.get("scale")
    constants = {"scale": float(scale) if scale is not None else queries[-1] ** -0.5, "part": bound.step.output or 0}
    return Plan(slopes.attention_slope, operands, constants, {}, index or ())


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
        return Plan(slopes.layer_norm_bias_slope, {"gradient": gradient}, {"over": over}, {}, index or ())
    if bound.step.output == 1:
        return Plan(
            slopes.layer_norm_gain_slope, {"gradient": gradient, "x": x}, {**settings, "over": over}, {}, index or ()
        )
    gain = bound.named_operand("gain") or Operand(bound.working, None, np.ones(x.shape[-1]))
    return Plan(slopes.layer_norm_slope, {"gradient": gradient, "x": x, "gain": gain}, settings, {}, index or ())
