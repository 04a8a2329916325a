"""Everything of a Working that is not followed: what the recording lost, and calls that turn out not to be worked out.

Whether a call's arithmetic gives its numbers is only seen when it is worked out, which costs more than recording it. It
is asked for when a page is closed, once for every form in which an operation was called.
"""

from __future__ import annotations

from typing import Any

from workings.reading.checking import gives
from workings.recording.evaluation import NotRecorded
from workings.recording.operations import meaning
from workings.recording.operations.bound import scalar
from workings.recording.operations.expression import Limits
from workings.recording.working import Loss, Ref, Step, Working


def unfollowed(working: Working) -> list[Loss]:
    """What was lost, and the calls at whose numbers stands that their origin is not recorded."""
    found = working.__dict__.get("_unfollowed")
    if found is None:
        found = working.__dict__["_unfollowed"] = _not_worked_out(working)
    return [*working.lost, *found]


def _not_worked_out(working: Working) -> list[Loss]:
    if working.source.kind == "example":
        return []  # made of our own equations, each of which is worked out
    listed = {loss.step for loss in working.lost}
    forms: dict[tuple[Any, ...], bool] = {}  # a model makes the same call in every layer
    found = []
    for step in working.steps:
        if step.number in listed or 0 in step.shape:
            continue
        form = _form(working, step)
        if form not in forms:
            forms[form] = _is_worked_out(working, step)
        if not forms[form]:
            found.append(Loss("opaque", step.function or step.operation, step.number, step.site))
    return found


def _form(working: Working, step: Step) -> tuple[Any, ...]:
    ranks = tuple(len(working.steps[ref.step].shape) - len(ref.index) for ref in step.inputs)
    settings = repr(step.arguments), repr(step.keywords)
    return (step.operation, step.function, step.output, len(step.shape), ranks, *settings)


def _is_worked_out(working: Working, step: Step) -> bool:
    """Whether the last number of a value has an arithmetic that gives it; what cannot be had again is not doubted."""
    kind = meaning.kind(step)
    place = tuple(n - 1 for n in step.shape)
    try:
        if kind == "composite":
            return _opens(working, step, place)
        if kind in ("elementwise", "reduction", "contraction"):
            expression = meaning.element(working, step, place, Limits())
            value = scalar(working.value(Ref(step.number, place)))
            return expression is None or gives(expression, value, step.dtype)
    except (NotRecorded, RuntimeError):
        pass  # a RuntimeError is PyTorch's: rows of different lengths in one tensor are no array
    except (ArithmeticError, LookupError, TypeError, ValueError):  # a call in a form that the rule does not know
        return False
    return True


def _opens(working: Working, step: Step, place: tuple[int, ...]) -> bool:
    from workings.recording.opening import NotOpened, open_step  # many examples have nothing to open

    try:
        open_step(working, step.number, place)
    except NotOpened:
        return False
    return True
