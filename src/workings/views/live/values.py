"""Values of steps as the page has them: flat lists of numbers, of a few kinds."""

from __future__ import annotations

from typing import Any

from workings.recording.operations.bound import as_array
from workings.recording.working import Ref, Step, Working
from workings.views.data import number as plain
from workings.views.live.trees import NotForThePage


def numbers(working: Working, step: Step) -> list[Any]:
    """A step's numbers in C order.

    Raises:
        NotForThePage: it holds something else.
    """
    value = working.evaluator.step_value(step.number)
    if getattr(value, "is_nested", False):
        raise NotForThePage("sequences of different lengths in one tensor")
    array = as_array(value)
    if array.dtype.kind not in "fiub" or array.shape != tuple(step.shape):
        raise NotForThePage(f"values of type {array.dtype}")
    return [plain(v) for v in array.reshape(-1).tolist()]


def chooses(working: Working, ref: Ref) -> bool:
    """Whether a value is of a kind that says where, rather than how much."""
    dtype = working.steps[ref.step].dtype
    return "int" in dtype or "bool" in dtype


def whole(step: Step) -> None:
    """Raises :class:`NotForThePage` for whole numbers of few bits, which wrap around."""
    if "int" in step.dtype and step.dtype.removeprefix("torch.") not in ("int", "int64"):
        raise NotForThePage(f"arithmetic in {step.dtype}")


def type_of(step: Step) -> str:
    """What kind of number: "f" float64, "s" float32, "h" float16 and bfloat16, "i" whole, "b" truth."""
    name = step.dtype.removeprefix("torch.")
    if "bool" in name:
        return "b"
    if "int" in name:
        return "i"
    return {"float32": "s", "float16": "h", "bfloat16": "h"}.get(name, "f")
