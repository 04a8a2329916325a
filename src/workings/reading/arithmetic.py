"""One number worked out, back to the numbers it came from."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from workings.frozen import evolve, frozen
from workings.reading.checking import gives
from workings.reading.exact import exact
from workings.reading.line import Arithmetic, Line
from workings.reading.numbers import number
from workings.recording.address import quote_selector
from workings.recording.index import label_at
from workings.recording.operations import meaning
from workings.recording.operations.bound import scalar
from workings.recording.operations.expression import (
    Expression,
    Leaf,
    Limits,
    Negative,
    Product,
    Relation,
    Sum,
    children,
    leaves,
)
from workings.recording.working import Ref, Step, Working

if TYPE_CHECKING:
    from workings.recording.opening import Opened

MOST_LINES = 60
_INLINE = 6  # how many unnamed steps of one statement may stand inside one another in a line
_FLAT = 100_000  # how many additions of a loop are gathered into one sum


@frozen
class _Place:
    """An element of a Working, or of the inside of an opened step of it."""

    working: Working
    ref: Ref
    inside: _Inside | None = None

    @property
    def step(self) -> Step:
        return self.working.steps[self.ref.step]

    @property
    def key(self) -> tuple[int, Ref]:
        return id(self.working), self.ref


@frozen
class _Inside:
    """Where an opened Working sits: the place that was opened, and what its inputs are outside."""

    opened: Opened
    outer: _Place


def arithmetic(working: Working, ref: Ref, *, depth: int | None = None, most: int | None = None) -> Arithmetic:
    """How one number came about.

    ``depth`` counts lines back from the number: 0 gives its own line alone; None goes back to what was given.
    ``most`` limits the lines (60, unless a depth is given). Nothing but the lines shown is worked out, however long the
    history. Raises ``ValueError`` where ``ref`` is not a single number.
    """
    shape = working.steps[ref.step].shape
    if len(ref.index) != len(shape):
        rest = shape[len(ref.index) :]
        if 0 in rest:
            raise ValueError(f"{working.path(ref.step)}: arithmetic is of one number; there is none here")
        instance = ", ".join(str(min(axis, size - 1, 1)) for axis, size in enumerate(rest))
        raise ValueError(
            f"{working.path(ref.step)}: arithmetic is of one number; say which of the {' × '.join(map(str, rest))} "
            f"numbers, as in [{instance}]"
        )
    if most is None:
        most = MOST_LINES if depth is None else sys.maxsize  # a depth that was asked for is given whole
    return _Writer(working.decimals, depth, most).work(_Place(working, ref))


_ELSEWHERE = (
    "origin not recorded: it is not what its inputs give; it was changed out of sight, or called in a way that is not "
    "worked out here"
)


class _Writer:
    def __init__(self, decimals: int, depth: int | None, most: int) -> None:
        self.decimals = decimals
        self.depth = depth
        self.most = most
        self.limits = Limits()

    def work(self, target: _Place) -> Arithmetic:
        """Lines in order of dependence. A stack of its own: histories are long."""
        done: dict[tuple[int, Ref], Line] = {}
        order: list[Line] = []
        more = 0
        stack: list[tuple[_Place, int, bool]] = [(target, 0, False)]
        waiting: dict[tuple[int, Ref], tuple[Line, list[_Place]]] = {}
        while stack:
            place, level, finished = stack.pop()
            origin = self.resolve(place)
            if origin.key in done:
                continue
            if finished:
                line, _ = waiting.pop(origin.key)
                done[origin.key] = line
                order.append(line)
                continue
            if origin.key in waiting:
                continue
            if len(order) + len(waiting) >= self.most:
                more += 1
                continue
            line, before = self.line(place, origin)
            waiting[origin.key] = (line, before)
            stack.append((place, level, True))
            if self.depth is None or level < self.depth:
                stack += [(p, level + 1, False) for p in reversed(before)]
        lines = [line for line in order if not _bare(line) or line is order[-1]]
        return Arithmetic(lines, more)

    def resolve(self, place: _Place) -> _Place:
        """Back through movements, composites' bare results and the walls of openings, to where a number was made."""
        while True:
            step = place.step
            kind = meaning.kind(step)
            if kind == "movement":
                found = self._element(place)
                if not isinstance(found, Leaf) or found.ref is None:
                    return place
                place = _Place(place.working, found.ref, place.inside)
            elif kind == "composite":
                from workings.recording.opening import NotOpened, open_step  # many examples have nothing to open

                try:
                    opened = open_step(place.working, step.number, place.ref.index)
                except NotOpened:
                    return place
                place = _Place(opened.working, opened.output, _Inside(opened, place))
            elif kind == "given" and place.inside is not None:
                outer = place.inside.opened.outer(place.ref)
                if outer is None:
                    return place
                above = place.inside.outer
                place = _Place(above.working, outer, above.inside)
            else:
                return place

    def line(self, place: _Place, origin: _Place) -> tuple[Line, list[_Place]]:
        value = _number(place)
        name = self.name(place)
        step = origin.step
        raw = self._element(origin)
        if raw is None:
            note = _note(step) if _is_changed(origin) else ""
            return Line(name, place.ref, value, self.decimals, site=step.site, note=note), []
        if not gives(raw, value, step.dtype):
            return Line(name, place.ref, value, self.decimals, site=step.site, note=_ELSEWHERE), []
        expression = self._gathered(origin, raw)
        expanded = self._inlined(origin, expression, _INLINE)
        shown = expanded if expanded is not expression else None
        if shown is not None and _sum_of_products(shown):
            expression, shown = shown, None  # the products need no line between them and their sum
        before = [
            _Place(origin.working, leaf.ref, origin.inside)
            for leaf in leaves(shown if shown is not None else expression)
            if leaf.ref is not None
        ]
        wrapped = _wrapped(step, shown if shown is not None else expression, value)
        line = Line(name, place.ref, value, self.decimals, expression, shown, step.site, wrapped, becomes=bool(wrapped))
        return line, before

    def _element(self, place: _Place) -> Expression | None:
        return meaning.element(place.working, place.step, place.ref.index, self.limits)

    def _gathered(self, origin: _Place, expression: Expression) -> Expression:
        """Additions made one at a time by the same line of code, as one sum."""
        if not isinstance(expression, Sum) or expression.omitted:
            return expression
        site = origin.step.site
        terms: list[Expression] = []
        current: Expression = expression
        count = 0
        while isinstance(current, Sum) and not current.omitted and count < _FLAT:
            count += 1
            if not current.terms:
                break
            first = current.terms[0]
            terms[:0] = current.terms[1:]
            if not isinstance(first, Leaf) or first.ref is None or isinstance(current.terms[-1], Negative):
                terms.insert(0, first)
                break
            earlier = self.resolve(_Place(origin.working, first.ref, origin.inside))
            if site is not None and earlier.step.site == site and earlier.working is origin.working:
                inner = self._element(earlier)
                if isinstance(inner, Sum) and count < _FLAT:
                    current = inner
                    continue
            if not (count > 1 and first.value == 0 and self._starts(earlier)):
                terms.insert(0, first)
            break
        if len(terms) <= self.limits.terms:
            return Sum(tuple(terms)) if len(terms) != 1 else terms[0]
        sizes = sorted(range(len(terms)), key=lambda i: -abs(_evaluated(terms[i])))[: self.limits.shown]
        kept = sorted(sizes)
        rest = sum(_evaluated(t) for i, t in enumerate(terms) if i not in set(kept))
        return Sum(tuple(terms[i] for i in kept), len(terms) - len(kept), rest)

    def _starts(self, place: _Place) -> bool:
        """Whether a zero is only where a loop's sum begins."""
        return meaning.kind(place.step) == "given"

    def _inlined(self, origin: _Place, node: Expression, room: int) -> Expression:
        """Steps without a name, made in the same statement, stand inside the line and have none of their own."""
        if isinstance(node, Leaf):
            return self._inline_leaf(origin, node, room)
        changed = [self._inlined(origin, child, room) for child in children(node)]
        if all(a is b for a, b in zip(changed, children(node), strict=True)):
            return node
        return rebuilt(node, changed)

    def _inline_leaf(self, origin: _Place, leaf: Leaf, room: int) -> Expression:
        if leaf.ref is None or room <= 0:
            return leaf
        inner = self.resolve(_Place(origin.working, leaf.ref, origin.inside))
        step, outer = inner.step, origin.step
        if inner.working is not origin.working or step.number == outer.number:
            return leaf
        same = (
            step.site is not None
            and step.site == outer.site
            and (step.statement == outer.statement or step.group == outer.group)
        )
        if not same or self._named(inner) or step.site is None:
            return leaf
        found = self._element(inner)
        if found is None or isinstance(found, Leaf) or len(leaves(found)) > 8:
            return leaf
        if not gives(found, _number(inner), step.dtype):
            return leaf
        return self._inlined(inner, found, room - 1)

    def _named(self, place: _Place) -> bool:
        return place.step.number in place.working.index.bound_steps

    def name(self, place: _Place) -> str:
        """The address of an element; inside an opening, behind the address of what was opened."""
        while place.inside is not None and place.step.operation == "given":
            outer = place.inside.opened.outer(place.ref)
            if outer is None:
                break
            place = _Place(place.inside.outer.working, outer, place.inside.outer.inside)
        index = place.working.index
        step = place.step
        path = self._path(place)
        if not place.ref.index:
            return path
        labels = index.labels(step.number)
        selectors = []
        for axis, at in enumerate(place.ref.index):
            names = labels[axis] if axis < len(labels) else None
            selectors.append(quote_selector(label_at(names, at)) if names else str(at))
        return f"{path}[{', '.join(selectors)}]"

    def _path(self, place: _Place) -> str:
        """The path of a step; of one inside an opening, behind the path of what was opened."""
        path = place.working.path(place.step.number)
        if place.inside is None:
            return place.working.index.place_name(place.step.number) or path
        own = path.split(".")
        names = own[2:] if len(own) > 2 else own[-1:]
        outer = place.inside.outer
        # Counted from the row that was opened alone, places would pass for those of the first row.
        around = self.name(outer) if place.inside.opened.part else self._path(outer)
        return ".".join([around, *names])


