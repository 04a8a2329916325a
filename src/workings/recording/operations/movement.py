"""Movements: operations that make no number. Where each came from is found by running the call on positions."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.evaluation import NotRecorded, run
from workings.recording.operations import number_types
from workings.recording.operations.bound import Bound, as_array, base_name, parameter_names, scalar
from workings.recording.operations.expression import Apply, Expression, Leaf, Limits, Sum
from workings.recording.operations.functions import BY_NAME
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.working import Step, Working

# Parameters that say where, not what: they are taken as they are.
_SELECTORS = {
    *(
        "index",
        "indices",
        "condition",
        "mask",
        "where",
        "positions",
        "repeats",
        "condlist",
        "indices_or_sections",
        "obj",
    ),
    *("shift", "shifts", "pad_width", "k", "axis", "axes", "shape", "reps", "order", "padding", "newshape", "dtype"),
    *("axis1", "axis2", "source", "destination", "start", "stop", "step", "size", "sizes", "offset", "stride", "a_min"),
}
# Movements of PyTorch, by base name.
_TORCH = {
    *(
        "transpose",
        "t",
        "permute",
        "view",
        "_unsafe_view",
        "reshape",
        "expand",
        "repeat",
        "unsqueeze",
        "squeeze",
        "select",
    ),
    *("slice", "split", "split_with_sizes", "unbind", "index", "index_select", "gather", "embedding", "masked_fill"),
    *("masked_select", "clone", "detach", "alias", "lift_fresh", "cat", "stack", "copy", "copy_", "fill_", "zero_"),
    *(
        "masked_fill_",
        "index_put_",
        "index_put",
        "scatter",
        "scatter_",
        "tril",
        "triu",
        "flip",
        "roll",
        "diagonal",
        "diag",
    ),
    *(
        "as_strided",
        "constant_pad_nd",
        "repeat_interleave",
        "where",
        "_to_copy",
        "expand_as",
        "view_as",
        "narrow",
        "chunk",
    ),
    *("slice_backward", "select_backward", "unfold", "movedim", "select_scatter", "slice_scatter", "_reshape_alias"),
    *("as_strided_", "t_", "transpose_", "squeeze_", "unsqueeze_", "tril_", "triu_", "hstack", "vstack", "fill"),
    *(
        "unsafe_split",
        "unsafe_split_with_sizes",
        "unsafe_chunk",
        "repeat_interleave",
        "index_fill",
        "index_fill_",
        "numpy_T",
    ),
    *("index_copy", "index_copy_", "scatter_", "rot90", "take", "put_", "block_diag", "diag_embed", "view_as_real"),
}
SORTS = {"sort", "partition", "topk", "msort"}
_NEAR, _FAR = 2.0**23, 2.0**44
"""How far positions are shifted to tell them from other numbers: so far that a float32 still holds them, if it can."""
_MAPS = 64
_UNSEEN = 1e-6  # of a number: what is lost in float32, which is no digit that people read


def moves(step: Step) -> bool:
    function = BY_NAME.get(step.function)
    if function is not None:
        return function.moves
    return base_name(step) in _TORCH or step.operation in SORTS


def element(bound: Bound, index: tuple[int, ...], limits: Limits) -> Expression | None:
    working, step = bound.working, bound.step
    direct = _written_place(working, step, index)
    if direct is not None:
        return direct
    source = source_of(working, step, index)
    if source is None:
        return Leaf(_value(working, step, index))
    return _converted(working, step, _value(working, step, index), source)


def _converted(working: Working, step: Step, value: Any, source: Ref) -> Expression:
    """A number that was moved; where that was into another type which does not hold it, what became of it there."""
    if number_types.changes(working.steps[source.step].dtype, step.dtype):
        before = scalar(working.value(source))
        exact, held = as_array(before).item(), as_array(value).item()
        if abs(exact - held) > _UNSEEN * abs(exact):
            return Apply(number_types.name_of(step.dtype), (Leaf(before, source),))
    return Leaf(value, source)


def _value(working: Working, step: Step, index: tuple[int, ...]) -> Any:
    return scalar(working.value(Ref(step.number, index)))


def _written_place(working: Working, step: Step, index: tuple[int, ...]) -> Expression | None:
    """The flat writes of the ledger, found without building a map of the whole array."""
    if step.operation != "put_flat" or step.function != "recording.put_flat":
        return None
    where = np.asarray(step.arguments[2])
    flat = int(np.ravel_multi_index(index, step.shape)) if step.shape else 0
    hits = np.flatnonzero(where.reshape(-1) == flat)
    if hits.size:
        content = step.inputs[step.arguments[1].position]
        shape = working.steps[content.step].shape[len(content.index) :]
        inner = tuple(int(i) for i in np.unravel_index(int(hits[-1]), shape)) if shape else ()
        ref = Ref(content.step, content.index + inner)
    else:
        base = step.inputs[step.arguments[0].position]
        ref = Ref(base.step, base.index + index)
    return Leaf(_value(working, step, index), ref)


def source_of(working: Working, step: Step, index: tuple[int, ...]) -> Ref | None:
    """The element an element was before it was moved; None for a number that the movement itself put there."""
    which, places = position_map(working, step)
    chosen = int(which[index]) if step.shape else int(which[()])
    if chosen < 0:
        return None
    ref = step.inputs[chosen]
    shape = working.steps[ref.step].shape[len(ref.index) :]
    place = int(places[index]) if step.shape else int(places[()])
    inner = tuple(int(i) for i in np.unravel_index(place, shape)) if shape else ()
    return Ref(ref.step, ref.index + inner)


def position_map(working: Working, step: Step) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """For every element of a moved value: the input it came from (−1: none) and its place there, in C order."""
    cache: OrderedDict[int, Any] = working.__dict__.setdefault("_position_maps", OrderedDict())
    if step.number in cache:
        cache.move_to_end(step.number)
        return cache[step.number]  # type: ignore[no-any-return]
    found = _by_sorting(working, step) if step.operation in SORTS else _by_running(working, step)
    cache[step.number] = found
    if len(cache) > _MAPS:
        cache.popitem(last=False)
    return found


def _by_running(working: Working, step: Step) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    moved = moved_inputs(step)
    starts: dict[int, float] = {}
    total = 0
    for position, ref in enumerate(step.inputs):
        if position in moved:
            starts[position] = total
            total += _size(working, ref)
    far = _NEAR if total <= _NEAR else _FAR
    out = []
    for shift in (0.0, far):
        values = [
            _positions(working, ref, starts[i] + shift) if i in moved else working.value(ref)
            for i, ref in enumerate(step.inputs)
        ]
        made = as_array(run(_without_types(step), values))
        out.append((made.real if made.dtype.kind == "c" else made).astype(float))  # positions are real
    with np.errstate(invalid="ignore"):
        here = (out[1] - out[0]) == far
    which = np.full(out[0].shape, -1)
    places = np.zeros(out[0].shape, dtype=np.int64)
    for position, start in starts.items():
        size = _size(working, step.inputs[position])
        inside = here & (out[0] >= start) & (out[0] < start + size)
        which[inside] = position
        places[inside] = (out[0][inside] - start).astype(np.int64)
    return which, places


def _size(working: Working, ref: Ref) -> int:
    return int(np.prod(working.steps[ref.step].shape[len(ref.index) :], dtype=np.int64))


def _positions(working: Working, ref: Ref, start: float) -> Any:
    value = working.value(ref)
    shape = working.steps[ref.step].shape[len(ref.index) :]
    numbers = (np.arange(_size(working, ref), dtype=np.float64) + start).reshape(shape)
    if hasattr(value, "detach"):
        import sys

        torch = sys.modules["torch"]
        return torch.from_numpy(numbers).as_strided(numbers.shape, torch.from_numpy(numbers).stride())
    return numbers if isinstance(value, np.ndarray) else numbers.tolist()


def moved_inputs(step: Step) -> set[int]:
    """Which inputs are moved; the others (indices, masks, conditions) say where."""
    names = parameter_names(step)
    moved: set[int] = set()

    def visit(template: Any) -> None:
        if isinstance(template, Slot):
            moved.add(template.position)
        elif isinstance(template, (list, tuple)):
            for part in template:
                visit(part)

    rest = next((n[1:] for n in names if n.startswith("*")), "")
    for place, template in enumerate(step.arguments):
        name = names[place].lstrip("*") if place < len(names) else rest
        if name not in _SELECTORS:
            visit(template)
    for name, template in step.keywords.items():
        if name not in _SELECTORS:
            visit(template)
    return moved


def _without_types(step: Step) -> Step:
    """The same call without a number type, which would round the positions."""
    from workings.recording.working import Step as StepClass

    arguments = step.arguments
    if step.function in ("ndarray.astype", "recording.cast"):
        arguments = (*arguments[:-1], "float64") if len(arguments) > 1 else arguments
    elif step.function.startswith("numpy.") and len(arguments) > 1 and "dtype" in BY_NAME[step.function].parameters:
        place = BY_NAME[step.function].parameters.index("dtype")
        arguments = arguments[:place]
    keywords = {
        k: v
        for k, v in step.keywords.items()
        if k not in ("dtype", "casting", "out", "copy", "non_blocking", "memory_format")
    }
    if base_name(step) and isinstance(step.keywords.get("out"), dict):
        keywords["out"] = step.keywords["out"] | {"dtype": "torch.float64"}
    if step.function == "ndarray.astype" and "dtype" in step.keywords:
        keywords["dtype"] = "float64"
    if step.function == "numpy.fromiter":
        arguments, keywords = arguments[:1], {"dtype": "float64"}
    copy = StepClass(step.number, step.operation, step.function, step.inputs, arguments, keywords, 0, 0, None)
    copy.output = step.output
    if step.operation == "cast" and step.function.startswith("numpy."):  # np.float16(x)
        copy.function = "numpy.float64"
    if base_name(step) == "_to_copy":
        copy.function = "aten.clone.default"
        copy.keywords = {}
    return copy


def _by_sorting(working: Working, step: Step) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Sorted values: matched back to where equal values stood, along the axis they were sorted by."""
    ref = step.inputs[0]
    before, after = as_array(working.value(ref)), as_array(working.value(step.number))
    axis = Bound(working, step).get("axis", -1)
    axis = int(axis) % before.ndim
    order = np.argsort(before, axis=axis, kind="stable")
    taken = np.take_along_axis(before, order, axis)
    if after.shape != taken.shape or not np.array_equal(taken, after):
        order = np.flip(order, axis)
        taken = np.take_along_axis(before, order, axis)
        cut = [slice(None)] * before.ndim
        cut[axis] = slice(0, after.shape[axis])
        order, taken = order[tuple(cut)], taken[tuple(cut)]
        if not np.array_equal(taken, after):
            raise NotRecorded(f"step {step.number}: the order of this sort cannot be worked out")
    grid = list(np.indices(after.shape))
    grid[axis] = order
    return np.zeros(after.shape, dtype=int), np.ravel_multi_index(tuple(grid), before.shape)


