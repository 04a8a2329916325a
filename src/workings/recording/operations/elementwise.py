"""Elementwise operations: each number from the numbers that stand in the same place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workings.recording.operations.bound import Bound, Operand, scalar
from workings.recording.operations.expression import (
    Apply,
    Choice,
    Expression,
    Leaf,
    Limits,
    Negative,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
)
from workings.recording.working import Ref

Rule = Callable[[list[Expression], Bound], Expression]
_ONE, _TWO = Leaf(1), Leaf(2)


def _apply(name: str) -> Rule:
    return lambda x, bound: Apply(name, tuple(x))


def _relation(sign: str) -> Rule:
    return lambda x, bound: Relation(sign, x[0], x[1])


def _scaled(term: Expression, bound: Bound) -> Expression:
    """PyTorch's ``add(x, y, alpha=…)``."""
    alpha = bound.named.get("alpha", 1)
    if isinstance(alpha, Operand):
        return Product((alpha.leaf(()), term))
    return term if alpha == 1 else Product((Leaf(alpha), term))


_LOGARITHMS: dict[Any, str] = {2: "log2", 10: "log10"}


def _logarithm(x: Expression, base: Expression | None = None) -> Expression:
    """``math.log(x, base)``, which has a name of its own where that is 2 or 10."""
    if base is None:
        return Apply("log", (x,))
    named = _LOGARITHMS.get(base.value) if isinstance(base, Leaf) and base.ref is None else None
    return Apply(named, (x,)) if named else Quotient(Apply("log", (x,)), Apply("log", (base,)))


def _sigmoid(x: Expression) -> Expression:
    return Quotient(_ONE, Sum((_ONE, Apply("exp", (Negative(x),)))))


def _gelu(x: list[Expression], bound: Bound) -> Expression:
    v = x[0]
    if bound.get("approximate", "none") == "tanh":
        inner = Product(
            (Apply("sqrt", (Quotient(_TWO, Apply("pi", ())),)), Sum((v, Product((Leaf(0.044715), Power(v, Leaf(3)))))))
        )
        return Product((Leaf(0.5), v, Sum((_ONE, Apply("tanh", (inner,))))))
    return Product((Leaf(0.5), v, Sum((_ONE, Apply("erf", (Quotient(v, Apply("sqrt", (_TWO,))),))))))


def _gelu_slope(x: list[Expression], bound: Bound) -> Expression:
    up, v = x[0], x[1]
    area = Product((Leaf(0.5), Sum((_ONE, Apply("erf", (Quotient(v, Apply("sqrt", (_TWO,))),))))))
    bell = Quotient(
        Apply("exp", (Negative(Quotient(Power(v, _TWO), _TWO)),)), Apply("sqrt", (Product((_TWO, Apply("pi", ()))),))
    )
    return Product((up, Sum((area, Product((v, bell))))))


def _clip(x: list[Expression], bound: Bound) -> Expression:
    out = x[0]
    for name, function in (("a_min", "max"), ("a_max", "min"), ("min", "max"), ("max", "min")):
        limit = bound.named_operand(name)
        if limit is not None:
            out = Apply(function, (out, limit.leaf(()) if not limit.shape else limit.broadcast_leaf(bound.index)))  # type: ignore[attr-defined]
    return out


def _where(x: list[Expression], bound: Bound) -> Expression:
    condition = x[0]
    return Choice(condition, x[1], x[2], bool(condition.value)) if isinstance(condition, Leaf) else x[1]


def _cdiv(x: list[Expression], bound: Bound) -> Expression:
    value = bound.get("value", 1)
    part: Expression = Quotient(x[1], x[2])
    return Sum((x[0], part if value == 1 else Product((Leaf(value), part))))


def _cmul(x: list[Expression], bound: Bound) -> Expression:
    value = bound.get("value", 1)
    factors = (x[1], x[2]) if value == 1 else (Leaf(value), x[1], x[2])
    return Sum((x[0], Product(factors)))


