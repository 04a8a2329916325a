"""The last safeguard of every line of arithmetic: worked out once more, it must give the number it is shown to make.

A write that nobody was seen to make (through a memory view, a C library, another thread) leaves a value that its
recorded inputs do not give. Such a line is not shown; the number's origin is said not to have been recorded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.agreement import tolerance
from workings.recording.operations.expression import (
    Apply,
    Choice,
    Expression,
    Leaf,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
)

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": math.exp,
    "sqrt": math.sqrt,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "erf": math.erf,
    "absolute": abs,
    "max": lambda *x: max(x),
    "min": lambda *x: min(x),
    "pi": lambda: math.pi,
}
_WIDTH = re.compile(r"u?int(\d+)")


def gives(expression: Expression, value: Any, dtype: str) -> bool:
    """Whether an expression gives a value, as far as it can be told: what cannot be worked out here is not doubted."""
    if isinstance(value, (bool, np.bool_)):
        return True
    try:
        found, size = _worked(expression)
    except (_Unknown, ArithmeticError, ValueError, TypeError):
        return True
    if not _finite(found) or not _finite(value):
        return True
    width = _WIDTH.fullmatch(dtype)
    if width and float(found).is_integer():
        return not (int(found) - int(value)) % 2 ** int(width[1])  # what grows too large starts from the other end
    return bool(abs(found - value) <= tolerance(dtype) * max(size, abs(value), 1e-12))


class _Unknown(Exception):
    """A part of an expression that is not worked out here."""


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except TypeError:  # complex
        return False


def _worked(node: Expression) -> tuple[Any, float]:
    """The value of an expression, and the size of the largest number in it, against which rounding counts."""
    match node:
        case Leaf():
            value = node.value.item() if hasattr(node.value, "item") else node.value
            return value, abs(value)
        case Sum():
            parts = [_worked(t) for t in node.terms]
            rest = node.rest if node.omitted else 0.0
            return sum(v for v, _ in parts) + rest, max([abs(rest), *(s for _, s in parts)])
        case Product():
            parts = [_worked(f) for f in node.factors]
            whole = math.prod(v for v, _ in parts) * (node.rest if node.omitted else 1.0)
            return whole, max([abs(whole), math.prod(s for _, s in parts)])
        case Negative():
            value, size = _worked(node.inner)
            return -value, size
        case Quotient():
            (above, size), (below, _) = _worked(node.numerator), _worked(node.denominator)
            return above / below, max(abs(above / below), size / abs(below))
        case Power():
            (base, _), (exponent, _) = _worked(node.base), _worked(node.exponent)
            return base**exponent, abs(base**exponent)
        case Choice():
            return _worked(node.chosen if node.first else node.other)
        case Apply() if node.function in _FUNCTIONS and not node.omitted:
            parts = [_worked(a) for a in node.arguments]
            value = _FUNCTIONS[node.function](*(v for v, _ in parts))
            return value, max([abs(value), *(s for _, s in parts)])
    raise _Unknown