def labels(bound: Bound, inputs: list[Any]) -> Any:
    if bound.step.operation == "put":
        own = _labels_of_places(bound, inputs)
        if own is not None:
            return own
    return _labels_along(bound, inputs)


_CHAIN = 512


def _labels_of_places(bound: Bound, inputs: list[Any]) -> Any:
    """A loop that writes place i from row i of one labelled value gives its places the labels of those rows."""
    working, step = bound.working, bound.step
    if not step.shape or step.shape[0] > _CHAIN or any(names is not None for names in inputs[0]):
        return None
    found: dict[int, tuple[int, str]] = {}
    current = step
    for _ in range(_CHAIN):
        if current.operation != "put" or len(current.arguments) != 3 or not isinstance(current.arguments[1], Slot):
            break
        place = current.arguments[2]
        place = place[0] if isinstance(place, tuple) and place else place
        if isinstance(place, (int, np.integer)) and not isinstance(place, bool):
            place = int(place) % step.shape[0]
            row = _row_behind(working, current.inputs[current.arguments[1].position], place, 4)
            if row is not None:
                found.setdefault(place, row)
        if not isinstance(current.arguments[0], Slot):
            break
        current = working.steps[current.inputs[current.arguments[0].position].step]
    if len(found) < step.shape[0] or len({parent for parent, _ in found.values()}) != 1:
        return None
    return (tuple(found[i][1] for i in range(step.shape[0])), *(None,) * (len(step.shape) - 1))


