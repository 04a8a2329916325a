"""What layers compute: matrix products with a bias, attention, pooling, and the fused kernels of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings import equations
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.lowered import layers as lowered
from workings.recording.operations.lowering.plans import Index, Maker, Plan, each, entering, one

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)


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
        slice(None) if n == 1 else one(i) for n, i in zip(bias.shape, index[2 - len(bias.shape) :], strict=True)
    )
    slices = {"bias": bias_key, "x": (one(row), slice(None)), "weight": (slice(None), one(column))}
    return Plan(lowered.affine, {"bias": bias, "x": x, "weight": weight}, {}, slices, (0, 0))


@lowers("linear")
def _linear(bound: Bound, index: Index | None) -> Plan:
    x, weight, bias = bound.operand(0), bound.operand(1), bound.named_operand("bias")
    operands = {"x": x, "weight": weight}
    slices: dict[str, tuple[slice, ...]] = {}
    place: Index = index or ()
    if index is not None:
        slices = {"x": (*map(one, index[:-1]), slice(None)), "weight": (one(index[-1]), slice(None))}
        place = (0,) * len(index)
    if bias is None:
        return Plan(lowered.linear, operands, {}, slices, place)
    if index is not None:
        slices["bias"] = (one(index[-1]),)
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
        rows = one(index[-2])
        slices = {
            "queries": (*map(one, lead), rows, slice(None)),
            "keys": (*map(one, shared), slice(None), slice(None)),
            "values": (*map(one, shared), slice(None), slice(None)),
        }
        place = (0,) * (len(index) - 1) + (index[-1],)
    operands = {"queries": queries, "keys": keys, "values": values}
    hidden = hidden_places(bound, shape[-2], keys.shape[-2], rows)
    constants: dict[str, Any] = {} if scale is None else {"scale": float(scale)}
    if mask is None:
        if hidden is not None:
            operands["mask"] = Operand(bound.working, None, hidden)
        return Plan(equations.attention, operands, constants, slices, place, part=0)
    if hidden is not None:
        raise ValueError("a mask beside a causal one is not spelt out")
    if index is not None:
        full = (*map(one, index[:-2]), rows, slice(None))[-len(mask.shape) :]
        slices["mask"] = tuple(slice(None) if n == 1 else k for n, k in zip(mask.shape, full, strict=True))
    if mask.array.dtype != bool:
        return Plan(equations.attention, {**operands, "mask": mask}, constants, slices, place, part=0)
    if index is not None:
        slices["seen"] = slices.pop("mask")
    constants["shown"] = queries.array.dtype.type(0)
    return Plan(lowered.attention_where, {**operands, "seen": mask}, constants, slices, place, part=0)


def hidden_places(bound: Bound, queries: int, keys: int, rows: slice) -> Any:
    """−∞ where a causal mask hides a key from the queries of ``rows``; None without one."""
    if not bound.get("causal", bound.get("is_causal", False)):
        return None
    later = np.arange(keys)[None, :] > np.arange(queries)[:, None]
    return np.where(later, -np.inf, 0.0)[rows]


def _windows(bound: Bound, x: Operand) -> dict[str, Any]:
    first = len(x.shape) - 2
    window = tuple(each(bound.get("window"), 2))
    stride = each(bound.get("stride") or list(window), 2)
    steps = (*(slice(None),) * first, *(slice(None, None, int(s)) for s in stride))
    return {"window": window, "axes": (first, first + 1), "steps": steps, "inside": (-2, -1)}


@lowers("max_pool2d_with_indices")
def _largest_in_windows(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    return Plan(lowered.largest_in_windows, {"x": x}, _windows(bound, x), {}, index or ())


@lowers("avg_pool2d")
def _mean_in_windows(bound: Bound, index: Index | None) -> Plan:
    x = bound.operand(0)
    constants = _windows(bound, x)
    pairs = [(0, 0)] * (len(x.shape) - 2) + [(int(p), int(p)) for p in each(bound.get("padding", [0]), 2)]
    count = int(bound.get("divisor") or np.prod(constants["window"]))
    return Plan(lowered.mean_in_windows, {"x": x}, constants | {"padding": pairs, "count": count}, {}, index or ())


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