def rebuilt(node: Expression, parts: list[Expression]) -> Expression:
    """A node of the same kind with other children."""

    from workings.recording.operations.expression import Apply, Choice, Power, Quotient

    match node:
        case Sum():
            return evolve(node, terms=tuple(parts))
        case Product():
            return evolve(node, factors=tuple(parts))
        case Quotient():
            return Quotient(parts[0], parts[1])
        case Power():
            return Power(parts[0], parts[1])
        case Negative():
            return Negative(parts[0])
        case Apply():
            return evolve(node, arguments=tuple(parts))
        case Relation():
            return Relation(node.sign, parts[0], parts[1])
        case Choice():
            return Choice(parts[0], parts[1], parts[2], node.first)
    return node


def _sum_of_products(node: Expression) -> bool:
    """Whether an expression adds up numbers and products of numbers, and nothing else."""
    if not isinstance(node, Sum):
        return False
    inner = [t.inner if isinstance(t, Negative) else t for t in node.terms]
    return all(
        isinstance(t, Leaf) or (isinstance(t, Product) and all(isinstance(f, Leaf) for f in t.factors)) for t in inner
    )


def _number(place: _Place) -> Any:
    return scalar(place.working.value(place.ref))


def _wrapped(step: Step, expression: Expression, value: Any) -> str:
    """Integers of a fixed width start again from the other end when they grow too large."""
    if not step.dtype.startswith(("int", "uint")) or step.dtype == "int" or isinstance(expression, Leaf):
        return ""
    true = exact(expression, None)
    if not isinstance(true, Fraction) or true.denominator != 1 or true == int(value):
        return ""
    return f"{number(int(true), 0)}, wrapped around in {step.dtype}"


def _bare(line: Line) -> bool:
    """Whether a line says no more than a number that other lines already show."""
    return line.expression is None or isinstance(line.expression, Leaf)


def _is_changed(place: _Place) -> bool:
    """Whether a number is not one that a what-if left as it was, in a value of which it changed others."""
    changed = place.working.changed.get(place.step.number)
    return changed is None or bool(changed[place.ref.index])


def _note(step: Step) -> str:
    if step.operation == "given":
        return step.note
    if meaning.kind(step) == "opaque":
        return step.note or f"{step.function or step.operation} is not followed"
    if meaning.kind(step) == "composite":
        return f"origin not recorded: {step.operation} was called in a way that is not worked out here"
    return ""


def _evaluated(term: Expression) -> float:
    match term:
        case Leaf():
            return float(term.value.real)
        case Negative():
            return -_evaluated(term.inner)
        case Product():
            out = 1.0
            for factor in term.factors:
                out *= _evaluated(factor)
            return out
        case Sum():
            return sum(map(_evaluated, term.terms)) + term.rest.real
    return 0.0
