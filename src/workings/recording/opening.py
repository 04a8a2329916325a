"""Opening: a composite step turned into the steps of its equation, on the very numbers it had."""

from __future__ import annotations

from typing import Any

from workings.frozen import frozen
from workings.recording.agreement import agree
from workings.recording.operations.bound import Bound, as_array
from workings.recording.operations.lowering import Plan, plan
from workings.recording.program import Program
from workings.recording.working import Ref, Source, Step, Working


@frozen
class Opened:
    """The steps inside a composite step.

    ``working`` holds them; ``output`` is the wanted value there; ``origins`` says, for each given step of ``working``,
    which value of the outer Working it is, from which corner on. Only a ``part`` of the step was opened where it was
    done on some rows of its inputs alone: places in it are counted from there.
    """

    working: Working
    output: Ref
    origins: dict[int, tuple[Ref, tuple[int, ...]]]
    part: bool = False

    def outer(self, ref: Ref) -> Ref | None:
        """The element of the outer Working that an element of a given step here is."""
        found = self.origins.get(ref.step)
        if found is None:
            return None
        base, corner = found
        place = tuple(i + c for i, c in zip(ref.index, corner, strict=True))
        return Ref(base.step, base.index + place)


class NotOpened(ValueError):
    """What is written down of an operation does not give what this call of it gave."""


def open_step(working: Working, number: int, index: tuple[int, ...] | None = None) -> Opened:
    """Open a composite step: whole, or only what the element at ``index`` of its value needs.

    Raises NotOpened where the call has an option that its equation knows nothing of: it gives another result.
    """
    step = working.steps[number]
    try:
        opened = _opened(working, number, index)
        found, value = opened.working.value(opened.output), working.value(Ref(number, index or ()))
        fits = agree(as_array(found), as_array(value), step.dtype)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise NotOpened(f"{step.operation} was called in a way that is not worked out here") from error
    if not fits:
        raise NotOpened(f"{step.operation} was called in a way that is not worked out here")
    return opened


def _opened(working: Working, number: int, index: tuple[int, ...] | None) -> Opened:
    spelt = plan(Bound(working, working.steps[number]), index)
    cache: dict[Any, Opened] = working.__dict__.setdefault("_opened", {})
    # Elements of one row need the same part of the inputs: they share one opening.
    key = (number, spelt.function, spelt.part, repr(spelt.slices))
    if key not in cache:
        if len(cache) > 256:
            cache.clear()
        cache[key] = _open(working, working.steps[number], spelt)
    opened = cache[key]
    part = any(slice_.start for key in spelt.slices.values() for slice_ in key if isinstance(slice_, slice))
    return Opened(opened.working, Ref(opened.output.step, opened.output.index + spelt.index), opened.origins, part)


def _open(working: Working, step: Step, spelt: Plan) -> Opened:
    program = Program(Source("opening", step.operation))
    origins: dict[int, tuple[Ref, tuple[int, ...]]] = {}
    boxes = {}
    for name, operand in spelt.operands.items():
        key = spelt.slices.get(name, ())
        array = operand.array[key] if key else operand.array
        labels = (
            [None if a is None else a[k] for a, k in zip(operand.labels, key, strict=False)] if key else operand.labels
        )
        boxes[name] = program.given(name, array.copy(), labels if any(labels) else None)
        if operand.ref is not None:
            given = len(program.working.steps) - 1
            corner = tuple((k.start or 0) for k in key) if key else (0,) * len(operand.shape)
            origins[given] = (operand.ref, corner)
    settings: dict[str, Any] = {**boxes, **spelt.constants}
    with program.group(step.operation):
        if spelt.part is None:
            result = program.call(spelt.function, **settings)
        else:
            value = program.call(spelt.function, **settings)
            values, tags = program.recorder.calls.items_of(value)
            result = type(value)(values[spelt.part], tags[spelt.part])
        output = program.recorder.ref(result)
    assert output is not None
    opened = program.finish()
    opened.decimals = working.decimals
    return Opened(opened, output, origins)
