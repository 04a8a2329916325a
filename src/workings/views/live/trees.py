"""Arithmetic of one element as plain data for the page: which numbers, joined how."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workings.frozen import frozen
from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.expression import (
    Apply,
    Choice,
    Expression,
    Leaf,
    Limits,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
)
from workings.recording.working import Ref, Slot

EVERYTHING = Limits(terms=2**62, shown=2**62)
Tree = Any
"""A number; ``["$", n]`` for input n; or a sign with its trees: ``["+", ...]``, ``["f", "exp", ...]``."""


class NotForThePage(Exception):
    """A step that the page cannot run again; the message says why."""


@frozen
class Marked(Operand):
    """An operand whose elements are all one leaf, which says which input it is: a rule's tree is then a pattern."""

    place: int = 0

    def leaf(self, index: Sequence[int]) -> Leaf:
        return Leaf(1.0, Ref(-1 - self.place))


class Pattern(Bound):
    """A step's call with its inputs marked."""

    def _filled(self, template: Any) -> Any:
        if isinstance(template, Slot):
            return Marked(self.working, self.step.inputs[template.position], place=template.position)
        return super()._filled(template)

    def operand(self, place: int) -> Operand:
        return self._one(super().operand(place))

    def named_operand(self, name: str) -> Operand | None:
        found = super().named_operand(name)
        return None if found is None else self._one(found)

    def _one(self, operand: Operand) -> Operand:
        """Numbers that stand in the call are part of the pattern, if they are one number."""
        if operand.ref is None and operand.array.size != 1:
            raise NotForThePage("an array that stands in the call itself")
        return operand


def marked(leaf: Leaf) -> Tree:
    """A leaf of a pattern: the number of its input, or a number that stands in the rule."""
    return number(leaf.value) if leaf.ref is None else ["$", -1 - leaf.ref.step]


def tree(node: Expression, leaf: Callable[[Leaf], Tree] = marked) -> Tree:
    """An expression as plain data; ``leaf`` says what stands in the place of its leaves.

    Raises:
        NotForThePage: it holds a complex number.
    """

    def several(parts: Sequence[Expression]) -> list[Tree]:
        return [tree(part, leaf) for part in parts]

    match node:
        case Leaf():
            return leaf(node)
        case Sum():
            return ["+", *several(node.terms)]
        case Product():
            return ["*", *several(node.factors)]
        case Quotient():
            return ["/", *several((node.numerator, node.denominator))]
        case Power():
            return ["^", *several((node.base, node.exponent))]
        case Negative():
            return ["-", *several((node.inner,))]
        case Apply():
            return ["f", node.function, *several(node.arguments)]
        case Relation():
            return ["r", node.sign, *several((node.left, node.right))]
        case Choice():
            return ["?", *several((node.condition, node.chosen, node.other))]


def number(value: Number) -> Any:
    """A number as JSON has it; what JSON lacks is ``["n", "Infinity"]``."""
    if isinstance(value, complex):
        raise NotForThePage("complex numbers")
    if isinstance(value, bool):
        return value
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and not math.isfinite(plain):
        return ["n", "NaN" if math.isnan(plain) else "Infinity" if plain > 0 else "-Infinity"]
    return plain


def functions(node: Tree, found: set[str]) -> None:
    """Adds the names of the functions and the signs that a tree uses."""
    if not isinstance(node, list) or not node or node[0] in ("$", "@", "n"):
        return
    named = node[0] in ("f", "r")
    found.add(node[1] if named else node[0])
    for part in node[2 if named else 1 :]:
        functions(part, found)


KNOWN: Mapping[str, frozenset[str]] = {
    "functions": frozenset(
        "exp log log2 log10 sqrt cbrt sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh "
        "absolute sign floor ceil rint round trunc erf isnan isinf isfinite logical_not bitwise_not invert degrees "
        "rad2deg radians deg2rad logaddexp copysign heaviside int float bool max min pi fmod count any all argmax "
        "argmin expm1 log1p".split()
    ),
    "signs": frozenset("< ≤ > ≥ = ≠ and or xor & | ^ // mod << >>".split()),
}
"""What the page's kernels compute; a test compares each with Python."""


def known(node: Tree) -> None:
    """Raises :class:`NotForThePage` where a tree uses what the page does not compute."""
    found: set[str] = set()
    functions(node, found)
    missing = found - KNOWN["functions"] - KNOWN["signs"] - {"+", "*", "/", "^", "-", "?"}
    if missing:
        raise NotForThePage(f"{', '.join(sorted(missing))} is not computed on the page")
