"""Losses, and the backward pass of PyTorch's operators."""

from __future__ import annotations

import numpy as np

from workings.recording.operations import lowered
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowering.layers import hidden_places
from workings.recording.operations.lowering.plans import Index, Maker, Plan, entering, row_of

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)


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


@lowers("mse_loss")
def _squared_error(bound: Bound, index: Index | None) -> Plan:
    operands = {"x": bound.operand(0), "target": bound.operand(1)}
    return Plan(lowered.squared_error, operands, {"reduction": int(bound.get("reduction", 1))}, {}, index or ())


# -- slopes ----------------------------------------------------------------------------------------------------------


@lowers("_softmax_backward_data", "_log_softmax_backward_data")
def _softmax_slope(bound: Bound, index: Index | None) -> Plan:
    gradient, output = bound.operand(0), bound.operand(1)
    axes = bound.axes(len(output.shape))
    key, place = row_of(output.shape, axes, index)
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


@lowers("mse_loss_backward")
def _squared_error_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {name: bound.operand(i) for i, name in enumerate(("gradient", "x", "target"))}
    return Plan(lowered.squared_error_slope, operands, {"reduction": int(bound.get("reduction", 1))}, {}, index or ())


@lowers("_scaled_dot_product_flash_attention_for_cpu_backward")
def _attention_slope(bound: Bound, index: Index | None) -> Plan:
    operands = {name: bound.operand(i) for i, name in enumerate(("gradient", "queries", "keys", "values"))}
    queries, keys = operands["queries"].shape, operands["keys"].shape
    hidden = hidden_places(bound, queries[-2], keys[-2], slice(0, queries[-2]))
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
