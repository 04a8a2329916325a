"""The slope of every operation: how a slope at what came out goes back to what went in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.equations._arrays import erf
from workings.frozen import frozen
from workings.recording.operations import contraction, movement, slopes
from workings.recording.operations.bound import Bound, Operand
from workings.recording.working import Step, Working

if TYPE_CHECKING:
    from workings.reading.gradient import Backward
    from workings.recording.opening import Opened
    from workings.recording.program import Box


class NoGradient(ValueError):
    """A number on the way has no slope here: an opaque step, or an operation that has none."""


@frozen
class Side:
    """One Working on the way back: the one asked about, or the inside of an opened step."""

    working: Working
    name: str
    opened: Opened | None = None


def is_real(step: Step) -> bool:
    """Whether a value is made of numbers that can move a little, and so have slopes."""
    return step.dtype.startswith(("float", "bfloat")) or step.dtype in ("double", "half")


def _elementwise(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    step = bound.step
    rule = _SLOPES.get(step.operation)
    if rule is None:
        if any(o.ref is not None and is_real(side.working.steps[o.ref.step]) for o in bound.operands):
            raise NoGradient(f"{side.working.path(step.number)}: the operation {step.operation} has no slope here")
        return
    rule(back, side, bound, up)


def _unary(slope: Callable[[Backward, Any, Box], Box]) -> Any:
    """``slope(back, x, y)`` is dy/dx."""

    def rule(back: Backward, side: Side, bound: Bound, up: Box) -> None:
        x = bound.operand(0)
        local = slope(back, back.value(side, x), back.result(side, bound.step))
        back.give(side, x, back.call(np.multiply, up, local))

    return rule


def _flat(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    """Steps and signs: the slope is zero wherever it exists, so nothing flows back."""


def _add_rule(first: float, second: float) -> Any:
    def rule(back: Backward, side: Side, bound: Bound, up: Box) -> None:
        alpha = float(bound.get("alpha", 1))
        for place, sign in ((0, first), (1, second * alpha)):
            back.give(side, bound.operand(place), up if sign == 1 else back.call(np.multiply, sign, up))

    return rule


def _multiply(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    x, y = bound.operand(0), bound.operand(1)
    back.give(side, x, back.call(np.multiply, up, back.value(side, y)))
    back.give(side, y, back.call(np.multiply, up, back.value(side, x)))


def _divide(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    if bound.get("rounding_mode") is not None:
        return  # steps again
    x, y = bound.operand(0), bound.operand(1)
    below = back.value(side, y)
    part = back.call(np.divide, up, below)
    back.give(side, x, part)
    if y.ref is not None and is_real(side.working.steps[y.ref.step]):
        quotient = back.result(side, bound.step)
        back.give(side, y, back.call(np.negative, back.call(np.multiply, part, quotient)))


def _power(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    x, y = bound.operand(0), bound.operand(1)
    base, exponent = back.value(side, x), back.value(side, y)
    if x.ref is not None:
        lower = back.call(np.power, base, back.call(np.subtract, exponent, 1))
        back.give(side, x, back.call(np.multiply, up, back.call(np.multiply, exponent, lower)))
    if y.ref is not None and is_real(side.working.steps[y.ref.step]):
        grown = back.call(np.multiply, back.result(side, bound.step), back.call(np.log, base))
        back.give(side, y, back.call(np.multiply, up, grown))


def _extreme(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    x, y = bound.operand(0), bound.operand(1)
    best = back.result(side, bound.step)
    hits = [back.call(np.equal, back.value(side, o), best) for o in (x, y)]
    count = back.call(np.add, back.call(np.multiply, hits[0], 1.0), back.call(np.multiply, hits[1], 1.0))
    for operand, hit in zip((x, y), hits, strict=True):
        back.give(side, operand, back.call(np.divide, back.call(np.multiply, up, hit), count))


def _where(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    condition = bound.operand(0).array
    back.give(side, bound.operand(1), back.call(np.where, condition, up, 0.0))
    back.give(side, bound.operand(2), back.call(np.where, condition, 0.0, up))


def _clip(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    x = bound.operand(0)
    inside = back.call(np.equal, back.value(side, x), back.result(side, bound.step))
    back.give(side, x, back.call(np.multiply, up, inside))


def _total(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    for operand in bound.operands:
        back.give(side, operand, up)


def _relu(back: Backward, x: Any, y: Box) -> Box:
    return back.call(np.greater, x, 0.0)


def _silu(back: Backward, x: Any, y: Box) -> Box:
    gate = back.call(np.divide, 1.0, back.call(np.add, 1.0, back.call(np.exp, back.call(np.negative, x))))
    return back.call(np.add, gate, back.call(np.multiply, y, back.call(np.subtract, 1.0, gate)))


def _gelu(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    operand = bound.operand(0)
    x = back.value(side, operand)
    if bound.get("approximate", "none") == "tanh":
        cubic = back.call(np.multiply, 0.044715, back.call(np.power, x, 3))
        bent = back.call(np.tanh, back.call(np.multiply, np.sqrt(2 / np.pi), back.call(np.add, x, cubic)))
        steep = back.call(np.add, 1.0, back.call(np.multiply, 3 * 0.044715, back.call(np.square, x)))
        slope = back.call(np.subtract, 1.0, back.call(np.square, bent))
        slope = back.call(np.multiply, np.sqrt(2 / np.pi), back.call(np.multiply, slope, steep))
        area = back.call(np.multiply, 0.5, back.call(np.add, 1.0, bent))
        local = back.call(np.add, area, back.call(np.multiply, back.call(np.multiply, 0.5, x), slope))
    else:
        area = back.call(np.multiply, 0.5, back.call(np.add, 1.0, back.call(erf, back.call(np.divide, x, np.sqrt(2)))))
        bell = back.call(np.exp, back.call(np.multiply, -0.5, back.call(np.square, x)))
        bell = back.call(np.divide, bell, np.sqrt(2 * np.pi))
        local = back.call(np.add, area, back.call(np.multiply, x, bell))
    back.give(side, operand, back.call(np.multiply, up, local))


def _lerp(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    start, end, weight = (bound.operand(place) for place in range(3))
    share = back.value(side, weight)
    back.give(side, start, back.call(np.multiply, up, back.call(np.subtract, 1.0, share)))
    back.give(side, end, back.call(np.multiply, up, share))
    back.give(
        side, weight, back.call(np.multiply, up, back.call(np.subtract, back.value(side, end), back.value(side, start)))
    )


def _addcmul(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    base, x, y = (bound.operand(place) for place in range(3))
    scaled = back.call(np.multiply, float(bound.get("value", 1)), up)
    back.give(side, base, up)
    back.give(side, x, back.call(np.multiply, scaled, back.value(side, y)))
    back.give(side, y, back.call(np.multiply, scaled, back.value(side, x)))


def _remainder(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    """What is left of x after y was taken from it so many times: x moves it by itself, y by so many times."""
    x, y = bound.operand(0), bound.operand(1)
    back.give(side, x, up)
    if y.ref is not None and is_real(side.working.steps[y.ref.step]):
        rest = back.call(np.subtract, back.result(side, bound.step), back.value(side, x))
        times = back.call(np.divide, rest, back.value(side, y))
        back.give(side, y, back.call(np.multiply, up, back.call(np.rint, times)))


def _hypot(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    length = back.result(side, bound.step)
    for operand in (bound.operand(0), bound.operand(1)):
        back.give(side, operand, back.call(np.multiply, up, back.call(np.divide, back.value(side, operand), length)))


def _leaky(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    x, below = bound.operand(0), float(bound.get("slope", 0.01))
    local = back.call(np.where, back.call(np.greater, back.value(side, x), 0.0), 1.0, below)
    back.give(side, x, back.call(np.multiply, up, local))


def _erf_slope(back: Backward, x: Any, y: Box) -> Box:
    bell = back.call(np.exp, back.call(np.negative, back.call(np.square, x)))
    return back.call(np.multiply, 2 / np.sqrt(np.pi), bell)


_SLOPES: dict[str, Any] = {
    "add": _add_rule(1, 1),
    "subtract": _add_rule(1, -1),
    "rsub": _add_rule(-1, 1),
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "total": _total,
    "maximum": _extreme,
    "minimum": _extreme,
    "where": _where,
    "clip": _clip,
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), _clip),
    "negative": _unary(lambda b, x, y: b.call(np.multiply, -1.0, b.call(np.ones_like, x))),
    "positive": _unary(lambda b, x, y: b.call(np.ones_like, x)),
    "float": _unary(lambda b, x, y: b.call(np.ones_like, x)),
    "square": _unary(lambda b, x, y: b.call(np.multiply, 2.0, x)),
    "reciprocal": _unary(lambda b, x, y: b.call(np.negative, b.call(np.square, y))),
    "exp": _unary(lambda b, x, y: y),
    "exp2": _unary(lambda b, x, y: b.call(np.multiply, y, float(np.log(2)))),
    "expm1": _unary(lambda b, x, y: b.call(np.exp, x)),
    "log": _unary(lambda b, x, y: b.call(np.divide, 1.0, x)),
    "log2": _unary(lambda b, x, y: b.call(np.divide, float(1 / np.log(2)), x)),
    "log10": _unary(lambda b, x, y: b.call(np.divide, float(1 / np.log(10)), x)),
    "log1p": _unary(lambda b, x, y: b.call(np.divide, 1.0, b.call(np.add, 1.0, x))),
    "sqrt": _unary(lambda b, x, y: b.call(np.divide, 0.5, y)),
    "sin": _unary(lambda b, x, y: b.call(np.cos, x)),
    "cos": _unary(lambda b, x, y: b.call(np.negative, b.call(np.sin, x))),
    "tan": _unary(lambda b, x, y: b.call(np.add, 1.0, b.call(np.square, y))),
    "tanh": _unary(lambda b, x, y: b.call(np.subtract, 1.0, b.call(np.square, y))),
    "sinh": _unary(lambda b, x, y: b.call(np.cosh, x)),
    "cosh": _unary(lambda b, x, y: b.call(np.sinh, x)),
    "absolute": _unary(lambda b, x, y: b.call(np.sign, x)),
    "erf": _unary(_erf_slope),
    "relu": _unary(_relu),
    "leaky_relu": _leaky,
    "gelu": _gelu,
    "lerp": _lerp,
    "addcmul": _addcmul,
    "remainder": _remainder,
    "fmod": _remainder,
    "hypot": _hypot,
    "arcsin": _unary(lambda b, x, y: b.call(np.divide, 1.0, b.call(np.cos, y))),
    "arccos": _unary(lambda b, x, y: b.call(np.divide, -1.0, b.call(np.sin, y))),
    "arctan": _unary(lambda b, x, y: b.call(np.divide, 1.0, b.call(np.add, 1.0, b.call(np.square, x)))),
    "cbrt": _unary(lambda b, x, y: b.call(np.divide, 1 / 3, b.call(np.square, y))),
    "silu": _unary(_silu),
    "rsqrt": _unary(lambda b, x, y: b.call(np.multiply, -0.5, b.call(np.power, y, 3))),
    "sigmoid": _unary(lambda b, x, y: b.call(np.multiply, y, b.call(np.subtract, 1.0, y))),
    **dict.fromkeys(("sign", "floor", "ceil", "rint", "trunc", "round", "int", "bool", "floor_divide"), _flat),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isnan", "isinf"), _flat),
    **dict.fromkeys(("logical_and", "logical_or", "logical_not", "isfinite", "logical_xor"), _flat),
}


def _reduction(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    step, x = bound.step, bound.operand(0)
    operation = {"amax": "max", "amin": "min", "nansum": "sum"}.get(step.operation, step.operation)
    if operation in ("argmax", "argmin", "any", "all", "count_nonzero"):
        return
    if bound.named.get("where") is not None or _starts_anew(side, bound, operation):
        raise NoGradient(f"{side.working.path(step.number)}: this form of {operation} has no slope here")
    if operation in ("max", "min") and len(bound.args) > 1 and all(o.shape == () for o in bound.operands):
        best = step.value
        hits = [float(o.array == best) for o in bound.operands]
        for operand, hit in zip(bound.operands, hits, strict=True):
            back.give(side, operand, back.call(np.multiply, up, hit / sum(hits)))
        return
    if operation in ("cumsum", "trace", "sum", "max", "min", "prod"):
        _reduce_back(back, side, bound, up, operation, x)
        return
    raise NoGradient(f"{side.working.path(step.number)}: the operation {operation} has no slope here")


def _starts_anew(side: Side, bound: Bound, operation: str) -> bool:
    """Whether a reduction begins with a number that is given to it, and that its slope would depend on."""
    return operation != "sum" and (bound.named.get("initial") is not None or bound.named.get("start") is not None)


def _reduce_back(back: Backward, side: Side, bound: Bound, up: Box, operation: str, x: Operand) -> None:
    axes = bound.axes(len(x.shape))
    if operation == "trace":
        if len(x.shape) != 2 or int(bound.get("axis1", 0)) % 2:
            raise NoGradient(f"{side.working.path(bound.step.number)}: the trace along these axes has no slope here")
        chosen = np.eye(x.shape[0], x.shape[1], int(bound.get("offset", 0)))
        back.give(side, x, back.call(np.multiply, up, chosen))
        return
    if operation == "cumsum":
        flipped = back.call(np.flip, up, axis=axes if len(axes) == 1 else None)
        back.give(
            side,
            x,
            back.call(np.flip, back.call(np.cumsum, flipped, axis=axes[0]), axis=axes if len(axes) == 1 else None),
        )
        return
    kept = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    spread = up if np.shape(up.value) == kept else back.call(np.reshape, up, kept)
    if operation == "sum":
        back.give(side, x, back.call(np.multiply, spread, np.ones(x.shape)))
        start = bound.named_operand("start") or bound.named_operand("initial")
        if start is not None:
            back.give(side, start, up)
        return
    value = back.value(side, x)
    result = back.result(side, bound.step)
    best = result if np.shape(result.value) == kept else back.call(np.reshape, result, kept)
    if operation == "prod":
        back.give(side, x, back.call(np.divide, back.call(np.multiply, spread, best), value))
        return
    hits = back.call(np.multiply, back.call(np.equal, value, best), 1.0)
    count = back.call(np.sum, hits, axis=axes, keepdims=True)
    back.give(side, x, back.call(np.multiply, spread, back.call(np.divide, hits, count)))


def _contraction(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    operands, parts, out = contraction.letters(bound)
    sizes = {c: n for o, p in zip(operands, parts, strict=True) for c, n in zip(p, o.shape, strict=True) if n > 1}
    for place, (operand, part) in enumerate(zip(operands, parts, strict=True)):
        if operand.ref is None or not is_real(side.working.steps[operand.ref.step]):
            continue
        if len(set(part)) < len(part):
            raise NoGradient(f"{side.working.path(bound.step.number)}: a letter that stands twice has no slope here")
        others = [(o, p) for i, (o, p) in enumerate(zip(operands, parts, strict=True)) if i != place]
        known = set(out).union(*(set(p) for _, p in others)) if others else set(out)
        reached = "".join(c for c in part if c in known)
        spec = ",".join([out, *(p for _, p in others)]) + "->" + reached
        slope = back.call(np.einsum, spec, up, *[back.value(side, o) for o, _ in others])
        if reached != part:  # an axis that was summed away alone: every entry has the same slope
            shape = [n if c in reached else 1 for c, n in zip(part, operand.shape, strict=True)]
            slope = back.call(np.multiply, back.call(np.reshape, slope, tuple(shape)), np.ones(operand.shape))
        elif any(n == 1 and sizes.get(c, 1) > 1 for c, n in zip(part, operand.shape, strict=True)):
            axes = tuple(
                i for i, (c, n) in enumerate(zip(part, operand.shape, strict=True)) if n == 1 and sizes.get(c, 1) > 1
            )
            slope = back.call(np.sum, slope, axis=axes, keepdims=True)
        back.give(side, operand, slope)


def _movement(back: Backward, side: Side, bound: Bound, up: Box) -> None:
    """A moved number has the slope of what it became; one that was copied gathers the slopes of its copies."""
    step = bound.step
    which, places = movement.position_map(side.working, step)
    for position, ref in enumerate(step.inputs):
        if not is_real(side.working.steps[ref.step]):
            continue
        here = which == position
        if not here.any():
            continue
        shape = side.working.steps[ref.step].shape[len(ref.index) :]
        slope = back.call(slopes.gathered, up, here, places, shape)
        back.add(side, ref, slope)


RULES: dict[str, Callable[[Backward, Side, Bound, Box], None]] = {
    "elementwise": _elementwise,
    "reduction": _reduction,
    "contraction": _contraction,
    "movement": _movement,
}
