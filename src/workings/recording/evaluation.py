"""Values on demand: what was kept is looked up, what was not is computed again from its inputs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.operations.functions import resolve, room

if TYPE_CHECKING:
    from workings.recording.working import Ref, Step

_CACHE_BYTES = 256 * 2**20


class NotRecorded(Exception):
    """A value that was not kept and cannot be computed again; the message names the step and the reason."""


class Evaluator:
    """Gives the value of any step of one Working, keeping recently recomputed ones within a fixed budget."""

    def __init__(self, steps: list[Step]) -> None:
        self._steps = steps
        self._recent: OrderedDict[int, Any] = OrderedDict()
        self._bytes = 0
        self.versions: dict[int, tuple[Any, int]] = {}  # tensors kept by reference: a weak one, and their version then

    def value(self, ref: Ref) -> Any:
        return part(self.step_value(ref.step), ref, self._steps[ref.step])

    def step_value(self, number: int) -> Any:
        """The whole value of a step. Walks back to kept values with a stack of its own: chains of writes are long."""
        steps = self._steps
        step = steps[number]
        if self._at_hand(step):
            return step.value
        if number in self._recent:
            self._recent.move_to_end(number)
            return self._recent[number]
        local: dict[int, Any] = {}
        uses = self._uses(number)
        stack = [number]
        while stack:
            current = steps[stack[-1]]
            if current.number in local:
                stack.pop()
                continue
            for ref in current.inputs:  # what is remembered may be forgotten while others are computed
                if ref.step not in local and ref.step in self._recent:
                    local[ref.step] = self._recent[ref.step]
            missing = [r.step for r in current.inputs if not (self._at_hand(steps[r.step]) or r.step in local)]
            if missing:
                stack += missing
                continue
            local[current.number] = self._run(current, local)
            stack.pop()
            for ref in current.inputs:
                if ref.step in local:
                    uses[ref.step] -= 1
                    if not uses[ref.step] and ref.step != number:
                        self._remember(ref.step, local.pop(ref.step))
        self._remember(number, local[number])
        return local[number]

    def _at_hand(self, step: Step) -> bool:
        return step.kept and not (self.versions and self._changed(step))

    def _changed(self, step: Step) -> bool:
        """Whether a value kept by reference is gone. Raises :class:`NotRecorded` where it cannot be had again."""
        reference, version = self.versions.get(step.number, (None, 0))
        tensor = reference() if reference is not None else None
        if tensor is None or tensor._version == version:
            return False
        if not step.function:
            raise NotRecorded(
                f"step {step.number} ({step.operation}) was kept by reference, and has been changed in place since"
            )
        del self.versions[step.number]
        step.value, step.kept = None, False
        return True

    def _uses(self, number: int) -> dict[int, int]:
        steps = self._steps
        uses: dict[int, int] = {}
        seen = {number}
        stack = [number]
        while stack:
            for ref in steps[stack.pop()].inputs:
                if self._at_hand(steps[ref.step]):
                    continue
                uses[ref.step] = uses.get(ref.step, 0) + 1
                if ref.step not in seen:
                    seen.add(ref.step)
                    stack.append(ref.step)
        return uses

    def _run(self, step: Step, local: dict[int, Any]) -> Any:
        values = []
        for ref in step.inputs:
            whole = self._steps[ref.step]
            if whole.kept:
                value = whole.value
            else:
                value = local[ref.step]
            values.append(part(value, ref, whole))
        return run(step, values)

    def _remember(self, number: int, value: Any) -> None:
        size = int(getattr(value, "nbytes", 64))
        if size > _CACHE_BYTES:
            return
        self._recent[number] = value
        self._bytes += size
        while self._bytes > _CACHE_BYTES:
            _, old = self._recent.popitem(last=False)
            self._bytes -= int(getattr(old, "nbytes", 64))

    def forget(self) -> None:
        """Drop every recomputed value."""
        self._recent.clear()
        self._bytes = 0


def part(value: Any, ref: Ref, step: Step) -> Any:
    """The part of a step's value that a Ref names; numbers of Python lists come back as Python's own."""
    if ref.index:
        value = value[ref.index]
    if step.plain and hasattr(value, "tolist"):
        return value.tolist()
    return value


def fill(template: Any, values: Sequence[Any]) -> Any:
    """A call's arguments with their slots filled."""
    from workings.recording.working import Room, Slot

    kind = type(template)
    if kind is Slot:
        return values[template.position]
    if kind is list:
        return [fill(t, values) for t in template]
    if kind is tuple:
        return tuple(fill(t, values) for t in template)
    if kind is dict:
        return {k: fill(v, values) for k, v in template.items()}
    if kind is Room:
        return room(template.shape, template.dtype, template.strides)
    if kind is slice:
        return slice(fill(template.start, values), fill(template.stop, values), fill(template.step, values))
    return template


def run(step: Step, values: Sequence[Any], function: Callable[..., Any] | None = None) -> Any:
    """Call what the step called, on other values. Raises :class:`NotRecorded` where it cannot be called again."""
    call = function or resolve(step.function)
    if call is None:
        raise NotRecorded(f"step {step.number} ({step.function or step.operation}) cannot be run again: {step.note}")
    with np.errstate(all="ignore"):  # the program's own run has warned, or has chosen not to
        out = call(*fill(step.arguments, values), **fill(step.keywords, values))
    return out if step.output is None else out[step.output]
