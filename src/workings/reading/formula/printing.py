"""What the two printers share: when to bracket, and what stands between two factors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from workings.reading.formula.nodes import (
    Apply,
    Big,
    Binary,
    Fenced,
    Fraction,
    Negative,
    Node,
    Not,
    Number,
    Of,
    Power,
    Relation,
    Sequence,
    Subscript,
    Symbol,
    Words,
    edge,
)
from workings.reading.formula.signs import SIGNS, Level, Style, goes_bare, level


class Printer(ABC):
    """Writes a tree down in one style; a subclass has the signs, and a ``write_`` method for each kind of node."""

    style: Style

    def show(self, node: Node) -> str:
        write: Callable[[Any], str] = getattr(self, "write_" + type(node).__name__.lower())
        return write(node)

    def within(self, node: Node, least: Level) -> str:
        """``node`` where at least ``least`` is needed: with brackets, if it is looser than that."""
        if level(node, self.style) >= least:
            return self.show(node)
        if isinstance(node, Apply) and node.bare and least < Level.ATOM:
            return self.closed(node)
        return self.bracket(self.show(node))

    def listed(self, nodes: Iterable[Node]) -> str:
        return ", ".join(self.within(node, Level.STATEMENT) for node in nodes)

    @abstractmethod
    def bracket(self, inner: str) -> str: ...

    @abstractmethod
    def closed(self, node: Apply) -> str:
        """A function with brackets round its arguments."""

    @abstractmethod
    def sign(self, name: str) -> str: ...

    @abstractmethod
    def relation(self, name: str) -> str: ...

    @abstractmethod
    def between(self, sign: str, left: Node | None, right: Node | None) -> str:
        """What stands between two factors; None is a factor in brackets."""

    @property
    def defining(self) -> Printer:
        """The printer of what a statement defines."""
        return self

    # -- kinds that both styles write alike, but for the signs ------------------------------------------------------

    def write_binary(self, node: Binary) -> str:
        own = SIGNS[node.sign][2]
        if own == Level.PRODUCT:
            return self._product(node)
        sign = self.sign(node.sign)
        if own != Level.POINT:
            return f"{self.within(node.left, own)} {sign} {self.within(node.right, Level(own + 1))}"
        least = Level.PRODUCT if node.sign == "mod" else Level.POWER
        chained = isinstance(node.left, Binary) and node.left.sign == node.sign
        left = self.show(node.left) if chained else self.within(node.left, least)
        return f"{left} {sign} {self.within(node.right, least)}"

    def _product(self, node: Binary) -> str:
        left, right = node.left, node.right
        loose = level(left, self.style) < Level.PRODUCT and not _closes(left)
        first = self.within(left, Level.PRODUCT)
        apart = level(right, self.style) <= Level.PRODUCT and not isinstance(right, (Big, Apply, Of))
        if isinstance(left, Number) and isinstance(right, Binary) and right.sign in "*@":
            apart = False
        second = self.bracket(self.show(right)) if apart else self.show(right)
        ends = None if loose else edge(left, True)
        return first + self.between(node.sign, ends, None if apart else edge(right, False)) + second

    def write_negative(self, node: Negative) -> str:
        return self.sign("-").strip() + self.within(node.operand, Level.FRACTION)

    def write_not(self, node: Not) -> str:
        return self.relation("not") + self.within(node.operand, Level.ADDITION)

    def write_relation(self, node: Relation) -> str:
        least = Level.CASES if node.statement else Level.ADDITION
        first = self.defining if node.statement else self
        parts = []
        for item, sign in zip(node.items, node.signs, strict=False):
            parts += [first.within(item, least), self.relation(sign)]
        return " ".join([*parts, self.within(node.items[-1], least)])

    def write_apply(self, node: Apply) -> str:
        if goes_bare(node, self.style):
            return f"{self.function(node.function)} {self.show(node.arguments[0])}"
        return self.closed(node)

    def powered(self, node: Node) -> str:
        """The base of a power; the 2 of ‖x‖₂² stands beside the other."""
        if isinstance(node, Subscript) and isinstance(node.base, Fenced):
            return self.show(node)
        return self.within(node, Level.ATOM)

    def function(self, node: Node) -> str:
        if isinstance(node, (Symbol, Subscript, Power)):
            return self.show(node)
        return self.within(node, Level.ATOM)

    # -- what stands between factors --------------------------------------------------------------------------------

    def runs_on(self, left: Node | None, right: Node | None) -> bool:
        """Whether a name of several letters or a few words would run into its neighbour."""
        return any(isinstance(side, (Words, Of)) or (isinstance(side, Symbol) and side.wide) for side in (left, right))

    def misleads(self, left: Node | None, right: Node | None) -> bool:
        """Whether two factors side by side would read as one number, or as a function of the second."""
        if isinstance(right, Number) or (isinstance(left, Number) and isinstance(right, Fraction)):
            return True
        called = isinstance(left, Symbol) and left.text in {"f", "g", "h"}
        return called and (right is None or (isinstance(right, Sequence) and right.fence == "("))


def _closes(node: Node) -> bool:
    """Whether a function takes brackets of its own rather than brackets around it."""
    return isinstance(node, Apply) and node.bare


def gathered(node: Subscript) -> tuple[Node, tuple[Node, ...]]:
    """Indices of indices in one row: the entry j of the row i is the entry ij."""
    base = node.base
    if isinstance(base, Subscript) and not (base.parameter or node.parameter):
        inner, indices = gathered(base)
        return inner, indices + node.indices
    return base, node.indices
