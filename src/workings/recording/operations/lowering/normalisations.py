"""Softmax and the normalisations: each number in proportion to its row."""

from __future__ import annotations

import numpy as np

from workings import equations
from workings.recording.operations import lowered
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowering.plans import Index, Maker, Plan, entering, row_of

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)


@lowers("softmax", "_safe_softmax")
def _softmax(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axes = bound.axes(len(x.shape))
    key, place = row_of(x.shape, axes, index)
    return Plan(equations.softmax, {"scores": x}, {"axis": axes[0] if axes else -1}, {"scores": key}, place)


@lowers("log_softmax")
def _log_softmax(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    axes = bound.axes(len(x.shape))
    key, place = row_of(x.shape, axes, index)
    return Plan(lowered.log_softmax, {"x": x}, {"axis": axes[0] if axes else -1}, {"x": key}, place)


@lowers("layer_norm", "native_layer_norm")
def _layer_norm(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    gain, bias = bound.named_operand("gain"), bound.named_operand("bias")
    epsilon = float(bound.get("epsilon", 1e-5))
    rank = len(x.shape)
    wide = len(gain.shape) if gain is not None else len(bound.get("normalized_shape", [1]))
    axes = tuple(range(rank - wide, rank))
    key, place = row_of(x.shape, axes, index)
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    settings = {"axis": axes, "count": count, "epsilon": epsilon}
    if bound.step.output == 1:
        return Plan(lowered.mean, {"x": x}, {"axis": axes, "keepdims": True, "count": count}, {"x": key}, place)
    if bound.step.output:
        return Plan(lowered.inverse_deviation, {"x": x}, settings, {"x": key}, place)
    learned = gain or bias
    if learned is None:
        return Plan(lowered.centred_and_scaled, {"x": x}, settings, {"x": key}, place)
    operands = {
        "x": x,
        "gain": gain or Operand(bound.working, None, np.ones(learned.shape)),
        "bias": bias or Operand(bound.working, None, np.zeros(learned.shape)),
    }
    if wide > 1:
        return Plan(lowered.centred_scaled_and_shifted, operands, settings, {"x": key}, place)
    return Plan(equations.layer_norm, operands, {"epsilon": epsilon}, {"x": key}, place)


@lowers("rms_norm", "_fused_rms_norm")
def _rms_norm(bound: Bound, index: Index | None) -> Plan:
    x, gain = bound.operand(0), bound.named_operand("gain")
    key, place = row_of(x.shape, (len(x.shape) - 1,), index)
    gain = gain if gain is not None else Operand(bound.working, None, np.ones(x.shape[-1]))
    return Plan(
        equations.rms_norm, {"x": x, "gain": gain}, {"epsilon": float(bound.get("epsilon", 1e-6))}, {"x": key}, place
    )


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
