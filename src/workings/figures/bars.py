"""Probabilities of what may come next, as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from workings.figures.errors import FigureError
from workings.figures.finding import Matrix, matrix
from workings.figures.style import Drawing, Style, canvas, label
from workings.figures.weights import titles
from workings.figures.wish import Wish
from workings.reading.numbers import number
from workings.recording.working import Ref, Working

_MOST, _PANELS = 20, 6


def distributions(working: Working) -> list[Matrix]:
    """The probabilities of the vocabulary, each value once, the outermost first."""
    found: dict[int, Matrix] = {}
    named = [b for b in working.bindings if b.name == "probabilities" and _is_row_or_rows(working, b.ref)]
    # Those of a section, where there are any: what stands inside of its calls is on the way to them.
    outer = [b for b in named if working.groups[b.group].kind != "call"]
    for binding in outer or named:
        found.setdefault(binding.ref.step, matrix(working, binding.ref))
    return sorted(found.values(), key=lambda one: one.path.count("."))


def _is_row_or_rows(working: Working, ref: Ref) -> bool:
    step = working.steps[ref.step]
    return step.dtype.startswith("float") and len(step.shape) - len(ref.index) in (1, 2)


def draw_next(working: Working, wish: Wish) -> Drawing:
    """A bar for each word; of many words the likeliest. Of several positions, it is what follows the last."""
    found = distributions(working)
    shown = _shown(found, wish.at)
    order = _order(shown[0])
    drawing = canvas(wish.style, _ratio(wish, len(shown), len(order)), wide=len(shown) > 1)
    with drawing.making():
        drawing.set_layout_engine("constrained")
        axes = drawing.subplots(1, len(shown), squeeze=False, sharey=True, sharex=True)[0]
        names = titles([one.path.removesuffix(".probabilities") for one in shown])
        for ax, one, title in zip(axes, shown, names, strict=True):
            _bars(ax, one, order, wish.style, working.decimals)
            if len(shown) > 1:
                ax.set_title(title)
        axes[0].set_xlim(0, 1.22 * max(float(np.max(one.array[-1])) for one in shown))
        axes[0].invert_yaxis()
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
    drawing.caption = _caption(shown[0], len(order))
    also = [one.path for one in found if one.path not in {each.path for each in shown}]
    if also:
        drawing.caption += f" Also here: {', '.join(also[:6])}{', …' * (len(also) > 6)} (--at)."
    return drawing


def _shown(found: list[Matrix], at: Sequence[str]) -> list[Matrix]:
    """The first, or those that are asked for. Raises FigureError."""
    if not at:
        return found[:1]
    shown = [one for address in at for one in found if _leads_to(address, one.path)]
    if not shown:
        known = ", ".join(one.path for one in found)
        raise FigureError(f"--at {at[0]}: there are no probabilities there", f"one of {known}")
    if len(shown) > _PANELS:
        raise FigureError(f"{len(shown)} sets of bars", f"at most {_PANELS}", "say which with --at")
    other = next((one for one in shown if one.columns != shown[0].columns), None)
    if other is not None or len({one.array.shape[1] for one in shown}) > 1:
        raise FigureError("these are probabilities of different words", "of one vocabulary", "draw a figure for each")
    return shown


def _bars(ax: Axes, one: Matrix, order: Sequence[int], style: Style, decimals: int) -> None:
    """The likeliest word in a colour of its own."""
    values = one.array[-1][list(order)]
    best = int(np.argmax(values))
    colours = [style.colours[1 if place == best else 0] for place in range(len(order))]
    bars = ax.barh(range(len(order)), values, color=colours, height=0.72)
    texts = [number(float(value), decimals) for value in values]
    ax.bar_label(bars, texts, padding=style.size * 0.3, fontsize=style.size * 0.88, color=style.ink)
    ax.set_yticks(range(len(order)), [label(one.columns[at]) if one.columns else str(at) for at in order])
    ax.set_xlabel("probability")
    ax.tick_params(length=0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _caption(one: Matrix, drawn: int) -> str:
    likeliest, count = int(np.argmax(one.array[-1])), one.array.shape[1]
    word = label(one.columns[likeliest]) if one.columns else str(likeliest)
    of = "" if drawn == count else f", the likeliest {drawn} of {count:,} words"
    return f"What comes next ({one.path}){of}: first of all {word}."


def _leads_to(address: str, path: str) -> bool:
    return address in (path, path.removesuffix(".probabilities"))


def _order(one: Matrix) -> Sequence[int]:
    """In the order of the vocabulary where all fit, else from the likeliest on."""
    count = one.array.shape[1]
    if count <= _MOST:
        return list(range(count))
    return [int(place) for place in np.argsort(-one.array[-1], kind="stable")[:_MOST]]


def _ratio(wish: Wish, panels: int, bars: int) -> float:
    width = wish.style.wide if panels > 1 else wish.style.narrow
    return min(max((bars * 1.75 + 4.5) * wish.style.size / 72 / width, 0.3), 1.3)
