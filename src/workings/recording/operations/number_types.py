"""Number types: where a change of them changes numbers, and what is said of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workings.recording.operations.bound import operation_of

if TYPE_CHECKING:
    from workings.recording.working import Step, Working

_CONVERSIONS = {"astype", "cast", "array", "asarray", "asanyarray", "ascontiguousarray"}
# The bits of a float's fraction, which are also those of the whole numbers that it holds.
_FRACTION = {"bfloat16": 7, "float16": 10, "float32": 23, "float64": 52, "float": 52}
_ROUNDING_WHOLE = {"bfloat16", "float16"}  # people count too far for these; hardly ever too far for the others


def conversion(working: Working, step: Step) -> tuple[str, str] | None:
    """The number types before and after a conversion that may change numbers; None for any other step."""
    if operation_of(step) not in _CONVERSIONS or len(step.inputs) != 1:
        return None
    before = working.steps[step.inputs[0].step].dtype
    return (before, step.dtype) if changes(before, step.dtype) else None


def changes(before: str, after: str) -> bool:
    """Whether numbers of one type may be others once they are written in another."""
    if before == after or "" in (before, after):
        return False
    if after in _FRACTION:
        if before in _FRACTION:
            return _FRACTION[before] > _FRACTION[after]
        return before.startswith("complex") or (after in _ROUNDING_WHOLE and _bits(before) > _FRACTION[after])
    if _is_whole(after) and (_is_whole(before) or before == "bool"):
        return _bits(before) > _bits(after) or before[0] + after[0] == "iu"
    return _is_whole(after) or after == "bool"


def sentence(before: str, after: str) -> str:
    """What happens to numbers that are written in a type which may not hold them as they are."""
    if after == "bool":
        return "Every number but 0 becomes true."
    if _is_whole(after) and before in _FRACTION:
        return f"What stands after the point is cut off: every number is rounded towards zero, to {after}."
    return f"Every number is rounded to {after}." if after in _FRACTION else f"Every number becomes one of {after}."


def name_of(dtype: str) -> str:
    """What a conversion is called where one number is worked out."""
    return "int" if _is_whole(dtype) else dtype


def _is_whole(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def _bits(dtype: str) -> int:
    """How many bits a number without a fraction may take."""
    digits = dtype.removeprefix("u").removeprefix("int")
    return 1 if dtype == "bool" else int(digits) - (dtype[0] == "i") if digits.isdigit() else 63
