"""A step's formula from its operation and the names of its inputs, for steps that no line of source spells out.

The catalogue has the formula as a line of Python; here its operands are filled in, and the line is read like any
other (:mod:`workings.reading.formula`). What an input is called depends on where one looks from: ``weight`` in the
module that has it, ``norm.weight`` outside.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workings.frozen import frozen
from workings.reading.filling import Values, filled, number, template
from workings.reading.formula import Formula, formula
from workings.reading.formula.symbols import upright
from workings.reading.layout import CUT, is_layout, keys_of, turned
from workings.recording.operations.bound import Bound, Operand, operation_of
from workings.recording.operations.catalogue import CATALOGUE
from workings.recording.working import Ref, Working

_USUAL = {"alpha": 1, "beta": 1, "value": 1, "ord": 2}  # settings that nobody writes down
_MOST_NUMBERS = 12  # of an array that stands in a call, written out


@frozen
class Names:
    """What values are called, seen from a group: by its own names, by those around it, or by the way there."""

    working: Working
    own: dict[tuple[int, Ref], list[str]]
    parts: dict[Ref, str]

    @classmethod
    def of(cls, working: Working) -> Names:
        own: dict[tuple[int, Ref], list[str]] = {}
        parts: dict[Ref, str] = {}
        for binding in working.bindings:
            own.setdefault((binding.group, binding.ref), []).append(binding.name)
            if binding.ref.index:
                above = working.index.group_path(binding.group)
                parts.setdefault(binding.ref, f"{above}.{binding.name}" if above else binding.name)
        return cls(working, own, parts)

    def __call__(self, ref: Ref, group: int) -> str | None:
        """The name of exactly this value."""
        around: int | None = group
        while around is not None:
            names = self.own.get((around, ref))
            if names:
                return names[0]
            around = self.working.groups[around].parent
        path = self.parts.get(ref) if ref.index else self.working.path(ref.step)
        if path is not None and not ref.index and self.working.steps[ref.step].group == group:
            return path.split(".")[-1]  # without the line that called the group
        return shortened(path, self.working.index.group_path(group)) if path is not None else None


def shortened(path: str, above: str) -> str:
    """A path without the groups it shares with ``above``."""
    parts, groups = path.split("."), above.split(".")
    shared = 0
    while shared < len(parts) - 1 and shared < len(groups) and parts[shared] == groups[shared]:
        shared += 1
    return ".".join(parts[shared:])


def step_formula(
    names: Names, ref: Ref, name: str, group: int, is_inside: Callable[[int], bool], mentioned: set[int]
) -> Formula | None:
    """``output = x weightᵀ + bias``: how a value came about, as seen from a group.

    ``is_inside`` says which steps among its inputs have no line of their own and are written out in this one; the
    others that it is made of are entered in ``mentioned``.
    """
    writer = _Writer(names, group, is_inside, mentioned)
    value = writer.made(ref.step)
    value = writer.subscript(value, [ast.Constant(i) for i in ref.index]) if ref.index else value
    functions = {
        node.func.id for node in ast.walk(value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    line = ast.Assign([writer.named(name, plain=name not in functions)], value)
    return formula(ast.unparse(ast.fix_missing_locations(line)), writer.symbols)


class _Writer:
    """Writes values as Python expressions, with names for those that are shown elsewhere."""

    def __init__(self, names: Names, group: int, is_inside: Callable[[int], bool], mentioned: set[int]) -> None:
        self.names = names
        self.working = names.working
        self.group = group
        self.is_inside = is_inside
        self.mentioned = mentioned
        self.symbols: dict[str, str] = {}
        self.used: dict[Ref, int] = {}

    def named(self, name: str, plain: bool = True) -> ast.expr:
        """A name; ``plain`` as it is, where Python allows it."""
        if plain and name.isidentifier() and not keyword.iskeyword(name) and name not in ("e", "inf", "nan"):
            return ast.Name(name)
        key = f"_{len(self.symbols)}_"
        self.symbols[key] = upright(name)
        return ast.Name(key)

    def value(self, ref: Ref) -> ast.expr:
        """A value where it is used: by its name, or written out."""
        name = self.own_name(ref)
        if name is None and not ref.index and self.is_inside(ref.step):
            step = self.working.steps[ref.step]
            return self.value(step.inputs[0]) if is_layout(self.working, step) else self.made(ref.step)
        name = name or self.names(ref, self.group)
        if name is not None:
            self.mentioned.add(ref.step)
            return self.named(name)
        whole = self.value(Ref(ref.step))
        return self.subscript(whole, [ast.Constant(i) for i in ref.index])

    def own_name(self, ref: Ref) -> str | None:
        """Its name in this group; of several, each in its turn: the value that is query, key and value at once."""
        names = self.names.own.get((self.group, ref))
        if not names:
            return None
        self.used[ref] = self.used.get(ref, -1) + 1
        return names[min(self.used[ref], len(names) - 1)]

    def made(self, number: int) -> ast.expr:
        """How a step makes its value."""
        step = self.working.steps[number]
        bound = Bound(self.working, step)
        operation = operation_of(step)
        if operation in CUT and step.inputs:
            return self.cut(bound)
        layout = is_layout(self.working, step)
        if layout and self.is_inside(step.inputs[0].step):
            value = self.value(step.inputs[0])
            return _rearranged(value) if isinstance(value, (ast.Name, ast.Subscript)) else value
        if operation in ("astype", "cast") and self.working.steps[step.inputs[0].step].dtype != step.dtype:
            return ast.Call(ast.Name(step.dtype), [self.value(step.inputs[0])], [])
        if operation == "transpose" and turned(bound) is not True:
            return _rearranged(self.value(step.inputs[0]))
        names, body = template(operation, step.output)
        values: Values = {}
        for parameter in names.kwonlyargs:
            values[parameter.arg] = self.setting(bound, parameter.arg)
        for place, parameter in enumerate(names.args):
            given, axis = _positional(bound, place), values.get("axis")
            values[parameter.arg] = self.along(given, axis) if isinstance(given, Operand) else self.argument(given)
        every = {names.vararg.arg: self.rest(bound, len(names.args), names.vararg.arg)} if names.vararg else {}
        found = filled(body, values, every)
        if found is None:
            return self.named(operation)
        unknown = step.output is not None and operation not in CATALOGUE
        return self.subscript(found, [ast.Constant(step.output)]) if unknown else found

    def along(self, operand: Operand, axis: ast.expr | None) -> ast.expr | None:
        """An operand; where axes count, and they are not those it is written with, that is said."""
        value = self.argument(operand)
        if axis is None or value is None or operand.ref is None or operand.ref.index:
            return value
        before, after = self.base_shape(operand.ref.step), operand.shape
        last = isinstance(axis, ast.UnaryOp) and before[-1:] == after[-1:]
        return value if last or before == after else _rearranged(value)

    def base_shape(self, number: int) -> tuple[int, ...]:
        """The shape of a value as it is written: what lays it out in another way is not."""
        step = self.working.steps[number]
        written = (self.group, Ref(number)) not in self.names.own and self.is_inside(number)
        return self.base_shape(step.inputs[0].step) if written and is_layout(self.working, step) else step.shape

    def rest(self, bound: Bound, first: int, name: str) -> list[ast.expr]:
        """Every further argument; of an operation that is not known, only those that are values of steps."""
        given = [a for a in bound.args[first:] if name != "operands" or isinstance(a, Operand)]
        return [a for a in map(self.argument, given) if a is not None]

    def setting(self, bound: Bound, name: str) -> ast.expr | None:
        """A setting of a call; None where the call does not have it, or where it changes nothing."""
        value = bound.named.get(name)
        if name == "ddof" and value is None and bound.step.function.startswith("aten."):
            value = 1
        if value is None or value is False or (not isinstance(value, Operand) and value == _USUAL.get(name)):
            return None
        if name == "axis" and bound.args and not isinstance(value, Operand):
            rank = len(bound.operand(0).shape) if isinstance(bound.args[0], Operand) else 0
            value = (
                [_axis(int(a), rank) for a in value] if isinstance(value, (list, tuple)) else _axis(int(value), rank)
            )
            if not isinstance(value, int):
                value = value[0] if len(value) == 1 else tuple(value) or None
        return self.argument(value)

    def argument(self, value: Any) -> ast.expr | None:
        """An argument of a call as an expression; None where there is none."""
        if isinstance(value, Operand):
            return self.value(value.ref) if value.ref is not None else self.argument(value.constant)
        if value is None:
            return None
        if isinstance(value, (list, tuple)):
            inner = [self.argument(v) for v in value]
            return ast.List([i if i is not None else ast.Constant(None) for i in inner])
        if isinstance(value, (str, bool)):
            return ast.Constant(value)
        array = np.asarray(value)
        if array.dtype.kind not in "fiubc" or array.size > _MOST_NUMBERS:
            return self.named("×".join(map(str, array.shape)) + " array" if array.shape else type(value).__name__)
        return number(array.tolist())

    # -- parts ------------------------------------------------------------------------------------------------------

    def subscript(self, base: ast.expr, keys: Sequence[ast.expr]) -> ast.expr:
        if not keys:
            return base
        return ast.Subscript(base, keys[0] if len(keys) == 1 else ast.Tuple(list(keys)))

    def cut(self, bound: Bound) -> ast.expr:
        """A part of an array: ``x[:, 0:4]``."""
        shape = bound.operand(0).shape if isinstance(bound.args[0], Operand) else ()
        keys = keys_of(bound, len(shape))
        plain = all(key is not Ellipsis and key is not None for key in keys)
        sizes = [*shape, *[0] * len(keys)] if plain else [0] * len(keys)
        written = [self.key(key, size) for key, size in zip(keys, sizes, strict=False)]
        ref = bound.step.inputs[0]
        base = self.value(ref)
        same = bool(ref.index) or self.base_shape(ref.step) == self.working.steps[ref.step].shape
        return self.subscript(base if same else _rearranged(base), written)

    def key(self, key: Any, size: int) -> ast.expr:
        """An index; of an axis whose ``size`` is known (not 0), a slice from where to where."""
        if isinstance(key, slice):
            first, last, step = key.indices(size) if size else (key.start, key.stop, key.step)
            if size and (first, last, step) == (0, size, 1):
                return ast.Slice()
            ends = (first, last, None if step == 1 else step)
            return ast.Slice(*(None if end is None else self.argument(end) for end in ends))
        if key is Ellipsis:
            return ast.Constant(...)
        found = self.argument(key)
        return found if found is not None else ast.Constant(None)


def _rearranged(value: ast.expr) -> ast.expr:
    """A value laid out in another way, by one step or by several."""
    match value:
        case ast.Call(func=ast.Name(id="rearrange")):
            return value
    return ast.Call(ast.Name("rearrange"), [value], [])


def _axis(axis: int, rank: int) -> int:
    """The last axis is -1, however it was given."""
    return -1 if rank and axis % rank == rank - 1 else axis


def _positional(bound: Bound, place: int) -> Any:
    if place < len(bound.args):
        return bound.args[place]
    return bound.named.get(bound.names[place]) if place < len(bound.names) else None