def _row_behind(working: Working, ref: Ref, place: int, depth: int) -> tuple[int, str] | None:
    """The labelled row of this number that a value was made from, a few steps back."""
    if ref.index and ref.index[0] == place:
        names = working.labels(ref.step)
        if names and names[0] is not None:
            return ref.step, names[0][place]
    if not depth:
        return None
    for inner in working.steps[ref.step].inputs:
        row = _row_behind(working, inner, place, depth - 1)
        if row is not None:
            return row
    return None


def _labels_along(bound: Bound, inputs: list[Any]) -> Any:
    """An axis of the result has the labels of the source axis it runs along, where it runs along exactly one."""
    step, working = bound.step, bound.working
    which, places = position_map(working, step)
    for position, ref in enumerate(step.inputs):
        shape = working.steps[ref.step].shape[len(ref.index) :]
        here = which == position
        if shape != step.shape or not here.any() or not any(inputs[position]):
            continue
        if np.array_equal(places[here], np.arange(which.size).reshape(shape)[here]):
            return inputs[position]  # some numbers replaced, the others where they were
    out: list[tuple[str, ...] | None] = []
    for axis in range(len(step.shape)):
        out.append(_axis_labels(working, step, which, places, axis, inputs))
    return tuple(out)


def _axis_labels(
    working: Any, step: Any, which: Any, places: Any, axis: int, inputs: list[Any]
) -> tuple[str, ...] | None:
    if which.size == 0:
        return None
    if step.shape[axis] == 1:
        return _only_label(working, step, inputs)
    lines = [_line(which, places, axis, corner) for corner in (0, -1)]
    answers = []
    for chosen, flat in lines:
        names: list[str] = []
        for source, place in zip(chosen.tolist(), flat.tolist(), strict=True):
            if source < 0:
                return None
            ref = step.inputs[source]
            shape = working.steps[ref.step].shape[len(ref.index) :]
            labelled = inputs[source]
            coordinates = np.unravel_index(place, shape) if shape else ()
            names.append(_name(labelled, coordinates, flat, chosen, source, shape))
        if "" in names:
            return None
        answers.append(tuple(names))
    return answers[0] if answers[0] == answers[1] else None


