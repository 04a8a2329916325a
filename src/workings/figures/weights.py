"""The weights of attentions as heat maps, what a mask hides, and any value at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workings.figures import heat
from workings.figures.attentions import Attention, attentions, chosen
from workings.figures.errors import FigureError
from workings.figures.finding import Array, Matrix, matrix
from workings.figures.style import Drawing, Style, ending
from workings.figures.wish import Wish
from workings.recording.operations.bound import as_array
from workings.recording.working import Working
from workings.views.naming import names_of

_HEADS = 4
_PANELS = 16
_READ = "A row asks, a column answers; darker is heavier."


def reading(style: Style) -> str:
    return _READ.replace("darker", "brighter") if style.dark else _READ


def draw_weights(working: Working, wish: Wish) -> Drawing:
    """The first attention beside the last, or those that are asked for."""
    found = attentions(working)
    shown = chosen(found, wish.at) if wish.at else usual(found)
    if len(shown) > _PANELS:
        raise FigureError(f"{len(shown)} heat maps", f"at most {_PANELS} in one figure", "say which with --at")
    names = titles([one.path for one in shown])
    drawn = {one.path for one in shown}
    also = [one.path for one in found if one.path not in drawn]
    caption = f"The attention weights of {' beside '.join(one.path for one in shown)}. {reading(wish.style)}"
    if also:
        caption += f" Also here: {', '.join(also[:6])}{', …' * (len(also) > 6)} (--at)."
    return heat.panels(
        wish.style, [one.weights for one in shown], names, caption, working.decimals, asks=True,
        hidden=[hidden_of(working, one) for one in shown],
    )  # fmt: skip


def usual(found: Sequence[Attention]) -> list[Attention]:
    """What is drawn unless asked otherwise: the first attention beside the last; where there are only heads, those."""
    whole = [one for one in found if not one.many and one.weights.array.shape[0] > 1]
    whole = whole or [one for one in found if not one.many]
    if whole:
        return [whole[0], whole[-1]] if len(whole) > 1 else whole
    return [*found[:_HEADS]]


def titles(paths: Sequence[str]) -> list[str]:
    """Paths without what all begin with: `attention.1` and `attention.2` of `block.attention.1`."""
    parts = [path.split(".") for path in paths]
    while len(parts) > 1 and all(len(p) > 1 and p[0] == parts[0][0] for p in parts):
        parts = [p[1:] for p in parts]
    return [ending(".".join(part), 30 if len(parts) == 1 else 22) for part in parts]


def hidden_of(working: Working, attention: Attention) -> Array | None:
    """What the mask of an attention hides: the mask of its group, or of one around it."""
    if attention.mask is not None:
        return heat.is_hidden(attention.mask)
    group = attention.group
    while group is not None:
        ref = names_of(working, group).get("mask")
        if ref is not None:
            mask = as_array(working.value(ref))
            own = (
                mask.shape == attention.weights.array.shape and not attention.weights.array[heat.is_hidden(mask)].any()
            )
            return heat.is_hidden(mask) if own else None
        group = working.groups[group].parent
    return None


def masks(working: Working) -> list[tuple[Matrix, Attention | None]]:
    """Every mask, with the first attention that obeys it."""
    out: dict[int, tuple[Matrix, Attention | None]] = {}
    found = attentions(working)
    # In the outermost group that names it: the attentions that obey it stand in there.
    for binding in sorted(working.bindings, key=lambda each: each.group):
        step = working.steps[binding.ref.step]
        if binding.name != "mask" or binding.ref.index or len(step.shape) != 2 or binding.ref.step in out:
            continue
        here = matrix(working, binding.ref)
        obeys = [one for one in found if one.group is not None and _within(working, one.group, binding.group)]
        out[binding.ref.step] = here, next((one for one in obeys if hidden_of(working, one) is not None), None)
    return list(out.values())


def _within(working: Working, group: int | None, outer: int) -> bool:
    while group is not None:
        if group == outer:
            return True
        group = working.groups[group].parent
    return False


def draw_mask(working: Working, wish: Wish) -> Drawing:
    """What may be attended to, beside the weights that come of it."""
    found = masks(working)
    for address in wish.at:
        found = [one for one in found if one[0].path == address or one[0].path.startswith(f"{address}.")]
        if not found:
            raise FigureError(
                f"--at {address}: there is no mask there", f"one of {', '.join(m.path for m, _ in masks(working))}"
            )
    mask, attention = max(found, key=lambda one: one[0].array.size) if not wish.at else found[0]
    hidden = heat.is_hidden(mask.array)
    seen = Matrix(mask.path, np.where(hidden, -np.inf, 0.0), mask.rows, mask.columns)
    caption = f"{mask.path}: what is hatched is hidden. {heat.ASKS.capitalize()}, {heat.ANSWERS}."
    if attention is None:
        return heat.panels(wish.style, [seen], titles([mask.path]), caption, working.decimals, asks=True)
    caption += f" Beside it the weights of {attention.path}, exactly 0 where they are hidden."
    return heat.panels(
        wish.style, [seen, attention.weights], ["mask, added to the scores", "weights"], caption, working.decimals,
        asks=True, shared=False, hidden=[None, hidden],
    )  # fmt: skip


def draw_address(working: Working, wish: Wish, address: str) -> Drawing:
    """Any value: a vector is one row, a matrix one heat map, more axes several."""
    ref = working.find(address)
    array = as_array(working.value(ref))
    labels = working.labels(ref.step)[len(ref.index) :]
    if array.dtype.kind not in "fiub" or not array.size:
        what = "has no numbers" if not array.size else f"holds {array.dtype} values"
        raise FigureError(f"{address} {what}", "real numbers")
    if array.ndim == 0:
        raise FigureError(
            f"{address} is one number", "a vector or a matrix", f"work it out: workings show ... --at {address!r}"
        )
    if array.ndim == 1:
        array, labels = array[None, :], (None, *labels)
    matrices = []
    if math.prod(array.shape[:-2]) > _PANELS:
        raise FigureError(
            f"{address} has {' × '.join(map(str, array.shape))} numbers, {math.prod(array.shape[:-2])} matrices",
            f"at most {_PANELS}", f"take a part: {address}[0]",
        )  # fmt: skip
    for place in np.ndindex(*array.shape[:-2]):
        names = [(axis[at] if axis else str(at)) for axis, at in zip(labels, place, strict=False)]
        path = f"{address}[{', '.join(names)}]" if place else address
        matrices.append(Matrix(path, array[place], labels[array.ndim - 2], labels[array.ndim - 1]))
    size = " × ".join(map(str, array.shape))
    return heat.panels(
        wish.style, matrices, titles([m.path for m in matrices]), f"{address}: {size} numbers.", working.decimals
    )
