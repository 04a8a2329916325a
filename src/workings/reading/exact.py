"""Exact arithmetic on numbers as they are shown: whether a line of arithmetic ends in ``=`` or in ``≈``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from workings.frozen import frozen
from workings.reading.numbers import shown
from workings.recording.operations.expression import (
    Apply,
    Choice,
    Expression,
    Leaf,
    Negative,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    children,
)


@frozen
class Complex:
    """A complex number of two exact parts, with the arithmetic that a line may show."""

    real: Fraction
    imag: Fraction

    def __neg__(self) -> Complex:
        return Complex(-self.real, -self.imag)

    def __add__(self, other: Exact) -> Complex:
        b = _complex(other)
        return Complex(self.real + b.real, self.imag + b.imag)

    __radd__ = __add__

    def __mul__(self, other: Exact) -> Complex:
        b = _complex(other)
        return Complex(self.real * b.real - self.imag * b.imag, self.real * b.imag + self.imag * b.real)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact) -> Complex:
        b = _complex(other)
        size = b.real**2 + b.imag**2
        return self * Complex(b.real / size, -b.imag / size)

    def __rtruediv__(self, other: Exact) -> Complex:
        return _complex(other) / self

    def __pow__(self, exponent: int) -> Complex:
        power = Complex(Fraction(1), Fraction(0))
        for _ in range(abs(exponent)):
            power = power * self
        return power if exponent >= 0 else 1 / power  # type: ignore[operator]

    def __bool__(self) -> bool:
        return bool(self.real or self.imag)


Exact = Fraction | Complex


def _complex(value: Exact | int) -> Complex:
    return value if isinstance(value, Complex) else Complex(Fraction(value), Fraction(0))


def _real_where_it_is(value: Any) -> Any:
    return value.real if isinstance(value, Complex) and not value.imag else value


def exact(node: Expression, decimals: int | None) -> Exact | None:
    """The exact value of an expression read as it is shown; None where exact decimal arithmetic does not give one.

    Without ``decimals`` its numbers are taken as they are. A complex value without an imaginary part is a fraction.
    """
    return _real_where_it_is(_exact(node, decimals))  # type: ignore[no-any-return]


def _exact(node: Expression, decimals: int | None) -> Exact | None:
    match node:
        case Leaf():
            if isinstance(node.value, bool):
                return Fraction(int(node.value))  # among numbers, a truth counts as 1
            return _as_exact(node.value, decimals)
        case Negative():
            inner = exact(node.inner, decimals)
            return None if inner is None else -inner
        case Sum():
            terms = [exact(t, decimals) for t in node.terms]
            if node.omitted:
                terms.append(_as_exact(node.rest, decimals))
            return _all_known(terms, sum)
        case Product():
            factors = [exact(f, decimals) for f in node.factors]
            return None if node.omitted else _all_known(factors, math.prod)
        case Quotient():
            above, below = exact(node.numerator, decimals), exact(node.denominator, decimals)
            return None if above is None or not below else above / below
        case Power():
            base, exponent = exact(node.base, decimals), exact(node.exponent, decimals)
            if (
                base is None
                or not isinstance(exponent, Fraction)
                or exponent.denominator != 1
                or abs(exponent) > 64
                or (not base and exponent < 0)
            ):
                return None
            return base ** int(exponent)
        case Choice():
            return exact(node.chosen if node.first else node.other, decimals)
        case Apply():
            return _exact_function(node, decimals)
        case Relation():
            return _exact_relation(node.sign, exact(node.left, decimals), exact(node.right, decimals))


_ON_BITS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def _exact_relation(sign: str, left: Exact | None, right: Exact | None) -> Fraction | None:
    if not isinstance(left, Fraction) or not isinstance(right, Fraction):
        return None
    if sign in _ON_BITS:
        whole = left.denominator == right.denominator == 1 and (sign[0] not in "<>" or 0 <= right <= _MOST_BITS)
        return Fraction(_ON_BITS[sign](int(left), int(right))) if whole else None
    if not right or sign not in ("//", "mod"):
        return None
    return Fraction(left // right) if sign == "//" else left % right


def _as_exact(value: Any, decimals: int | None) -> Exact | None:
    """A number as it is shown, or as it is; None for what is no number and for infinities."""
    if isinstance(value, (complex, np.complexfloating)):
        parts = _as_exact(float(value.real), decimals), _as_exact(float(value.imag), decimals)
        return None if None in parts else Complex(*parts)  # type: ignore[arg-type]
    if decimals is not None:
        decimal = shown(value, decimals)
        return None if decimal is None else Fraction(decimal)
    return Fraction(value if isinstance(value, int) else float(value)) if math.isfinite(value) else None


def _all_known(parts: list[Exact | None], combine: Callable[[list[Any]], Any]) -> Exact | None:
    known = [p for p in parts if p is not None]
    if len(known) != len(parts):
        return None
    total = combine(known)
    return total if isinstance(total, Complex) else Fraction(total)


_MOST_BITS = 64
_AT_ZERO = {"exp": 1, "cos": 1, "cosh": 1, "sin": 0, "tan": 0, "tanh": 0, "sinh": 0, "erf": 0, "arctan": 0, "arcsin": 0}


_WHOLE_NUMBERS: dict[str, Callable[[Any], int | Fraction]] = {
    "int": lambda v: math.trunc(v[0]),
    "trunc": lambda v: math.trunc(v[0]),
    "floor": lambda v: math.floor(v[0]),
    "ceil": lambda v: math.ceil(v[0]),
    "sign": lambda v: (v[0] > 0) - (v[0] < 0),
    "round": lambda v: round(v[0], int(v[1])) if len(v) > 1 else round(v[0]),
    "rint": lambda v: round(v[0]),
    "argmax": lambda v: v.index(max(v)),
    "argmin": lambda v: v.index(min(v)),
    "count": lambda v: sum(x != 0 for x in v),
    "bitwise_not": lambda v: ~int(v[0]),
    "invert": lambda v: ~int(v[0]),
}
_BASES = {"log2": 2, "log10": 10}


def _exact_function(node: Apply, decimals: int | None) -> Exact | None:
    arguments = node.arguments
    if node.function in ("max", "min"):  # an infinity that loses takes no part
        loses = -math.inf if node.function == "max" else math.inf
        arguments = tuple(a for a in arguments if not (isinstance(a, Leaf) and a.value == loses))
    elif node.function == "exp" and isinstance(arguments[0], Leaf) and arguments[0].value == -math.inf:
        return Fraction(0)
    values = [exact(a, decimals) for a in arguments]
    if node.omitted or not values or None in values:
        return None
    first = values[0]
    if isinstance(first, Complex) and node.function == "absolute":
        return _root(first.real**2 + first.imag**2)
    if not all(isinstance(value, Fraction) for value in values):
        return None
    return _exact_real(node.function, values)  # type: ignore[arg-type]


def _exact_real(function: str, values: list[Fraction]) -> Fraction | None:
    first = values[0]
    if function in ("max", "min"):
        return (max if function == "max" else min)(values)
    if function in ("absolute", "float"):
        return abs(first) if function == "absolute" else first
    if function == "fmod" and values[1]:
        return first - values[1] * math.trunc(first / values[1])
    if function in _WHOLE_NUMBERS:
        return Fraction(_WHOLE_NUMBERS[function](values))
    if function == "sqrt":
        return _root(first)
    if first == 0 and function in _AT_ZERO:
        return Fraction(_AT_ZERO[function])
    if function in _BASES:
        return _logarithm(first, _BASES[function])
    return Fraction(0) if first == 1 and function == "log" else None


def _root(value: Fraction) -> Fraction | None:
    """A square root that is a fraction."""
    if value < 0:
        return None
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


def _logarithm(value: Fraction, base: int) -> Fraction | None:
    """The whole power of a base that a value is."""
    if value <= 0:
        return None
    try:
        power = round(math.log(value, base))
    except OverflowError:
        return None
    return Fraction(power) if Fraction(base) ** power == value else None


def sign_between(node: Expression, value: Any, decimals: int) -> str:
    """``=`` where exact decimal arithmetic on what is shown gives what is shown, otherwise ``≈``."""
    result = _real_where_it_is(_as_exact(value, decimals))
    if result is None:
        return "="  # infinities, NaN and truth values are shown as they are
    left = exact(node, decimals)
    return "=" if left is not None and left == result else "≈"


def sign_of(left: Expression, right: Expression, decimals: int) -> str:
    """The sign between two expressions as they are shown."""
    return "=" if _as_shown(left, right, decimals) else "≈"


def _as_shown(left: Expression, right: Expression, decimals: int) -> bool:
    """Whether two expressions are the same arithmetic on numbers that are shown exactly alike."""
    first, second = exact(left, decimals), exact(right, decimals)
    if first is not None and second is not None:
        return first == second
    if isinstance(left, Leaf) or isinstance(right, Leaf) or type(left) is not type(right):
        return isinstance(left, Leaf) and isinstance(right, Leaf) and left.value == right.value
    if isinstance(left, Apply) and isinstance(right, Apply) and left.function != right.function:
        return False
    mine, others = children(left), children(right)
    return len(mine) == len(others) and all(_as_shown(a, b, decimals) for a, b in zip(mine, others, strict=True))
