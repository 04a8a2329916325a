"""Functions that run along an axis of an array, or over everything: sums, means, the largest, softmax, norms."""

from __future__ import annotations

import ast

from workings.reading.formula.building import LOG, SUM, exponential
from workings.reading.formula.calls import Call, Rule, axis_name, rules
from workings.reading.formula.functions import MAX, MIN
from workings.reading.formula.nodes import (
    Apply,
    Big,
    Binary,
    Each,
    Fenced,
    Node,
    NoMathematicsError,
    Subscript,
    Symbol,
    Words,
)
from workings.reading.formula.symbols import operator
from workings.reading.formula.syntax import integer

PRODUCT = Symbol(r"\prod", "Π", operator=True)
AXIS = frozenset({"axis", "dim"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


def axis_label(call: Call, position: int) -> tuple[Node, ...] | None:
    """Along what a reduction runs: nothing for all entries, or a few words. None where it is not an axis at all."""
    axis = call.given(position, "axis", "dim")
    if axis is None or (isinstance(axis, ast.Constant) and axis.value is None):
        return ()
    number = integer(axis)
    if number is not None:
        return (Words(axis_name(number)),)
    if isinstance(axis, (ast.Tuple, ast.List)) and axis.elts:
        numbers = [integer(each) for each in axis.elts]
        return None if None in numbers else (Words("axes " + ", ".join(map(str, numbers))),)
    name = getattr(axis, "id", "")
    return (Words(name),) if name in ("axis", "dim", "axes", "dims") else None


def along(name: Node, label: tuple[Node, ...]) -> Node:
    return Subscript(name, label, parameter=True) if label else name


def _summed(call: Call) -> Node | None:
    """A sum or product over a comprehension, over an axis, over everything."""
    sign = PRODUCT if call.name in ("prod", "nanprod") else SUM
    argument = call.arguments[0]
    whole = call.node(0)
    over = isinstance(argument, _COMPREHENSIONS) and isinstance(whole, Each) and not call.keywords.keys() & AXIS
    total = Big(sign, whole.bounds, whole.body) if over and isinstance(whole, Each) else Big(sign, (), whole)
    if call.origin == "bare":
        start = call.given(1, "start")
        return total if start is None else Binary("+", call.reader.expression(start), total)
    if over:
        return total
    label = axis_label(call, 1)
    return None if label is None else Big(sign, label, whole)


def _extreme(call: Call) -> Node | None:
    """The largest or smallest: of several values, over a comprehension, along an axis."""
    sign = MAX if "max" in call.name else MIN
    argument = call.arguments[0]
    if "key" in call.keywords:
        raise NoMathematicsError
    if isinstance(argument, _COMPREHENSIONS):
        each = call.reader.expression(argument)
        return Big(sign, each.bounds, each.body) if isinstance(each, Each) and len(call.arguments) == 1 else None
    label = axis_label(call, 1) if call.origin != "bare" else None
    if label is None or (call.origin == "bare" and len(call.arguments) > 1):
        return Apply(sign, call.nodes(), bare=True)
    return Apply(along(sign, label), (call.node(0),), bare=True)


_STATISTICS = {
    "mean": (operator("μ", r"\mu"), operator("mean")),
    "nanmean": (operator("nanmean"), operator("nanmean")),
    "fmean": (operator("μ", r"\mu"), operator("mean")),
    "var": (Symbol(r"\sigma^2", "σ²", operator=True, raised=True), operator("var")),
    "std": (operator("σ", r"\sigma"), operator("std")),
}


def _statistic(call: Call) -> Node | None:
    label = axis_label(call, 1)
    if label is None:
        return None
    divisor = _divisor(call)
    name = _STATISTICS[call.name][1 if call.reader.spelled else 0]
    return Apply(along(name, label + ((Words(f"over {divisor}"),) if divisor else ())), (call.node(0),))


def _divisor(call: Call) -> str:
    """What a variance is divided by, wherever the source says so."""
    if call.name not in ("var", "std"):
        return ""
    given = next((call.keywords[name] for name in ("ddof", "correction", "unbiased") if name in call.keywords), None)
    if not isinstance(given, ast.Constant):
        return "n - 1" if given is None and call.path[:1] == ("torch",) else ""
    return "n - 1" if given.value in (1, True) else "n"


def _along(shown: str, bare: bool = False, most: int = 2) -> Rule:
    """A function that works along an axis and keeps its name."""

    def read(call: Call) -> Node | None:
        label = axis_label(call, 1)
        name = along(operator(shown), label or ())
        return None if label is None else Apply(name, (call.node(0),), bare=bare)

    return Rule(read, 1, most, AXIS)


def _log_sum_exp(call: Call) -> Node | None:
    label = axis_label(call, 1)
    if label is None:
        return None
    return Apply(LOG, (Big(SUM, label, exponential(call.node(0), call.reader.spelled_exp)),), bare=True)


def _norm(call: Call) -> Node | None:
    order, label = call.given(1, "ord", "p"), axis_label(call, 2)
    if label is None:
        return None
    kind: tuple[Node, ...] = ()
    if isinstance(order, ast.Constant) and isinstance(order.value, str):
        kind = (Words("F" if order.value == "fro" else order.value),)
    elif order is not None and not (isinstance(order, ast.Constant) and order.value is None):
        kind = (call.reader.expression(order),)
    size = Fenced("norm", call.node(0))
    return Subscript(size, kind + label, parameter=True) if kind + label else size


REDUCTION_RULES: dict[str, Rule] = {
    **rules("sum nansum prod nanprod", Rule(_summed, 1, 2, AXIS | {"start"}, bare=True)),
    **rules("max min amax amin nanmax nanmin", Rule(_extreme, 1, 9, AXIS | {"key"}, bare=True)),
    **rules(_STATISTICS, Rule(_statistic, 1, 2, AXIS | {"ddof", "correction", "unbiased"})),
    **{name: _along(name) for name in ("median", "any", "all", "cumsum", "cumprod", "argsort", "sort", "quantile")},
    **{name: _along(name, bare=True) for name in ("argmax", "argmin")},
    **{name: _along(name) for name in ("softmax", "log_softmax", "softmin")},
    "logsumexp": Rule(_log_sum_exp, 1, 2, AXIS),
    "norm": Rule(_norm, 1, 3, AXIS | {"ord", "p"}),
}
