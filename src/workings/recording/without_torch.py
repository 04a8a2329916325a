"""Steps of PyTorch that only move numbers, as NumPy calls that move them alike, to follow them without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workings.recording.operations.bound import base_name
from workings.recording.operations.movement import moves
from workings.recording.working import Step

Call = tuple[str, tuple[Any, ...]]  # a function's name and its arguments


def adapt(step: Step) -> None:
    """Give a movement its NumPy call. One that has none here becomes opaque, and says why; others stay as they are."""
    if not moves(step):
        return
    maker = _MAKERS.get(base_name(step)) if step.inputs else _filled
    if maker is None:
        step.function, step.note = "", step.note or "PyTorch is needed to follow this step"
        return
    step.function, step.arguments = maker(step)
    step.keywords, step.output = {}, None


def _argument(step: Step, place: int, name: str, default: Any = None) -> Any:
    if place < len(step.arguments):
        return step.arguments[place]
    return step.keywords.get(name, default)


def _filled(step: Step) -> Call:
    """New memory with one number everywhere: nothing was moved into it."""
    return "numpy.asarray", (step.value,)


def _same_order(step: Step) -> Call:
    return "numpy.reshape", (step.arguments[0], step.shape)


def _expand(step: Step) -> Call:
    return "numpy.broadcast_to", (step.arguments[0], step.shape)


def _turned(step: Step) -> Call:
    return "numpy.transpose", (step.arguments[0],)


def _transpose(step: Step) -> Call:
    return "numpy.swapaxes", (step.arguments[0], _argument(step, 1, "dim0"), _argument(step, 2, "dim1"))


def _permute(step: Step) -> Call:
    return "numpy.transpose", (step.arguments[0], tuple(_argument(step, 1, "dims")))


def _select(step: Step) -> Call:
    return "numpy.take", (step.arguments[0], _argument(step, 2, "index"), _argument(step, 1, "dim"))


def _embedding(step: Step) -> Call:
    return "numpy.take", (step.arguments[0], _argument(step, 1, "indices"), 0)


def _slice(step: Step) -> Call:
    part = slice(*(_argument(step, place, name) for place, name in ((2, "start"), (3, "end"), (4, "step"))))
    return _cut(step, _argument(step, 1, "dim", 0), part)


def _split(step: Step) -> Call:
    sizes, part = _argument(step, 1, "split_size", 1), step.output or 0
    start = sum(sizes[:part]) if isinstance(sizes, (list, tuple)) else part * sizes
    axis = _argument(step, 2, "dim", 0)
    return _cut(step, axis, slice(start, start + step.shape[axis]))


def _filled_where(step: Step) -> Call:
    hidden, value = _argument(step, 1, "mask"), _argument(step, 2, "value")
    return "recording.filled_where", (step.arguments[0], hidden, value)


def _unbind(step: Step) -> Call:
    return "numpy.take", (step.arguments[0], step.output or 0, _argument(step, 1, "dim", 0))


def _cut(step: Step, axis: int, part: slice) -> Call:
    place = axis % len(step.shape)
    return "recording.getitem", (step.arguments[0], (*[slice(None)] * place, part))


def _joined(function: str) -> Callable[[Step], Call]:
    return lambda step: (function, (step.arguments[0], _argument(step, 1, "dim", 0)))


def _triangle(function: str) -> Callable[[Step], Call]:
    return lambda step: (function, (step.arguments[0], _argument(step, 1, "diagonal", 0)))


_SAME_ORDER = """
    view _unsafe_view reshape _reshape_alias view_as unsqueeze squeeze unsqueeze_ squeeze_ clone detach alias lift_fresh
    _to_copy
"""
_MAKERS: dict[str, Callable[[Step], Call]] = {
    **dict.fromkeys(_SAME_ORDER.split(), _same_order),
    **dict.fromkeys(["expand", "expand_as"], _expand),
    **dict.fromkeys(["t", "t_", "numpy_T"], _turned),
    **dict.fromkeys(["transpose", "transpose_"], _transpose),
    **dict.fromkeys(["split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes"], _split),
    "permute": _permute,
    "select": _select,
    "index_select": _select,
    "embedding": _embedding,
    **dict.fromkeys(["masked_fill", "masked_fill_"], _filled_where),
    "slice": _slice,
    "unbind": _unbind,
    "cat": _joined("numpy.concatenate"),
    "stack": _joined("numpy.stack"),
    "triu": _triangle("numpy.triu"),
    "tril": _triangle("numpy.tril"),
}
