"""The arithmetic of one number as a small tree: what a reader would write on the board.

A tree says how a number was made, with the numbers it was made from as leaves. It has no printing of its own; see
:mod:`workings.reading.notation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workings.frozen import frozen

if TYPE_CHECKING:
    from workings.recording.working import Ref

Number = float | int | bool | complex


@frozen
class Leaf:
    """A number: an element of another step (``ref``), or one that stands in the source."""

    value: Number
    ref: Ref | None = None


@frozen
class Sum:
    """Terms added up. Of a long sum only the largest are held; ``omitted`` counts the others, ``rest`` is their sum."""

    terms: tuple[Expression, ...]
    omitted: int = 0
    rest: complex = 0.0


@frozen
class Product:
    """Factors multiplied. Of a long product only the first factors are held."""

    factors: tuple[Expression, ...]
    omitted: int = 0
    rest: float = 1.0


@frozen
class Quotient:
    numerator: Expression
    denominator: Expression


@frozen
class Power:
    base: Expression
    exponent: Expression


@frozen
class Negative:
    inner: Expression


@frozen
class Apply:
    """A named function of numbers: exp, √, sin, max, …"""

    function: str
    arguments: tuple[Expression, ...]
    omitted: int = 0


@frozen
class Relation:
    """Two numbers compared, or joined by a sign that has no node of its own (``//``, ``%``, ``&``)."""

    sign: str
    left: Expression
    right: Expression


@frozen
class Choice:
    """One of two numbers, chosen by a condition."""

    condition: Expression
    chosen: Expression
    other: Expression
    first: bool


Expression = Leaf | Sum | Product | Quotient | Power | Negative | Apply | Relation | Choice


@dataclass(slots=True, eq=False, repr=False)
class Limits:
    """How much of a long sum is held."""

    terms: int = 12
    shown: int = 4


def leaves(expression: Expression) -> list[Leaf]:
    """The leaves of a tree, from left to right."""
    out: list[Leaf] = []
    stack: list[Expression] = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            out.append(node)
        else:
            stack.extend(reversed(children(node)))
    return out


def children(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Leaf():
            return ()
        case Sum():
            return node.terms
        case Product():
            return node.factors
        case Quotient():
            return (node.numerator, node.denominator)
        case Power():
            return (node.base, node.exponent)
        case Negative():
            return (node.inner,)
        case Apply():
            return node.arguments
        case Relation():
            return (node.left, node.right)
        case Choice():
            return (node.condition, node.chosen, node.other)
