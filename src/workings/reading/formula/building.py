"""Formula trees put together the way a person would: minus signs in front, halves as roots, choices in one brace."""

from __future__ import annotations

from workings.reading.formula.nodes import (
    Apply,
    Big,
    Binary,
    Cases,
    Fraction,
    Mark,
    Matrix,
    Negative,
    Node,
    Number,
    Power,
    Relation,
    Root,
    Subscript,
    Symbol,
    walk,
)
from workings.reading.formula.symbols import operator

DOTS = Symbol(r"\dots", "…")
EXP = operator("exp", r"\exp")
LOG = operator("log", r"\log")
SUM = Symbol(r"\sum", "Σ", operator=True)
_TRIGONOMETRIC = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
_LONGEST_EXPONENT = 9


def product(sign: str, left: Node, right: Node) -> Node:
    """A product, its minus sign in front; of two matrices entry by entry, with a sign that says so."""
    if isinstance(left, Negative):
        return Negative(product(sign, left.operand, right))
    if sign == "*" and _both_matrices(left, right):
        return Binary("elementwise", left, right)
    if sign == "*" and left == right and isinstance(left, (Symbol, Subscript)):
        return Power(left, Number("2"))
    match sign, right:
        case "*", Fraction(top=Number(digits="1", exponent=""), bottom=bottom) if not isinstance(left, Number):
            return Fraction(left, bottom)
    return Binary(sign, left, right)


def fraction(top: Node, bottom: Node) -> Node:
    if isinstance(top, Negative):
        return Negative(fraction(top.operand, bottom))
    return Fraction(top, bottom)


def power(base: Node, exponent: Node) -> Node:
    """A power: a half is a root, and the square of a sine is written on its name."""
    if exponent == Number("0.5") or exponent == Fraction(Number("1"), Number("2")):
        return Root(base)
    if isinstance(base, Apply) and base.bare and isinstance(exponent, Number):
        name = base.function
        if isinstance(name, Symbol) and name.text in _TRIGONOMETRIC:
            return Apply(Power(name, exponent), base.arguments, bare=True)
    return Power(base, exponent)


def cases(value: Node, condition: Node, otherwise: Node) -> Node:
    """A choice; one that stands in the otherwise of another joins it."""
    if isinstance(otherwise, Cases):
        return Cases(((value, condition), *otherwise.branches), otherwise.otherwise)
    return Cases(((value, condition),), otherwise)


def one_less(node: Node) -> Node:
    match node:
        case Number(digits=digits) if digits.isdigit() and not node.exponent:
            return Number(str(int(digits) - 1)) if int(digits) else Negative(Number("1"))
        case Binary(sign="+", left=left, right=Number(digits="1", exponent="")):
            return left
    return Binary("-", node, Number("1"))


def is_matrix(node: Node) -> bool:
    """Whether a factor is a matrix for certain: transposed, a matrix product, a letter that always is one."""
    match node:
        case Symbol(matrix=matrix):
            return matrix
        case Mark() | Binary(sign="@" | "elementwise"):
            return True
    return False


def _both_matrices(left: Node, right: Node) -> bool:
    """Whether two factors are matrices. B and C may be matrices or sizes: the other factor decides."""
    if not (is_matrix(left) or is_matrix(right)):
        return False
    return all(is_matrix(side) or (isinstance(side, Symbol) and _is_capital(side)) for side in (left, right))


def _is_capital(symbol: Symbol) -> bool:
    return not symbol.wide and not symbol.indices and symbol.text[:1].isupper()


def exponential(argument: Node, named: bool = False) -> Node:
    """The letter e with a short exponent; the name exp before anything tall or long, or where ``named``."""
    parts = list(walk(argument))
    tall = any(isinstance(part, (Big, Cases, Matrix, Relation, Root)) for part in parts)
    stacked = any(
        not (isinstance(part.exponent, Number) or isinstance(part.base, Number))
        for part in parts
        if isinstance(part, Power)
    )
    broken = any(len(list(walk(part))) > 3 for part in parts if isinstance(part, Fraction))
    if named or tall or stacked or broken or len(parts) > _LONGEST_EXPONENT:
        return Apply(EXP, (argument,))
    return Power(Symbol("e", "e"), argument)


def chain(sign: str, nodes: tuple[Node, ...]) -> Node:
    """Several nodes with one sign between them."""
    first, *rest = nodes
    for other in rest:
        first = Binary(sign, first, other)
    return first
