"""The tree between a statement and its printed formula: mathematics, neither Python nor LaTeX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields


class NoMathematicsError(Exception):
    """Raised inside the reader where a statement has no formula: strings, printing, control flow."""


@dataclass(frozen=True, slots=True)
class Node:
    """Any part of a formula."""


@dataclass(frozen=True, slots=True)
class Symbol(Node):
    """A letter, a name or an operator, with the indices its own name carries (the k of ``d_k``).

    ``wide`` marks names of several letters, which need air or a point beside them; ``operator`` the names of functions;
    ``matrix`` the letters that usually stand for matrices; ``raised`` a letter that already has something above it.
    """

    latex: str
    text: str
    indices: tuple[Node, ...] = ()
    wide: bool = False
    operator: bool = False
    matrix: bool = False
    raised: bool = False
    lowered: bool = False


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as the source writes it; ``exponent`` is the power of ten beside it."""

    digits: str
    exponent: str = ""
    imaginary: bool = False


@dataclass(frozen=True, slots=True)
class Words(Node):
    """A few upright words: ``row``, ``otherwise``, the key of a dictionary."""

    text: str


@dataclass(frozen=True, slots=True)
class Negative(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Two operands and a sign, a key of :data:`~workings.reading.formula.signs.SIGNS`."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Fraction(Node):
    top: Node
    bottom: Node


@dataclass(frozen=True, slots=True)
class Power(Node):
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Mark(Node):
    """A sign raised beside its base: transposed, inverted."""

    base: Node
    sign: str


@dataclass(frozen=True, slots=True)
class Root(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Subscript(Node):
    """Entries picked by ``indices``; a ``parameter`` belongs to the base instead (the row of a softmax by rows)."""

    base: Node
    indices: tuple[Node, ...]
    parameter: bool = False


@dataclass(frozen=True, slots=True)
class Span(Node):
    """A slice in an index."""

    start: Node | None
    stop: Node | None
    step: Node | None


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """A function of arguments; ``bare`` ones need no brackets round one simple argument: log x, max S."""

    function: Node
    arguments: tuple[Node, ...]
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Big(Node):
    """A sum or product sign, or a maximum, with what it runs over."""

    operator: Symbol
    bounds: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Ranged(Node):
    """A bound: ``variable`` from ``first`` to ``last``, the last one included."""

    variable: Node
    first: Node
    last: Node


@dataclass(frozen=True, slots=True)
class Fenced(Node):
    """An expression between a pair of fences."""

    fence: str
    content: Node


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """Expressions side by side; ``fence`` may be empty, ``separator`` a comma, a wide one or a bar."""

    items: tuple[Node, ...]
    fence: str = ""
    separator: str = ","


@dataclass(frozen=True, slots=True)
class Each(Node):
    """A family: ``body`` for every value that the bounds let through."""

    body: Node
    bounds: tuple[Node, ...]
    fence: str = "["


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Cases(Node):
    """Values with the conditions they hold under, and the value otherwise."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """A chain of items and the signs between them; a ``statement`` defines, a comparison is itself a value."""

    items: tuple[Node, ...]
    signs: tuple[str, ...]
    statement: bool = False


@dataclass(frozen=True, slots=True)
class Of(Node):
    """Words said of an expression: columns of K."""

    words: str
    operand: Node


def edge(node: Node, last: bool) -> Node:
    """The leaf a reader's eye meets first (or last) in an expression printed without brackets."""
    match node:
        case Binary(left=left, right=right):
            return edge(right if last else left, last)
        case Power(base=Symbol() | Subscript() | Number() as base) | Mark(base=Symbol() | Subscript() as base):
            return edge(base, last)
        case Subscript(base=base):
            return edge(base, last)
    return node


def walk(node: Node) -> Iterator[Node]:
    """``node`` and every part of it."""
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, Node):
            yield part
            pending += [getattr(part, each.name) for each in fields(part)]
        elif isinstance(part, tuple):
            pending += part
