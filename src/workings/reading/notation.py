"""Arithmetic written out: ``0.20×0.10 + 1.00×1.00``, with minus signs and brackets as a person would write them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from workings.frozen import frozen
from workings.reading.numbers import latex_number, number, shown
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

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 4, 5
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_NAMES = {
    "log": "ln",
    "log2": "log₂",
    "log10": "log₁₀",
    "absolute": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
}
_LATEX_NAMES = {
    "log": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "sin": r"\sin", "cos": r"\cos", "tan": r"\tan",
    "tanh": r"\tanh", "sinh": r"\sinh", "cosh": r"\cosh", "max": r"\max", "min": r"\min", "arcsin": r"\arcsin",
    "arccos": r"\arccos", "arctan": r"\arctan",
}  # fmt: skip
_LATEX_SIGNS = {
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "and": r"\land",
    "or": r"\lor",
    "mod": r"\bmod",
    "&": r"\&",
    "xor": r"\oplus",
}


@frozen
class Notation:
    """Writes expressions, as plain text or as LaTeX, with a number of decimals."""

    decimals: int
    latex: bool = False

    def write(self, node: Expression) -> str:
        return self._write(node)[0]

    def number(self, value: Any) -> str:
        return latex_number(value, self.decimals) if self.latex else number(value, self.decimals)

    # -- pieces: each gives its text, how tightly it binds, and whether it begins with a minus ------------------

    def _write(self, node: Expression) -> tuple[str, int]:
        match node:
            case Leaf():
                text = self.number(node.value)
                if isinstance(node.value, complex):
                    return text, 0
                if text[0] in "−-":
                    return text, _SUM
                return text, _PRODUCT if "×" in text or r"\times" in text else _ATOM
            case Negative():
                return self._minus + self._tight(node.inner, _PRODUCT), _SUM
            case Sum():
                return self._sum(node), _SUM
            case Product():
                return self._product(node), _PRODUCT
            case Quotient():
                return self._quotient(node)
            case Power():
                return self._power(node), _POWER
            case Relation():
                sign = _LATEX_SIGNS.get(node.sign, node.sign) if self.latex else node.sign
                level = _PRODUCT if node.sign in ("//", "mod", "<<", ">>") else _SUM
                return f"{self._tight(node.left, level)} {sign} {self._tight(node.right, level)}", 0
            case Choice():
                return self._choice(node), _ATOM
            case Apply():
                return self._apply(node), _ATOM

    @property
    def _minus(self) -> str:
        return "-" if self.latex else "−"

    def _brackets(self, text: str) -> str:
        return rf"\left({text}\right)" if self.latex else f"({text})"

    def _tight(self, node: Expression, level: int) -> str:
        text, binds = self._write(node)
        return self._brackets(text) if binds < level else text

    def _sum(self, node: Sum) -> str:
        out = ""
        for place, term in enumerate(node.terms):
            minus, text = self._signed(term)
            if place:
                out += f" {self._minus} " if minus else " + "
            elif minus:
                out += self._minus
            out += text
        if node.omitted:
            more = f"{node.omitted:,} more".replace(",", " ")
            rest = self.number(node.rest)
            out += (
                rf" + \cdots\ (\text{{{more}, together }} {rest})" if self.latex else f" + … ({more}, together {rest})"
            )
        return out or "0"

    def _signed(self, term: Expression) -> tuple[bool, str]:
        """A term of a sum without its sign, and whether it is taken away."""
        if isinstance(term, Negative):
            minus, text = self._signed(term.inner)
            if isinstance(term.inner, (Sum, Relation)):
                return True, self._brackets(self.write(term.inner))
            return (True, text) if not minus else (True, self._brackets(self.write(term.inner)))
        if isinstance(term, Product) and term.factors:
            term = _flat(term)
            minus = isinstance(term.factors[0], Leaf) and self._signed(term.factors[0])[0]
            if minus:
                rest = Product((Leaf(-_real(term.factors[0])), *term.factors[1:]), term.omitted, term.rest)
                return True, self._product(rest)
            return False, self._product(term)
        if isinstance(term, Leaf):
            text = self.number(term.value)
            if isinstance(term.value, complex):
                return False, self._brackets(text)
            return (True, text[1:]) if text.startswith(("−", "-")) else (False, text)
        if isinstance(term, Sum):
            return False, self._brackets(self._sum(term)) if len(term.terms) > 1 else self._sum(term)
        if isinstance(term, Relation):
            return False, self._brackets(self.write(term))
        return False, self.write(term)

    def _product(self, node: Product) -> str:
        sign = r" \times " if self.latex else "×"
        parts = []
        node = _flat(node)
        for place, factor in enumerate(node.factors):
            text, binds = self._write(factor)
            beside = len(node.factors) > 1 and isinstance(factor, Quotient) and not self.latex
            if binds < _PRODUCT or beside:
                first = place == 0 and isinstance(factor, Leaf) and not isinstance(factor.value, complex)
                text = text if first else self._brackets(text)
            parts.append(text)
        out = sign.join(parts)
        if node.omitted:
            out += rf"{sign}\cdots" if self.latex else f"{sign}… ({node.omitted} more)"
        return out

    def _quotient(self, node: Quotient) -> tuple[str, int]:
        if self.latex:
            return rf"\frac{{{self.write(node.numerator)}}}{{{self.write(node.denominator)}}}", _ATOM
        below, binds = self._write(node.denominator)
        if binds <= _PRODUCT:
            below = self._brackets(below)
        above, binds = self._write(node.numerator)
        if binds < _PRODUCT and not isinstance(node.numerator, Leaf):
            above = self._brackets(above)
        return f"{above} / {below}", _PRODUCT

    def _power(self, node: Power) -> str:
        base, binds = self._write(node.base)
        if binds < _ATOM:
            base = self._brackets(base)
        exponent = self.write(node.exponent)
        if self.latex:
            return f"{base}^{{{exponent}}}"
        if isinstance(node.exponent, Leaf) and exponent.replace("−", "").isdigit():
            return base + exponent.replace("−", "-").translate(_SUPERSCRIPTS)
        return f"{base}^{exponent if isinstance(node.exponent, Leaf) and exponent[0] != '−' else f'({exponent})'}"

    def _apply(self, node: Apply) -> str:
        if node.function == "pi":
            return r"\pi" if self.latex else "π"
        parts = [self.write(a) for a in node.arguments]
        if node.omitted:
            parts.append(rf"\ldots\ \text{{({node.omitted} more)}}" if self.latex else f"… {node.omitted} more")
        inside = ", ".join(parts)
        if node.function == "sqrt":
            if self.latex:
                return rf"\sqrt{{{inside}}}"
            return (
                f"√{inside}" if isinstance(node.arguments[0], Leaf) and not inside.startswith("−") else f"√({inside})"
            )
        if node.function == "absolute":
            return rf"\left|{inside}\right|" if self.latex else f"|{inside}|"
        if self.latex:
            if node.function == "exp":
                return f"e^{{{inside}}}"
            name = _LATEX_NAMES.get(node.function, rf"\operatorname{{{node.function.replace('_', ' ')}}}")
            return rf"{name}\left({inside}\right)"
        return f"{_NAMES.get(node.function, node.function)}({inside})"

    def _choice(self, node: Choice) -> str:
        chosen = self.write(node.chosen if node.first else node.other)
        condition = self.write(node.condition)
        word = "since" if node.first else "since not"
        if isinstance(node.condition, Leaf):
            condition, word = ("true" if node.first else "false"), "condition"
        return rf"{chosen}\ (\text{{{word} }} {condition})" if self.latex else f"{chosen} ({word} {condition})"


def _flat(node: Product) -> Product:
    """A product of products as one."""
    factors: list[Expression] = []
    for factor in node.factors:
        inner = _flat(factor) if isinstance(factor, Product) else factor
        factors += inner.factors if isinstance(inner, Product) and not inner.omitted else (inner,)
    return Product(tuple(factors), node.omitted, node.rest)


def _real(node: Expression) -> float:
    return node.value.real if isinstance(node, Leaf) else 0.0


# -- exact arithmetic on what is shown --------------------------------------------------------------------------------


def exact(node: Expression, decimals: int | None) -> Fraction | None:
    """The exact value of an expression read as it is shown; None where exact decimal arithmetic does not give one.

    Without ``decimals`` its numbers are taken as they are.
    """
    match node:
        case Leaf():
            if isinstance(node.value, bool):
                return Fraction(int(node.value))  # among numbers, a truth counts as 1
            return _as_fraction(node.value, decimals)
        case Negative():
            inner = exact(node.inner, decimals)
            return None if inner is None else -inner
        case Sum():
            terms = [exact(t, decimals) for t in node.terms]
            if node.omitted:
                terms.append(_as_fraction(node.rest, decimals))
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
                or exponent is None
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
            left, right = exact(node.left, decimals), exact(node.right, decimals)
            if left is None or right is None or not right or node.sign not in ("//", "mod"):
                return None
            return Fraction(left // right) if node.sign == "//" else left % right


def _as_fraction(value: Any, decimals: int | None) -> Fraction | None:
    if decimals is not None:
        decimal = shown(value, decimals)
        return None if decimal is None else Fraction(decimal)
    if isinstance(value, complex) or not math.isfinite(value):
        return None
    return Fraction(value if isinstance(value, int) else float(value))


def _all_known(parts: list[Fraction | None], combine: Callable[[list[Fraction]], Any]) -> Fraction | None:
    known = [p for p in parts if p is not None]
    return Fraction(combine(known)) if len(known) == len(parts) else None


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
}


def _exact_function(node: Apply, decimals: int | None) -> Fraction | None:
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
    assert first is not None
    if node.function in ("max", "min"):
        return (max if node.function == "max" else min)(values)  # type: ignore[type-var]
    if node.function in ("absolute", "float"):
        return abs(first) if node.function == "absolute" else first
    if node.function == "fmod" and values[1]:
        return first - values[1] * math.trunc(first / values[1])
    if node.function in _WHOLE_NUMBERS:
        return Fraction(_WHOLE_NUMBERS[node.function](values))
    if node.function == "sqrt" and first >= 0:
        root = Fraction(math.isqrt(first.numerator), math.isqrt(first.denominator))
        return root if root * root == first else None
    if first == 0 and node.function in _AT_ZERO:
        return Fraction(_AT_ZERO[node.function])
    if first == 1 and node.function in ("log", "log2", "log10"):
        return Fraction(0)
    return None


def sign_between(node: Expression, value: Any, decimals: int) -> str:
    """``=`` where exact decimal arithmetic on what is shown gives what is shown, otherwise ``≈``."""
    result = shown(value, decimals)
    if result is None:
        return "="  # infinities, NaN and truth values are shown as they are
    left = exact(node, decimals)
    return "=" if left is not None and left == Fraction(result) else "≈"


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
