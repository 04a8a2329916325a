"""The tree between a statement and its printed formula: mathematics, neither Python nor LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from workings.frozen import frozen, names_of


class NoMathematicsError(Exception):
    """Raised inside the reader where a statement has no formula: strings, printing, control flow."""


@frozen
class Node:
    """Any part of a formula."""


@frozen
class Symbol(Node):
    """A letter, a name or an operator, with the indices its own name carries (the k of ``d_k``).

    ``wide`` marks names of several letters, which need air or a point beside them; ``operator`` the names of functions;
    ``matrix`` the letters that usually stand for matrices; ``raised`` a letter that already has something above it.
    ``name`` is what the program calls it, where it stands for one of its variables.
    """

    latex: str
    text: str
    indices: tuple[Node, ...] = ()
    wide: bool = False
    operator: bool = False
    matrix: bool = False
    raised: bool = False
    lowered: bool = False
    name: str = ""

    def __eq__(self, other: object) -> bool:
        """Symbols that look alike are alike, whatever the program calls them."""
        return isinstance(other, Symbol) and self._look() == other._look()

    def __hash__(self) -> int:
        return hash(self._look())

    def _look(self) -> tuple[object, ...]:
        return tuple(getattr(self, field) for field in names_of(self) if field != "name")


@frozen
class Number(Node):
    """A number as the source writes it; ``exponent`` is the power of ten beside it."""

    digits: str
    exponent: str = ""
    imaginary: bool = False


@frozen
class Words(Node):
    """A few upright words: ``row``, ``otherwise``, the key of a dictionary."""

    text: str


@frozen
class Negative(Node):
    operand: Node


@frozen
class Not(Node):
    operand: Node


@frozen
class Binary(Node):
    """Two operands and a sign, a key of :data:`~workings.reading.formula.signs.SIGNS`."""

    sign: str
    left: Node
    right: Node


@frozen
class Fraction(Node):
    top: Node
    bottom: Node


@frozen
class Power(Node):
    base: Node
    exponent: Node


@frozen
class Mark(Node):
    """A sign raised beside its base: transposed, inverted."""

    base: Node
    sign: str


@frozen
class Root(Node):
    operand: Node


@frozen
class Subscript(Node):
    """Entries picked by ``indices``; a ``parameter`` belongs to the base instead (the row of a softmax by rows)."""

    base: Node
    indices: tuple[Node, ...]
    parameter: bool = False


@frozen
class Span(Node):
    """A slice in an index."""

    start: Node | None
    stop: Node | None
    step: Node | None


@frozen
class Apply(Node):
    """A function of arguments; ``bare`` ones need no brackets round one simple argument: log x, max S."""

    function: Node
    arguments: tuple[Node, ...]
    bare: bool = False


@frozen
class Big(Node):
    """A sum or product sign, or a maximum, with what it runs over."""

    operator: Symbol
    bounds: tuple[Node, ...]
    body: Node


@frozen
class Ranged(Node):
    """A bound: ``variable`` from ``first`` to ``last``, the last one included."""

    variable: Node
    first: Node
    last: Node


@frozen
class Fenced(Node):
    """An expression between a pair of fences."""

    fence: str
    content: Node


@frozen
class Sequence(Node):
    """Expressions side by side; ``fence`` may be empty, ``separator`` a comma, a wide one or a bar."""

    items: tuple[Node, ...]
    fence: str = ""
    separator: str = ","


@frozen
class Each(Node):
    """A family: ``body`` for every value that the bounds let through."""

    body: Node
    bounds: tuple[Node, ...]
    fence: str = "["


@frozen
class Matrix(Node):
    rows: tuple[tuple[Node, ...], ...]


@frozen
class Cases(Node):
    """Values with the conditions they hold under, and the value otherwise."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node


@frozen
class Relation(Node):
    """A chain of items and the signs between them; a ``statement`` defines, a comparison is itself a value."""

    items: tuple[Node, ...]
    signs: tuple[str, ...]
    statement: bool = False


@frozen
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
            pending += [getattr(part, name) for name in names_of(part)]
        elif isinstance(part, tuple):
            pending += part
