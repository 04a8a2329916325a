"""Steps that no line of source spells out: which of them a reader is shown, and how each came about.

What a library's module computes inside has no line of its own, and neither has anything in ``with wk.record(model)``.
A person who wrote it down would give a line to every product, sum and known function, and write the small arithmetic
between them, and what only lays numbers out in another way, inside these lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from workings.frozen import frozen
from workings.reading.formula import Formula
from workings.reading.layout import is_layout, is_part
from workings.reading.symbolic import Names, step_formula
from workings.reading.walk import is_unwritten
from workings.recording.operations import meaning
from workings.recording.operations.bound import operation_of
from workings.recording.operations.catalogue import CATALOGUE, arrays, describe
from workings.recording.operations.number_types import conversion, sentence
from workings.recording.working import Binding, Group, Ref, Step, Working

_LONGEST = 10  # operations written in one formula
_BOOKKEEPING = {"transpose", "put_flat", "take_flat"}  # done for what comes after; where nothing does, nobody asks
_SAYS_IT_ALL = {
    "add", "subtract", "rsub", "multiply", "divide", "power", "negative", "square", "addcmul", "addcdiv", "getitem",
    "concatenate", "split", "unbind",
}  # fmt: skip
"""Operations whose sentence would say no more than their formula."""


@frozen
class Line:
    """A value to be shown: a name that was given to it, or a step worth a line without one."""

    ref: Ref
    name: str
    formula: Formula | None
    about: str
    given: bool = False
    moved: bool = False
    """Whether it only lays out the numbers of another value in another way."""


class Unwritten:
    """The unwritten steps of one Working."""

    def __init__(self, working: Working) -> None:
        self.working = working
        self.names = Names.of(working)
        self.unwritten = {
            s.number
            for s in working.steps
            if s.operation != "given" and is_unwritten(working, working.groups[s.group], s.site)
        }
        self.groups: dict[int, list[int]] = {}  # where each step has names
        for binding in working.bindings:
            if not binding.ref.index:
                self.groups.setdefault(binding.ref.step, []).append(binding.group)
        self._held = {b.ref.step for b in working.bindings}
        self.users: dict[int, set[int]] = {}
        self.cut: set[int] = set()  # used by part
        for step in working.steps:
            for ref in step.inputs:
                self.users.setdefault(ref.step, set()).add(step.number)
                self.cut |= {ref.step} if ref.index else set()
        self.layout = {n for n in self.unwritten if is_layout(working, working.steps[n])}
        self.passed_on = self.layout | {n for n in self.unwritten if is_part(working, working.steps[n])}
        self._through = self.passed_on - self.groups.keys()
        self.views = {n for n in self.unwritten if self._is_view(n)}
        self.results = {n for n in self.layout if self._is_result(n)}
        self._through -= self.results
        self._told: set[Ref] = set()
        self.inside: set[int] = set()  # written out where they are used
        self.lines = {n for n in sorted(self.unwritten) if n not in self.groups and self._has_line(n)}

    # -- which steps have a line ------------------------------------------------------------------------------------

    def _is_view(self, number: int) -> bool:
        """Whether a value is a part of one that was there before, as it was handed in."""
        step = self.working.steps[number]
        return step.operation == "take_flat" and self.working.steps[step.inputs[0].step].operation == "given"

    def _is_result(self, number: int) -> bool:
        """Whether numbers are laid out in another way for the caller of a module, or have a name as they are then."""
        group = self.working.steps[number].group
        within = any(self._is_within(self.working.steps[u].group, group) for u in self.users.get(number, ()))
        return number in self.groups or (self.working.groups[group].kind == "module" and not within)

    def _ends(self, number: int) -> set[int]:
        """Who makes something of a value, also of a part of it, of its transpose, or laid out in another way."""
        out: set[int] = set()
        pending = [number]
        while pending:
            for user in self.users.get(pending.pop(), ()):
                if user in self._through:
                    pending.append(user)
                else:
                    out.add(user)
        return out

    def _has_line(self, number: int) -> bool:
        """Whether a step without a name is shown by itself; if not, it may be written out in another's formula."""
        step = self.working.steps[number]
        kind = meaning.kind(step)
        users = self.users.get(number, ())
        if kind in ("given", "size", "order") or number in self.views:
            if kind == "given":  # zeros, ones: made of nothing
                self.inside.add(number)
            return False
        left_over = bool(step.output) or operation_of(step) in _BOOKKEEPING or self._has_used_sibling(step)
        if not users and number not in self.results and left_over:
            return False
        if number in self.passed_on:
            shown = number in self.cut | self.results if number in self.layout else not users
            self.inside |= {number} - ({number} if shown else set())
            return shown
        ends = self._ends(number)
        small = (kind == "elementwise" or operation_of(step) in arrays.ENTRIES) and ends <= self.unwritten
        if len(ends) == 1 and (small or ends <= self.results) and self._length(number) < _LONGEST:
            self.inside.add(number)
            return False
        return True

    def _has_used_sibling(self, step: Step) -> bool:
        """Whether of several results of one call another one is used."""
        if step.output is None:
            return False
        for number in range(step.number + 1, len(self.working.steps)):
            other = self.working.steps[number]
            if not other.output or (other.function, other.inputs) != (step.function, step.inputs):
                return False
            if self.users.get(number):
                return True
        return False

    def _length(self, number: int) -> int:
        """How many operations a formula of this step would write."""
        step = self.working.steps[number]
        return (number not in self.layout) + sum(self._length(r.step) for r in step.inputs if r.step in self.inside)

    # -- the lines of a group ---------------------------------------------------------------------------------------

    def order(self, thing: Step | Group | None) -> float:
        """Where a step, a group or (None) names alone come among the others of their statement."""
        if thing is None:
            return -1
        return thing.number if isinstance(thing, Step) else self._starts[thing.number]

    @cached_property
    def _starts(self) -> list[float]:
        """For each group, where its first step stands; one without steps comes after what it was given."""
        groups = self.working.groups
        starts = [math.inf] * len(groups)
        for step in self.working.steps:
            starts[step.group] = min(starts[step.group], step.number)
        for group in reversed(groups):
            if group.parent is not None:
                starts[group.parent] = min(starts[group.parent], starts[group.number])
        for binding in self.working.bindings:
            if starts[binding.group] == math.inf or starts[binding.group] % 1:
                starts[binding.group] = binding.ref.step + 0.5
        return starts

    def shown(self, group: Group, steps: Sequence[Step], bindings: Sequence[Binding]) -> Iterator[Line]:
        """What steps of a group make, in their order, and what has names there.

        Where a line of the source called the group, what went into it is not said again.
        """
        called = group.site is not None
        named: set[Ref] = set()
        lines: list[tuple[Ref, str]] = []
        for binding in bindings:
            made = self.working.steps[binding.ref.step]
            if not called or (made.group == group.number and made.operation != "given"):
                lines.append((binding.ref, binding.name))
                named.add(binding.ref)
        for step in steps:
            number = step.number
            shown = number in self.lines or (number in self.unwritten and self._leaves(number, group.number))
            if shown and Ref(number) not in named:
                lines.append((Ref(number), self._name(number, group.number)))
        if called:
            lines = self._with_output(lines, group.number)
        mentioned: set[int] = set()
        found = [self._line(ref, name, group.number, mentioned) for ref, name in lines]
        if not called:
            outside = [s.number for s in steps if s.operation == "given" or s.number in self.views]
            unnamed = [n for n in outside if n in mentioned - self._held]
            found += [Line(Ref(n), self._name(n, group.number), None, "", given=True) for n in unnamed]
        yield from sorted(found, key=lambda line: line.ref.step)

    def _with_output(self, lines: list[tuple[Ref, str]], group: int) -> list[tuple[Ref, str]]:
        """The one value without a name that a module hands to its caller is its output."""
        out = [at for at, (ref, _) in enumerate(lines) if not self._stays(ref.step, group)]
        if len(out) == 1 and lines[out[0]][0].step not in self.groups:
            lines[out[0]] = (lines[out[0]][0], "output")
        return lines

    def _stays(self, number: int, group: int) -> bool:
        """Whether a value is used by the group that made it."""
        return any(self._is_within(self.working.steps[e].group, group) for e in self._ends(number))

    def _leaves(self, number: int, group: int) -> bool:
        """Whether a group's value has its name elsewhere: with the caller, or in the module it goes to next."""
        where = self.groups.get(number, ())
        return bool(where) and not any(self._is_within(g, group) for g in where)

    def _is_within(self, group: int | None, outer: int) -> bool:
        while group is not None and group != outer:
            group = self.working.groups[group].parent
        return group is not None

    def _name(self, number: int, group: int) -> str:
        if number not in self.groups:
            return self.working.path(number).split(".")[-1]
        around = any(self._is_within(group, outer) or self._is_again(group, outer) for outer in self.groups[number])
        return self.working.path(number).split(".")[-1].split("#")[0] if around else "output"

    def _is_again(self, group: int, other: int) -> bool:
        """Whether two groups are calls of one module: what the first keeps has its name in the second."""
        first, second = self.working.groups[group], self.working.groups[other]
        return first.kind == second.kind == "module" and (first.parent, first.name) == (second.parent, second.name)

    def _line(self, ref: Ref, name: str, group: int, mentioned: set[int]) -> Line:
        """A value under a name; how it came about is said once."""
        step = self.working.steps[ref.step]
        outside = step.operation == "given" or step.number in self.views
        elsewhere = not self._is_within(group, step.group)  # in a module of its own, where its formula stands
        if ref in self._told or outside or elsewhere or ref.index or meaning.kind(step) in ("given", "size"):
            return Line(ref, name, None, "", given=outside)
        self._told.add(ref)
        formula = step_formula(self.names, ref, name, group, self.inside.__contains__, mentioned)
        made = step
        while made.number in self.layout and made.inputs[0].step in self.inside:
            made = self.working.steps[made.inputs[0].step]
        moved = made.number in self.layout
        return Line(
            ref, name, formula, "" if moved else _about(self.working, made), moved=moved and step.number in self.lines
        )


def _about(working: Working, step: Step) -> str:
    """What is said of an operation: its sentence in the catalogue, unless its formula says as much."""
    types = conversion(working, step)
    if types is not None:
        return sentence(*types)
    operation = operation_of(step)
    if operation not in CATALOGUE or operation in _SAYS_IT_ALL:
        return ""
    return describe(operation, step.output).sentence
