"""Steps that make no number: those that lay numbers out in another way, and those that take a part of them."""

from __future__ import annotations

from typing import Any

from workings.recording.operations.bound import Bound, base_name, operation_of
from workings.recording.operations.number_types import conversion
from workings.recording.working import Step, Working

# They lay numbers out in another way. Inside a formula nobody writes that; alone, it is all that happened.
_LAYOUT = {
    "reshape", "ravel", "squeeze", "expand_dims", "broadcast_to", "view_as", "expand_as", "copy", "astype", "cast",
    "detach", "alias", "lift_fresh", "array", "asarray", "asanyarray", "ascontiguousarray", "item", "tolist",
    "atleast_1d", "atleast_2d",
}  # fmt: skip
CUT = {"getitem", "split", "split_with_sizes", "unbind", "unsafe_split", "unsafe_split_with_sizes"}


def is_layout(working: Working, step: Step) -> bool:
    """Whether a step only lays its numbers out in another way."""
    if operation_of(step) == "transpose":
        return turned(Bound(working, step)) is False
    return operation_of(step) in _LAYOUT and len(step.inputs) == 1 and conversion(working, step) is None


def is_part(working: Working, step: Step) -> bool:
    """Whether a step takes a part of a value, or its transpose: short enough to be written wherever it is used."""
    operation = operation_of(step)
    return operation in CUT or (operation == "transpose" and turned(Bound(working, step)) is True)


def turned(bound: Bound) -> bool | None:
    """Whether a transposition turns matrices (the last axis becomes the one before it), or only moves other axes.

    None where it does something else.
    """
    rank = len(bound.step.shape)
    order = list(range(rank))
    if "axis1" in bound.named:  # PyTorch's transpose, NumPy's swapaxes
        one, other = (int(bound.get(key, 0)) % rank for key in ("axis1", "axis2"))
        order[one], order[other] = other, one
    else:
        axes = bound.get("axes")
        order = [int(a) % rank for a in axes] if axes else order[::-1]
    if rank < 2 or order[-1] == rank - 1:
        return False
    return True if order[-2] == rank - 1 else None


def keys_of(bound: Bound, rank: int) -> list[Any]:
    """What stands in the brackets of a part, one key for each axis from the first on."""
    axis = int(bound.get("axis", 0) or 0) % rank if rank else 0
    name, output = base_name(bound.step), bound.step.output or 0
    key: Any
    if "indices" in bound.named:  # numpy.take
        key = bound.named["indices"]
    elif name == "select":
        key = bound.named.get("index")
    elif name == "unbind":
        key = output
    elif name == "slice":
        key = slice(bound.get("start"), bound.get("stop"), bound.get("step"))
    elif name == "narrow":
        key = slice(int(bound.get("start", 0)), int(bound.get("start", 0)) + int(bound.get("length", 1)))
    elif "split" in name:
        size = bound.get("sizes", bound.get("size", 1))
        sizes = [int(s) for s in size] if isinstance(size, (list, tuple)) else [int(size)] * (output + 1)
        key = slice(sum(sizes[:output]), sum(sizes[: output + 1]))
    else:
        keys = bound.named.get("index")
        several = list(keys) if isinstance(keys, (tuple, list)) else [keys]
        return [slice(None) if key is None else key for key in several] if name == "index" else several
    return [*[slice(None)] * axis, key]
