"""Activations: each number in its own place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workings.recording.operations.bound import Bound
from workings.recording.operations.lowered import activations as lowered
from workings.recording.operations.lowering.plans import Index, Maker, Plan, one

LOWERINGS: dict[str, Maker] = {}


def _parametric_relu(bound: Bound, index: Index | None) -> Plan:
    x, weight = bound.operand(0), bound.operand(1)
    shape = (-1, *(1,) * (len(x.shape) - 2)) if len(x.shape) > 1 else (-1,)
    operands = {"x": x, "weight": weight}
    return Plan(lowered.parametric_relu, operands, {"shape": shape}, {}, index or ())


def _gated(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    return Plan(lowered.gated, {"x": x}, {"axis": int(bound.get("axis", -1)) % len(x.shape)}, {}, index or ())


def _each(function: Callable[..., Any], **settings: float) -> Maker:
    """An activation with settings of the call, by the names that the call gives them, and what they are without it."""

    def make(bound: Bound, index: Index | None) -> Plan:
        x = bound.operand(0)
        constants = {name: float(bound.get(name, default)) for name, default in settings.items()}
        if index is None:
            return Plan(function, {"x": x}, constants, {}, ())
        return Plan(function, {"x": x}, constants, {"x": tuple(map(one, index))}, (0,) * len(index))

    return make


LOWERINGS["_prelu_kernel"] = _parametric_relu
LOWERINGS["glu"] = _gated
LOWERINGS["hardtanh"] = _each(lowered.hard_tanh, low=-1.0, high=1.0)
LOWERINGS["hardsigmoid"] = _each(lowered.hard_sigmoid)
LOWERINGS["hardswish"] = _each(lowered.hard_swish)
LOWERINGS["mish"] = _each(lowered.mish)
LOWERINGS["threshold"] = _each(lowered.threshold, limit=0.0, value=0.0)
LOWERINGS["elu"] = _each(lowered.elu, alpha=1.0, scale=1.0, input_scale=1.0)
LOWERINGS["celu"] = _each(lowered.celu, alpha=1.0)
LOWERINGS["softplus"] = _each(lowered.softplus, beta=1.0, threshold=20.0)
LOWERINGS["log_sigmoid_forward"] = _each(lowered.log_sigmoid)
