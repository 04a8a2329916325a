"""Softmax and the normalisations: each number in proportion to its row."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings import equations
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowered import normalisations, reductions
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
    return Plan(normalisations.log_softmax, {"x": x}, {"axis": axes[0] if axes else -1}, {"x": key}, place)


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
        return Plan(reductions.mean, {"x": x}, {"axis": axes, "keepdims": True, "count": count}, {"x": key}, place)
    if bound.step.output:
        return Plan(normalisations.inverse_deviation, {"x": x}, settings, {"x": key}, place)
    learned = gain or bias
    if learned is None:
        return Plan(normalisations.centred_and_scaled, {"x": x}, settings, {"x": key}, place)
    operands = {
        "x": x,
        "gain": gain or Operand(bound.working, None, np.ones(learned.shape)),
        "bias": bias or Operand(bound.working, None, np.zeros(learned.shape)),
    }
    if wide > 1:
        return Plan(normalisations.centred_scaled_and_shifted, operands, settings, {"x": key}, place)
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
    operands = {"x": x} | _gain_and_bias(bound, x.shape[1])
    constants = {"epsilon": float(bound.get("epsilon", 1e-5)), "shape": (-1, *(1,) * (len(x.shape) - 2))}
    if not bound.get("training", False):
        operands |= {name: bound.operand(place) for place, name in ((3, "mean"), (4, "variance"))}
        return Plan(normalisations.batch_norm, operands, constants, {}, index or ())
    constants |= _over_a_channel(x)
    return Plan(normalisations.batch_norm_in_training, operands, constants, {}, index or ())


def _over_a_channel(x: Operand) -> dict[str, Any]:
    axes = tuple(a for a in range(len(x.shape)) if a != 1)
    return {"axis": axes, "count": int(np.prod([x.shape[a] for a in axes], dtype=np.int64))}


@lowers("running_mean", "running_variance")
def _running(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    kept = bound.operand(3 if bound.operation == "running_mean" else 4)
    constants = _over_a_channel(x) | {"momentum": float(bound.get("momentum", 0.1))}
    return Plan(getattr(normalisations, bound.operation), {"x": x, "kept": kept}, constants, {}, index or ())


def _gain_and_bias(bound: Bound, width: int) -> dict[str, Operand]:
    return {
        name: bound.named_operand(name) or Operand(bound.working, None, np.full(width, float(name == "gain")))
        for name in ("gain", "bias")
    }


@lowers("native_group_norm", "group_norm")
def _group_norm(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    many, channels, *rest = x.shape
    groups = int(bound.get("groups"))
    count = channels // groups * int(np.prod(rest, dtype=np.int64))
    constants = {"groups": (many, groups, count), "axis": 2, "count": count}
    epsilon = {"epsilon": float(bound.get("epsilon", 1e-5))}
    if bound.step.output == 1:
        return Plan(normalisations.group_mean, {"x": x}, constants, {}, index or ())
    if bound.step.output:
        return Plan(normalisations.group_inverse_deviation, {"x": x}, constants | epsilon, {}, index or ())
    operands = {"x": x} | _gain_and_bias(bound, channels)
    constants |= epsilon | {"shape": (-1, *(1,) * len(rest))}
    return Plan(normalisations.group_norm, operands, constants, {}, index or ())
