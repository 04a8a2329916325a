"""Arithmetic written out: ``0.20×0.10 + 1.00×1.00``, with minus signs and brackets as a person would write them."""

from __future__ import annotations

from typing import Any

from workings.frozen import frozen
from workings.reading.numbers import latex_number, number
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
    "bitwise_not": "not",
    "invert": "not",
}
_LATEX_NAMES = {
    "log": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "sin": r"\sin", "cos": r"\cos", "tan": r"\tan",
    "tanh": r"\tanh", "sinh": r"\sinh", "cosh": r"\cosh", "max": r"\max", "min": r"\min", "arcsin": r"\arcsin",
    "arccos": r"\arccos", "arctan": r"\arctan", "bitwise_not": r"\lnot", "invert": r"\lnot",
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
                if _has_two_parts(node.value):
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
            text = self.number(_counted(term.value))
            if _has_two_parts(term.value):
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
                first = place == 0 and isinstance(factor, Leaf) and not _has_two_parts(factor.value)
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
        if binds < _PRODUCT and (not isinstance(node.numerator, Leaf) or _has_two_parts(node.numerator.value)):
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


def _counted(value: Any) -> Any:
    """Among the terms of a sum a truth counts as 1."""
    return int(value) if isinstance(value, bool) else value


def _has_two_parts(value: Any) -> bool:
    """Whether a number is written as a sum: ``1.00 + 2.00i``."""
    return isinstance(value, complex) and value.real != 0


def _real(node: Expression) -> float:
    return node.value.real if isinstance(node, Leaf) else 0.0
