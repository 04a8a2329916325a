"""Convolutions: those of layers, transposed ones among them, and NumPy's of two rows."""

from __future__ import annotations

from typing import Any

from workings.recording.operations.bound import Bound
from workings.recording.operations.lowered import convolutions as lowered
from workings.recording.operations.lowering.plans import Index, Maker, Plan, each, entering, one

LOWERINGS: dict[str, Maker] = {}
lowers = entering(LOWERINGS)
_OUTER, _INNER = "xyz", "uvw"


@lowers("convolution")
def _convolution(bound: Bound, index: Index | None) -> Plan:
    if bound.get("transposed", False):
        return _whole_transposed(bound) if index is None else _transposed_at(bound, index)
    x, weight = bound.operand(0), bound.operand(1)
    rank = len(x.shape) - 2
    stride, padding, apart = _settings(bound, rank)
    pairs = [(0, 0), (0, 0), *((p, p) for p in padding)]
    axes = tuple(range(2, rank + 2))
    window = _window(weight.shape[2:], apart)
    steps = (..., *(slice(None, None, n) for n in (*stride, *apart)))
    outer, inner = _OUTER[:rank], _INNER[:rank]
    constants: dict[str, Any] = {
        "padding": pairs, "window": window, "axes": axes, "steps": steps,
        "spec": f"bc{outer}{inner},oc{inner}->bo{outer}",
    }  # fmt: skip
    operands = {"x": x, "weight": weight}
    bias, groups = bound.named_operand("bias"), int(bound.get("groups", 1))
    if groups > 1:
        constants["groups"] = groups
        if bias is None:
            return Plan(lowered.grouped_convolution, operands, constants, {}, index or ())
        return Plan(lowered.grouped_convolution_with_bias, {**operands, "bias": bias}, constants, {}, index or ())
    if bias is None:
        return Plan(lowered.convolution, operands, constants, {}, index or ())
    return Plan(lowered.convolution_with_bias, {**operands, "bias": bias}, constants, {}, index or ())


def _settings(bound: Bound, rank: int) -> tuple[list[int], list[int], list[int]]:
    """Stride, padding and dilation along each axis."""
    stride, padding, apart = (
        each(bound.get(name, [usual]), rank) for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1))
    )
    return stride, padding, apart


def _window(sizes: tuple[int, ...], apart: list[int]) -> tuple[int, ...]:
    """Weights that stand ``apart`` cover more places, of which only every so many are taken."""
    return tuple((n - 1) * d + 1 for n, d in zip(sizes, apart, strict=True))


# -- transposed -------------------------------------------------------------------------------------------------------


