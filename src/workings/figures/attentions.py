"""The attentions of a Working, however they were written down.

An attention of an example has names; of a script, its weights are known by their rows, which sum to 1, and by what they
mix; inside a fused call they are found by opening it, which is done when they are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from workings.figures.errors import FigureError
from workings.figures.finding import Array, Matrix, matrix, named
from workings.frozen import frozen
from workings.recording.operations.bound import as_array
from workings.recording.working import Group, Labels, Ref, Step, Working
from workings.views.tables import is_distribution

_FUSED = ("scaled_dot_product_attention", "multi_head_attention", "encoder_block")
"""Operations that are one call, with attention inside."""
_SOFTMAX, _ON_THE_WAY = ("softmax", "_safe_softmax"), ("reshape", "multiply", "dropout", "astype", "copy")


@frozen
class Inside:
    """The weights of several heads in one array, with what was added to their scores."""

    array: Array
    labels: Labels
    mask: Array | None = None


class Fused:
    """A fused call: its weights exist only when it is opened, once for all of its heads."""

    def __init__(self, working: Working, step: int) -> None:
        self._working, self._step = working, step

    @cached_property
    def inside(self) -> Inside | None:
        from workings.recording.opening import open_step

        opened = open_step(self._working, self._step).working
        ref = next((b.ref for b in reversed(opened.bindings) if b.name == "weights"), None)
        if ref is None:
            return None
        array = as_array(opened.value(ref))
        mask = next((as_array(opened.value(b.ref)) for b in opened.bindings if b.name in ("mask", "hidden")), None)
        if mask is not None and (mask.ndim < 2 or mask.shape[-1] != array.shape[-1]):
            mask = None
        return Inside(array, opened.labels(ref.step), None if mask is None else np.broadcast_to(mask, array.shape))


@frozen
class Attention:
    """One attention, or one head of several.

    ``group`` holds its other values, None where it has none with names; ``step`` made the weights or, fused, the
    output; ``output`` is the step that mixed the values. ``many`` is the path that several heads have in common,
    ``head`` the label of this one, ``place`` where it stands among them.
    """

    path: str
    group: int | None
    step: int
    source: Matrix | Inside | Fused
    output: int | None = None
    many: str = ""
    head: str = ""
    place: tuple[int, ...] = ()

    @property
    def address(self) -> str:
        """Where the weights stand."""
        return self.source.path if isinstance(self.source, Matrix) else self.path

    @cached_property
    def weights(self) -> Matrix:
        """A row for each token that asks, a column for each that answers."""
        if isinstance(self.source, Matrix):
            return self.source
        inside = self._inside()
        rows, columns = (named(inside.labels, inside.array.ndim + axis) for axis in (-2, -1))
        return Matrix(self.path, inside.array[self.place], rows, columns)

    @cached_property
    def mask(self) -> Array | None:
        """What was added to the scores inside of a fused call."""
        found = None if isinstance(self.source, Matrix) else self._inside().mask
        return None if found is None else found[self.place]

    def _inside(self) -> Inside:
        found = self.source.inside if isinstance(self.source, Fused) else self.source
        assert isinstance(found, Inside)
        return found


def attentions(working: Working) -> list[Attention]:
    """Every attention in its order. What was found once is not found again under another name."""
    mixers = _mixers(working)
    found = list(_named_weights(working, mixers))
    named, mixing = bool(found), {attention.output for attention in found}
    for step in working.steps:
        mixer = mixers.get(Ref(step.number))
        if step.operation in _FUSED:
            found += _fused(working, step)
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
            yield Attention(path, group.number, ref.step, matrix(working, ref), mixers.get(ref), many, label)
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
        source = Inside(array, working.labels(ref.step)[len(ref.index) :])
        yield from _pieces(working.index.element_path(ref), array.shape[:-2], source, ref.step, group, output)


def _pieces(
    path: str, shape: tuple[int, ...], source: Inside | Fused, step: int, group: int | None, output: int | None
) -> Iterator[Attention]:
    """One for each head of each sequence."""
    for place in np.ndindex(*shape):
        at = f"{path}[{', '.join(map(str, place))}]"
        yield Attention(at, group, step, source, output, path, str(place[-1]), place)


def _fused(working: Working, step: Step) -> Iterator[Attention]:
    """The heads of a fused call."""
    from workings.recording.operations.meaning import kind

    if step.output or kind(step) != "composite":  # a second output, or one that cannot be opened
        return
    source = Fused(working, step.number)
    if step.operation == "scaled_dot_product_attention":
        heads = step.shape[:-2]  # known before it is opened
    else:
        heads = source.inside.array.shape[:-2] if source.inside is not None else ()
    if math.prod(heads) and heads:
        path = working.path(step.number)
        for ending in (".output", ".score", f".{step.operation}"):
            path = path.removesuffix(ending)
        yield from _pieces(path, heads, source, step.number, None, step.number)


def _by_rows(working: Working, step: Step, mixer: int) -> Iterator[Attention]:
    """In a script or a model: a value whose rows sum to 1, and by which something is mixed."""
    ref = Ref(step.number)
    if len(step.shape) < 2 or not step.dtype.startswith("float") or not is_distribution(as_array(working.value(ref))):
        return
    if len(step.shape) > 2:
        yield from _apart(working, ref, None, mixer)
    else:
        weights = matrix(working, ref)
        yield Attention(weights.path, None, step.number, weights, mixer)


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
    for path in (attention.path, attention.address, attention.many):
        if path and (
            path == address or path.startswith((f"{address}.", f"{address}[")) or path.endswith(f".{address}")
        ):
            return True
    return False