def _only_label(working: Any, step: Any, inputs: list[Any]) -> tuple[str, ...] | None:
    """An axis of one entry keeps its label where only one axis, before and after, can be meant."""
    if step.shape.count(1) != 1 or len(step.inputs) != 1:
        return None
    ref = step.inputs[0]
    shape = working.steps[ref.step].shape[len(ref.index) :]
    places = [a for a, n in enumerate(shape) if n == 1]
    return inputs[0][places[0]] if len(places) == 1 else None


def _line(which: Any, places: Any, axis: int, corner: int) -> tuple[Any, Any]:
    key: list[Any] = [corner] * which.ndim
    key[axis] = slice(None)
    return which[tuple(key)], places[tuple(key)]


def _name(labelled: Any, coordinates: Any, flat: Any, chosen: Any, source: int, shape: tuple[int, ...]) -> str:
    """The label of the one source axis that varies along this line."""
    mine = flat[chosen == source]
    if mine.size == 1 and len(chosen) > 1:
        vary = [a for a in range(len(shape)) if labelled[a] is not None and len(shape) == 1]
    else:
        every = np.unravel_index(mine, shape) if shape else ()
        vary = [a for a, c in enumerate(every) if np.ptp(c) > 0]
        if mine.size == 1:
            vary = []
    if len(vary) != 1 or labelled[vary[0]] is None:
        return ""
    return str(labelled[vary[0]][int(coordinates[vary[0]])])


__all__ = ["Sum", "element", "labels", "moves", "position_map", "source_of"]
