"""The backward pass, worked out: how fast one number moves with every number it was made from.

The result is a Working like any other: each slope is traced to the numbers it was made from, by the chain rule, step
by step. Composite steps are opened and walked through. Slopes at a corner follow PyTorch's choice where it has one: a
maximum shared by several numbers is shared out evenly, and relu has slope 0 at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workings.reading.slope_rules import RULES, NoGradient, Side, is_real
from workings.recording.opening import NotOpened, open_step
from workings.recording.operations import meaning, slopes
from workings.recording.operations.bound import Bound, Operand
from workings.recording.program import Box, Program
from workings.recording.working import Ref, Source, Step, Working


def gradient(working: Working, of: str, with_respect_to: Sequence[str] = ()) -> Working:
    """The slopes of one number with respect to the values named (every given value it depends on, if none is named).

    ``working.gradient("loss", ["W", "b"])``: the number first, then what moves it. What a slope is does not depend on
    how a program was run: ``detach`` and ``no_grad`` stop PyTorch's backward pass, and nothing here.

    In the Working that comes back, the slope with respect to the value at address ``A`` is named ``A`` in the group
    ``gradient``. Raises :class:`NoGradient` where the way back cannot be followed and ``ValueError`` where ``of`` is
    not one number.
    """
    target = working.find(of)
    shape = working.steps[target.step].shape
    if len(target.index) != len(shape):
        left = shape[len(target.index) :]
        raise ValueError(
            f"{of}: a slope is of one number, and this value has shape {left}. The number is named first (here "
            f"{of}[{', '.join('0' * len(left))}], or a loss), then what it is made from: "
            'working.gradient("loss", ["W"])'
        )
    back = Backward(working, of)
    back.run(target)
    return back.finish(with_respect_to)


class Backward:
    """A walk from one number back to everything it was made from."""

    def __init__(self, working: Working, of: str) -> None:
        self.working = working
        self.program = Program(Source("gradient", of))
        self.adjoints: dict[tuple[int, int], Box] = {}
        self.values: dict[tuple[int, Ref], Box] = {}

    def run(self, target: Ref) -> None:
        side = Side(self.working, "")
        with self.program.group("forward", title="Values of the forward pass"):
            self.forward = self.program.frame
        with self.program.group("backward", title="The chain rule, from the number back"):
            one = self.program.given("one", 1.0, note="the slope of a number with respect to itself")
            self.add(side, target, one)
            self._walk(side, target.step)

    def finish(self, wanted: Sequence[str]) -> Working:
        names = wanted or self._given_names()
        with self.program.group("gradient", title="The slopes"):
            for name in names:
                ref = self.working.find(name)
                whole = self.adjoints.get((id(self.working), ref.step))
                shape = self.working.steps[ref.step].shape
                box = (
                    whole
                    if whole is not None
                    else self.program.given(name, np.zeros(shape), note="nothing depends on it")
                )
                labels = self.working.labels(ref.step)
                if any(labels):
                    self.program.label(box, *labels)
                part = self.call(slopes.picked, box, ref.index) if ref.index else box
                self.program.alias(name.split(".")[-1] if not wanted else name.replace(".", "_"), part)
        out = self.program.finish()
        out.decimals = self.working.decimals
        return out

    def _given_names(self) -> list[str]:
        names = []
        for binding in self.working.bindings:
            key = (id(self.working), binding.ref.step)
            step = self.working.steps[binding.ref.step]
            if (
                key in self.adjoints
                and step.operation == "given"
                and not binding.ref.index
                and step.dtype.startswith("float")
            ):
                names.append(self.working.path(step.number))
        return list(dict.fromkeys(names))

    # -- one Working, from a step back to its beginning ----------------------------------------------------------

    def _walk(self, side: Side, last: int) -> None:
        for number in range(last, -1, -1):
            upstream = self.adjoints.get((id(side.working), number))
            if upstream is None:
                continue
            step = side.working.steps[number]
            kind = meaning.kind(step)
            if number in side.working.index.bound_steps and number != last:
                self.program.alias(side.working.path(number).split(".")[-1].split("#")[0], upstream)
            if kind in ("given", "size", "order"):
                continue
            if kind == "composite":
                self._through(side, step, upstream)
            elif kind in RULES:
                bound = Bound(side.working, step)
                RULES[kind](self, side, bound, upstream)
            elif any(is_real(side.working.steps[r.step]) for r in step.inputs):
                raise NoGradient(
                    f"{side.working.path(number)} ({step.operation}) has no slope that can be followed here"
                )

    def _through(self, side: Side, step: Step, upstream: Box) -> None:
        try:
            opened = open_step(side.working, step.number)
        except NotOpened as error:
            raise NoGradient(str(error)) from None
        inner = Side(opened.working, side.name, opened)
        self.add(inner, opened.output, upstream)
        self._walk(inner, opened.output.step)
        for given, (outer, _) in opened.origins.items():
            box = self.adjoints.get((id(opened.working), given))
            if box is not None:
                self.add(side, outer, box)

    def add(self, side: Side, ref: Ref, slope: Box) -> None:
        """A slope arrives at a value (or at a part of it); slopes on several paths add up."""
        shape = side.working.steps[ref.step].shape
        if ref.index:
            slope = self.call(slopes.placed, slope, shape, ref.index)
        key = (id(side.working), ref.step)
        before = self.adjoints.get(key)
        self.adjoints[key] = slope if before is None else self.call(np.add, before, slope)

    def give(self, side: Side, operand: Operand, slope: Box) -> None:
        """A slope for an operand, summed over the axes it was broadcast along."""
        if operand.ref is None or not is_real(side.working.steps[operand.ref.step]):
            return
        shape = operand.shape
        extra = np.ndim(slope.value) - len(shape)
        if extra > 0:
            slope = self.call(np.sum, slope, axis=tuple(range(extra)))
        spread = tuple(i for i, (n, m) in enumerate(zip(shape, np.shape(slope.value), strict=True)) if n == 1 and m > 1)
        if spread:
            slope = self.call(np.sum, slope, axis=spread, keepdims=True)
        if np.shape(slope.value) != shape:
            slope = self.call(np.multiply, slope, np.ones(shape))
        self.add(side, operand.ref, slope)

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Box:
        return self.program.call(function, *args, **kwargs)  # type: ignore[no-any-return]

    def value(self, side: Side, operand: Operand) -> Any:
        """A value of the forward pass, as an input of the backward pass."""
        if operand.ref is None:
            return operand.array if operand.shape else operand.array.item()
        key = (id(side.working), operand.ref)
        if key not in self.values:
            name = side.working.index.element_path(operand.ref)
            with self.program.within(self.forward):
                box = self.program.given(name.split(".")[-1].split("[")[0], operand.array.astype(float), note=f"{name}")
            self.values[key] = box
        return self.values[key]

    def result(self, side: Side, step: Step) -> Box:
        return self.value(side, Operand(side.working, Ref(step.number)))  # type: ignore[no-any-return]