def _whole_transposed(bound: Bound) -> Plan:
    x, weight, bias = bound.operand(0), bound.operand(1), bound.named_operand("bias")
    shape, (batch, channels, *sizes), groups = bound.step.shape, x.shape, int(bound.get("groups", 1))
    rank = len(sizes)
    stride, padding, apart = _settings(bound, rank)
    window = _window(weight.shape[2:], apart)
    room = [n + w - 1 for n, w in zip(shape[2:], window, strict=True)]
    places, kept = [], []
    for n, s, p, w, r in zip(sizes, stride, padding, window, room, strict=True):
        margin = w - 1 - p  # before the first number; where it is negative, the first numbers reach nothing
        first = max(0, -(margin // s))
        last = max(first, min(n, (r - 1 - margin) // s + 1))
        kept.append(slice(first, last))
        places.append(slice(margin + first * s, margin + last * s, s) if last > first else slice(0, 0))
    outer, inner = _OUTER[:rank], _INNER[:rank]
    constants: dict[str, Any] = {
        "room": (batch, channels, *room), "places": (..., *places), "kept": (..., *kept),
        "apart": (batch, groups, channels // groups, *room),
        "filters": (groups, channels // groups, *weight.shape[1:]), "inner": tuple(range(3, rank + 3)),
        "window": window, "axes": tuple(range(3, rank + 3)),
        "steps": (..., *(slice(None, None, d) for d in apart)),
        "spec": f"bgc{outer}{inner},gco{inner}->bgo{outer}", "shape": shape,
    }  # fmt: skip
    operands = {"x": x, "weight": weight} | ({} if bias is None else {"bias": bias})
    return Plan(lowered.transposed_convolution, operands, constants)


def _transposed_at(bound: Bound, index: Index) -> Plan:
    x, weight, bias = bound.operand(0), bound.operand(1), bound.named_operand("bias")
    rank, (batch, channel) = len(index) - 2, index[:2]
    group, filter_ = divmod(channel, weight.shape[1])
    inside = x.shape[1] // int(bound.get("groups", 1))
    rows = slice(group * inside, (group + 1) * inside)
    met = [
        _met(place + p, n, k, s, d)
        for place, n, k, s, p, d in zip(index[2:], x.shape[2:], weight.shape[2:], *_settings(bound, rank), strict=True)
    ]
    letters = _OUTER[:rank]
    constants = {
        "numbers": (..., *(slice(None, None, step) for _, _, step, _ in met)),
        "weights": (..., *(slice(None, None, step) for _, _, _, step in met)),
        "inner": tuple(range(2, rank + 2)), "spec": f"bc{letters},co{letters}->bo",
    }  # fmt: skip
    operands = {"x": x, "weight": weight}
    slices = {
        "x": (one(batch), rows, *(numbers for numbers, _, _, _ in met)),
        "weight": (rows, one(filter_), *(weights for _, weights, _, _ in met)),
    }
    if bias is not None:
        operands["bias"], slices["bias"] = bias, (one(channel),)
    return Plan(lowered.number_reached, operands, constants, slices, (0, 0))


def _met(place: int, numbers: int, weights: int, stride: int, apart: int) -> tuple[slice, slice, int, int]:
    """Along one axis, which numbers and weights meet at a place, and how far apart the numbers and the weights are."""
    pairs = [(*divmod(place - k * apart, stride), k) for k in range(weights)]
    met = [(number, k) for number, left, k in pairs if not left and 0 <= number < numbers]
    if not met:
        return slice(0, 0), slice(0, 0), 1, 1
    (last, first_weight), (first, last_weight) = met[0], met[-1]
    steps = (met[0][0] - met[1][0], met[1][1] - met[0][1]) if len(met) > 1 else (1, 1)
    return slice(first, last + 1), slice(first_weight, last_weight + 1), *steps


# -- of two rows ------------------------------------------------------------------------------------------------------


@lowers("convolve", "correlate")
def _of_rows(bound: Bound, index: Index | None) -> Plan:
    x, weight = bound.operand(0), bound.operand(1)
    ((n,), (k,)), (count,) = (x.shape, weight.shape), bound.step.shape
    turned = bound.operation == "convolve"
    constants = {"turned": turned, "conjugated": not turned and weight.array.dtype.kind == "c"}
    before = _before(n, k, count, turned)
    if index is None:
        margin = (k - 1 - before, count + before - n)
        return Plan(lowered.moved_along, {"x": x, "weight": weight}, constants | {"margin": margin})
    last = index[0] + before  # of the numbers that the row of weights lies on; there may be none
    start = last - k + 1
    met = slice(max(0, start), min(n, last + 1))
    weights = slice(last - met.stop + 1, last - met.start + 1) if turned else slice(met.start - start, met.stop - start)
    return Plan(lowered.met, {"x": x, "weight": weight}, constants, {"x": (met,), "weight": (weights,)})


def _before(n: int, k: int, count: int, turned: bool) -> int:
    """How many places are left out at the front, of all at which two rows meet: how many are left says the mode."""
    short = min(n, k)
    if count == n + k - 1:
        return 0
    if count == abs(n - k) + 1:
        return short - 1
    return short // 2 if not turned and n < k else (short - 1) // 2