def _divide(x: list[Expression], bound: Bound) -> Expression:
    rounding = bound.get("rounding_mode")  # of PyTorch's div
    if rounding == "floor":
        return Relation("//", x[0], x[1])
    quotient = Quotient(x[0], x[1])
    return Apply("trunc", (quotient,)) if rounding == "trunc" else quotient


def _leaky(x: list[Expression], bound: Bound) -> Expression:
    slope = bound.get("slope", 0.01)
    return Sum((Apply("max", (Leaf(0), x[0])), Product((Leaf(slope), Apply("min", (Leaf(0), x[0]))))))


def _round(x: list[Expression], bound: Bound) -> Expression:
    decimals = bound.get("decimals", 0)
    return Apply("round", (x[0], Leaf(decimals))) if decimals else Apply("round", (x[0],))


def _divmod(x: list[Expression], bound: Bound) -> Expression:
    return Relation("mod" if bound.step.output == 1 else "//", x[0], x[1])


def _total(x: list[Expression], bound: Bound) -> Expression:
    return Sum(tuple(x))


RULES: dict[str, Rule] = {
    "add": lambda x, b: Sum((x[0], _scaled(x[1], b))),
    "subtract": lambda x, b: Sum((x[0], Negative(_scaled(x[1], b)))),
    "rsub": lambda x, b: Sum((x[1], Negative(_scaled(x[0], b)))),
    "multiply": lambda x, b: Product((x[0], x[1])),
    "divide": _divide,
    "power": lambda x, b: Power(x[0], x[1]),
    "negative": lambda x, b: Negative(x[0]),
    "positive": lambda x, b: (
        Apply("conj", (x[0],)) if isinstance(_number(x[0]), complex) and "conj" in b.step.function else x[0]
    ),
    "square": lambda x, b: Power(x[0], _TWO),
    "reciprocal": lambda x, b: Quotient(_ONE, x[0]),
    "rsqrt": lambda x, b: Quotient(_ONE, Apply("sqrt", (x[0],))),
    "exp2": lambda x, b: Power(_TWO, x[0]),
    "expm1": lambda x, b: Sum((Apply("exp", (x[0],)), Negative(_ONE))),
    "log1p": lambda x, b: Apply("log", (Sum((_ONE, x[0])),)),
    "sigmoid": lambda x, b: _sigmoid(x[0]),
    "silu": lambda x, b: Product((x[0], _sigmoid(x[0]))),
    "relu": lambda x, b: Apply("max", (Leaf(0), x[0])),
    "leaky_relu": _leaky,
    "gelu": _gelu,
    "clip": _clip,
    "clamp": _clip,
    "clamp_min": _clip,
    "clamp_max": _clip,
    "total": _total,
    "addcmul": _cmul,
    "addcdiv": _cdiv,
    "lerp": lambda x, b: Sum((x[0], Product((x[2], Sum((x[1], Negative(x[0]))))))),
    "hypot": lambda x, b: Apply("sqrt", (Sum((Power(x[0], _TWO), Power(x[1], _TWO))),)),
    "maximum": _apply("max"),
    "minimum": _apply("min"),
    "outer_add": lambda x, b: Sum((x[0], x[1])),
    "outer_subtract": lambda x, b: Sum((x[0], Negative(x[1]))),
    "outer_divide": lambda x, b: Quotient(x[0], x[1]),
    "outer_maximum": _apply("max"),
    "outer_minimum": _apply("min"),
    "round": _round,
    "divmod": _divmod,
    "left_shift": _relation("<<"),
    "right_shift": _relation(">>"),
    "tanh_backward": lambda x, b: Product((x[0], Sum((_ONE, Negative(Power(x[1], _TWO)))))),
    "sigmoid_backward": lambda x, b: Product((x[0], x[1], Sum((_ONE, Negative(x[1]))))),
    "threshold_backward": lambda x, b: Choice(Relation(">", x[1], x[2]), x[0], Leaf(0), _number(x[1]) > _number(x[2])),
    "gelu_backward": _gelu_slope,
    "silu_backward": lambda x, b: Product(
        (x[0], _sigmoid(x[1]), Sum((_ONE, Product((x[1], Sum((_ONE, Negative(_sigmoid(x[1]))))))))),
    ),
    "log": lambda x, b: _logarithm(*x),
    **{
        name: _apply(name)
        for name in (
            *(
                "exp",
                "log2",
                "log10",
                "sqrt",
                "cbrt",
                "sin",
                "cos",
                "tan",
                "arcsin",
                "arccos",
                "arctan",
                "arctan2",
            ),
            *(
                "sinh",
                "cosh",
                "tanh",
                "arcsinh",
                "arccosh",
                "arctanh",
                "absolute",
                "sign",
                "floor",
                "ceil",
                "rint",
                "trunc",
            ),
            *(
                "erf",
                "isnan",
                "isinf",
                "isfinite",
                "logical_not",
                "bitwise_not",
                "degrees",
                "radians",
                "deg2rad",
                "rad2deg",
            ),
            *("logaddexp", "copysign", "heaviside", "nan_to_num", "int", "float", "bool", "invert", "signbit"),
        )
    },
    "less": _relation("<"),
    "less_equal": _relation("≤"),
    "greater": _relation(">"),
    "greater_equal": _relation("≥"),
    "equal": _relation("="),
    "not_equal": _relation("≠"),
    "logical_and": _relation("and"),
    "logical_or": _relation("or"),
    "logical_xor": _relation("xor"),
    "bitwise_and": _relation("&"),
    "bitwise_or": _relation("|"),
    "bitwise_xor": _relation("^"),
    "floor_divide": _relation("//"),
    "remainder": _relation("mod"),
    "fmod": _apply("fmod"),
    "isclose": _relation("≈"),
}
OUTER = ("outer_add", "outer_subtract", "outer_divide", "outer_maximum", "outer_minimum")
_UNARY = {
    "clip",
    "clamp",
    "clamp_min",
    "clamp_max",
    "round",
    "nan_to_num",
    "relu",
    "leaky_relu",
    "gelu",
    "int",
    "float",
}


