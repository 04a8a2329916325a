"""Probabilities of what may come next, as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workings.figures.errors import FigureError
from workings.figures.finding import Matrix, matrix
from workings.figures.style import Drawing, canvas, label
from workings.figures.weights import titles
from workings.figures.wish import Wish
from workings.reading.numbers import number
from workings.recording.working import Working

_MOST, _PANELS = 20, 6


def distributions(working: Working) -> list[Matrix]:
    """The probabilities of the vocabulary, each value once, the outermost first."""
    found: dict[int, Matrix] = {}
    named = [b for b in working.bindings if b.name == "probabilities"]
    # Those of a section, where there are any: what stands inside of its calls is on the way to them.
    outer = [b for b in named if working.groups[b.group].kind != "call"]
    for binding in outer or named:
        found.setdefault(binding.ref.step, matrix(working, binding.ref))
    return sorted(found.values(), key=lambda one: one.path.count("."))


def draw_next(working: Working, wish: Wish) -> Drawing:
    """A bar for each word; of many words the likeliest. Of several positions, it is what follows the last."""
    found = distributions(working)
    shown = [one for address in wish.at for one in found if _leads_to(address, one.path)] if wish.at else found[:1]
    if not shown:
        raise FigureError(
            f"--at {wish.at[0]}: there are no probabilities there", f"one of {', '.join(m.path for m in found)}"
        )
    if len(shown) > _PANELS:
        raise FigureError(f"{len(shown)} sets of bars", f"at most {_PANELS}", "say which with --at")
    order = _order(shown[0])
    drawing = canvas(wish.style, _ratio(wish, len(shown), len(order)), wide=len(shown) > 1)
    with drawing.making():
        drawing.set_layout_engine("constrained")
        axes = drawing.subplots(1, len(shown), squeeze=False, sharey=True, sharex=True)[0]
        names = shown[0].columns
        for ax, one, title in zip(
            axes, shown, titles([one.path.removesuffix(".probabilities") for one in shown]), strict=True
        ):
            values = one.array[-1][order]
            best = int(np.argmax(values))
            colours = [wish.style.colours[1 if place == best else 0] for place in range(len(order))]
            bars = ax.barh(range(len(order)), values, color=colours, height=0.72)
            texts = [number(float(value), working.decimals) for value in values]
            ax.bar_label(
                bars, texts, padding=wish.style.size * 0.3, fontsize=wish.style.size * 0.88, color=wish.style.ink
            )
            ax.set_yticks(range(len(order)), [label(names[at]) if names else str(at) for at in order])
            ax.set_xlim(0, 1.22 * max(float(np.max(m.array[-1])) for m in shown))
            ax.set_xlabel("probability")
            ax.tick_params(length=0)
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
            if len(shown) > 1:
                ax.set_title(title)
        axes[0].invert_yaxis()
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
    likeliest = int(np.argmax(shown[0].array[-1]))
    word = label(names[likeliest]) if names else str(likeliest)
    of = (
        ""
        if len(order) == shown[0].array.shape[1]
        else f", the likeliest {len(order)} of {shown[0].array.shape[1]:,} words"
    )
    also = [one.path for one in found if one not in shown]
    drawing.caption = f"What comes next ({shown[0].path}){of}: first of all {word}."
    if also:
        drawing.caption += f" Also here: {', '.join(also[:6])} (--at)."
    return drawing


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
