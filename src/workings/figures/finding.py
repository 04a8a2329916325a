"""What there is to draw in a Working: values by name, and its attentions, however they were written down.

Nothing is computed here. An attention of an example has names; of a script, its weights are known by their rows, which
sum to 1; inside a fused call they are found by opening it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from workings.figures.errors import FigureError
from workings.frozen import frozen
from workings.recording.operations.bound import as_array
from workings.recording.working import Group, Labels, Ref, Step, Working
from workings.views.tables import is_distribution

Array = np.ndarray[Any, Any]
Names = tuple[str, ...] | None
_FUSED = ("scaled_dot_product_attention", "multi_head_attention", "encoder_block")
"""Operations that are one call, with attention inside."""
_SOFTMAX, _ON_THE_WAY = ("softmax", "_safe_softmax"), ("reshape", "multiply", "dropout", "astype", "copy")


@frozen
class Matrix:
    """Numbers with two axes, a name for each row and column where there are any, and their address."""

    path: str
    array: Array
    rows: Names = None
    columns: Names = None


@frozen
class Attention:
    """One attention, or one head of several.

    ``group`` holds its other values, None where it has none with names; ``step`` made the weights or, fused, the
    output; ``output`` is the step that mixed the values. ``many`` is the path that several heads have in common,
    ``head`` the label of this one; ``mask`` is what was added to the scores inside of a fused call.
    """

    path: str
    weights: Matrix
    group: int | None
    step: int
    output: int | None = None
    many: str = ""
    head: str = ""
    mask: Array | None = None


def matrix(working: Working, ref: Ref, path: str = "") -> Matrix:
    """A value with one or two axes; a vector is one row."""
    array = as_array(working.value(ref))
    labels = working.labels(ref.step)[len(ref.index) :]
    path = path or working.index.element_path(ref)
    if array.ndim == 1:
        return Matrix(path, array[None, :], None, _named(labels, 0))
    return Matrix(path, array, _named(labels, 0), _named(labels, 1))


def _named(labels: Labels, axis: int) -> Names:
    return labels[axis] if axis < len(labels) else None


def names_of(working: Working, group: int) -> dict[str, Ref]:
    """The last value of each name in a group itself."""
    return {b.name: b.ref for b in working.bindings if b.group == group}


def attentions(working: Working) -> list[Attention]:
    """Every attention in its order. What was found once is not found again under another name."""
    mixers = _mixers(working)
    found = list(_named_weights(working, mixers))
    named, mixing = bool(found), {attention.output for attention in found}
    for step in working.steps:
        mixer = mixers.get(Ref(step.number))
        if step.operation in _FUSED:
            found += _inside(working, step)
        elif mixer is not None and mixer not in mixing and (not named or step.operation in _SOFTMAX):
            some = list(_by_rows(working, step, mixer))
            mixing |= {attention.output for attention in some}
            found += some
    return sorted(found, key=lambda attention: attention.step)


def _mixers(working: Working) -> dict[Ref, int]:
    """By what is multiplied from the left, the first step that does so: of weights, the one that mixes by them.

    Between the two, weights may have been put in another shape, or some of them dropped.
    """
    found: dict[Ref, int] = {}
    for step in working.steps:
        if step.operation not in ("matmul", "contraction", "einsum") or not step.inputs:
            continue
        ref = step.inputs[0]
        while ref not in found:
            found[ref] = step.number
            before = working.steps[ref.step]
            if ref.index or before.operation not in _ON_THE_WAY or not before.inputs:
                break
            ref = before.inputs[0]
    return found


def _named_weights(working: Working, mixers: dict[Ref, int]) -> Iterator[Attention]:
    """In groups that call them `weights`, as every equation of attention does; of one value, the outermost group."""
    seen: set[Ref] = set()
    named = {b.group: b.ref for b in working.bindings if b.name == "weights"}
    for group in working.groups:
        ref = named.get(group.number)
        if ref is None or ref in seen or group.equation in ("softmax", "feed_forward"):
            continue
        seen.add(ref)
        step = working.steps[ref.step]
        if not step.dtype.startswith("float") or not _weighs(working, group, ref, mixers):
            continue
        if 1 <= len(step.shape) - len(ref.index) <= 2:
            path = working.index.group_path(group.number)
            many, label = _head_of(working, group)
            yield Attention(path, matrix(working, ref), group.number, ref.step, mixers.get(ref), many, label)
        else:
            yield from _apart(working, ref, group.number, mixers.get(ref))


def _weighs(working: Working, group: Group, ref: Ref, mixers: dict[Ref, int]) -> bool:
    """Whether these are weights of attention: in an example they are; elsewhere they sum to 1 and mix something."""
    return group.kind == "section" or (ref in mixers and is_distribution(as_array(working.value(ref))))


def _head_of(working: Working, group: Group) -> tuple[str, str]:
    if group.equation == "head" and group.parent is not None:
        return working.index.group_path(group.parent), group.name
    return "", ""


def _apart(working: Working, ref: Ref, group: int | None, output: int | None) -> Iterator[Attention]:
    """Weights with more axes: the last two of each."""
    array = as_array(working.value(ref))
    if is_distribution(array) and array.ndim > 2:
        path = working.index.element_path(ref)
        labels = working.labels(ref.step)[len(ref.index) :]
        yield from _pieces(path, array, labels, ref.step, group, output)


def _pieces(
    path: str,
    array: Array,
    labels: Labels,
    step: int,
    group: int | None,
    output: int | None,
    mask: Array | None = None,
) -> Iterator[Attention]:
    rows, columns = _named(labels, array.ndim - 2), _named(labels, array.ndim - 1)
    hides = None if mask is None else np.broadcast_to(mask, array.shape)
    for place in np.ndindex(*array.shape[:-2]):
        own = None if hides is None else hides[place]
        at = f"{path}[{', '.join(map(str, place))}]"
        yield Attention(at, Matrix(at, array[place], rows, columns), group, step, output, path, str(place[-1]), own)


def _inside(working: Working, step: Step) -> Iterator[Attention]:
    """The weights of a fused call, which exist only when it is opened."""
    from workings.recording.opening import open_step
    from workings.recording.operations.meaning import kind

    if step.output or kind(step) != "composite":  # a second output, or one that cannot be opened
        return
    opened = open_step(working, step.number).working
    ref = next((b.ref for b in reversed(opened.bindings) if b.name == "weights"), None)
    if ref is not None:
        path = (
            working.path(step.number).removesuffix(".output").removesuffix(".score").removesuffix(f".{step.operation}")
        )
        array, labels = as_array(opened.value(ref)), opened.labels(ref.step)
        mask = next((as_array(opened.value(b.ref)) for b in opened.bindings if b.name in ("mask", "hidden")), None)
        if mask is not None and (mask.ndim < 2 or mask.shape[-1] != array.shape[-1]):
            mask = None
        yield from _pieces(path, array, labels, step.number, None, step.number, mask)


def _by_rows(working: Working, step: Step, mixer: int) -> Iterator[Attention]:
    """In a script or a model: a value whose rows sum to 1, and by which something is mixed."""
    ref = Ref(step.number)
    if len(step.shape) < 2 or not step.dtype.startswith("float") or not is_distribution(as_array(working.value(ref))):
        return
    if len(step.shape) > 2:
        yield from _apart(working, ref, None, mixer)
    else:
        weights = matrix(working, ref)
        yield Attention(weights.path, weights, None, step.number, mixer)


def rows_mixed(working: Working, attention: Attention) -> Ref | None:
    """What the weights mix: the values."""
    if attention.output is None or working.steps[attention.output].operation in _FUSED:
        return None
    return working.steps[attention.output].inputs[1]


def chosen(found: list[Attention], at: tuple[str, ...]) -> list[Attention]:
    """Those at the addresses, in their order. Raises FigureError for an address that leads to none."""
    out: list[Attention] = []
    for address in at:
        some = [one for one in found if _leads_to(address, one)]
        if not some:
            paths = ", ".join(dict.fromkeys(one.path for one in found[:12]))
            raise FigureError(f"--at {address}: there is no attention there", f"one of {paths}")
        out += [one for one in some if not any(one is other for other in out)]
    return out


def _leads_to(address: str, attention: Attention) -> bool:
    for path in (attention.path, attention.weights.path, attention.many):
        if path and (
            path == address or path.startswith((f"{address}.", f"{address}[")) or path.endswith(f".{address}")
        ):
            return True
    return False


def tokens(names: Names, wanted: tuple[str, ...], count: int) -> list[int]:
    """The rows of words that are asked for, by label or zero-based number. Raises FigureError for one not there."""
    known = ", ".join(dict.fromkeys(names)) if names else f"a number from 0 to {count - 1}"
    out = []
    for word in wanted:
        base, _, occurrence = word.rpartition("#")
        if names and word in names:
            out.append(names.index(word))
        elif names and base in names and occurrence.isdigit() and 0 < int(occurrence) <= names.count(base):
            out.append([place for place, name in enumerate(names) if name == base][int(occurrence) - 1])
        elif word.isdecimal() and int(word) < count:
            out.append(int(word))
        else:
            raise FigureError(f"--token {word}: there is no such word here", known)
    return out