def _number(x: Expression) -> Any:
    return x.value if isinstance(x, Leaf) else 0


def _numbers(bound: Bound) -> list[Operand]:
    operation = bound.operation
    if operation in _UNARY:
        return [bound.operand(0)]
    count = {"where": 3, "addcmul": 3, "addcdiv": 3, "lerp": 3, "threshold_backward": 3, "total": len(bound.args)}.get(
        operation, 2
    )
    every = bound.operands[:count]
    return [o for o in every if o.array.dtype.kind in "fiubcO"]


def element(bound: Bound, index: tuple[int, ...], limits: Limits) -> Expression | None:
    bound.index = index  # type: ignore[attr-defined]
    operands = _numbers(bound)
    chosen = bound.named_operand("where")
    left_out = chosen is not None and not chosen.broadcast_leaf(index).value
    if left_out or any(len(o.shape) > len(index) and bound.operation not in OUTER for o in operands):
        # Not computed here (where=), or a comparison of whole lists: the number stands for itself.
        return Leaf(scalar(bound.working.value(Ref(bound.step.number, index))))
    if bound.operation in OUTER:
        split = len(operands[0].shape)
        parts: list[Expression] = [operands[0].leaf(index[:split]), operands[1].leaf(index[split:])]
    else:
        parts = [o.broadcast_leaf(index) for o in operands]
    return RULES[bound.operation](parts, bound)


def labels(bound: Bound, inputs: list[Any]) -> Any:
    """An axis keeps the labels of the operands that have it; operands that disagree leave it without."""
    rank = len(bound.step.shape)
    out: list[tuple[str, ...] | None] = [None] * rank
    if bound.operation in OUTER:
        return tuple(bound.operand(0).labels) + tuple(bound.operand(1).labels)
    clash: set[int] = set()
    for operand in _numbers(bound):
        offset = rank - len(operand.shape)
        for axis, names in enumerate(operand.labels):
            if names is None or operand.shape[axis] != bound.step.shape[axis + offset]:
                continue
            if out[axis + offset] not in (None, names):
                clash.add(axis + offset)
            out[axis + offset] = names
    return tuple(None if axis in clash else names for axis, names in enumerate(out))
