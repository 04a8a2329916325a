"""The vectors of positions: on the circle in two dimensions, as a map of fast and slow coordinates in more."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from workings.figures import heat
from workings.figures.errors import FigureError
from workings.figures.finding import Matrix, matrix
from workings.figures.style import Drawing, Style, canvas, label
from workings.figures.wish import Wish
from workings.recording.working import Ref, Working
from workings.views.naming import names_of
from workings.views.positions import DOWN, READ, across


def encodings(working: Working) -> list[Matrix]:
    """The vectors that were added to rows: a row for each position."""
    found: dict[Ref, Matrix] = {}
    for group in working.groups:
        ref = names_of(working, group.number).get("encoding")
        if ref is not None and ref not in found and len(working.steps[ref.step].shape) == 2:
            found[ref] = matrix(working, ref)
    return list(found.values())


def draw_positions(working: Working, wish: Wish) -> Drawing:
    """The texts' fifth figure."""
    found = encodings(working)
    shown = [one for one in found if not wish.at or any(one.path.startswith(address) for address in wish.at)]
    if not shown:
        raise FigureError(
            f"--at {wish.at[0]}: there are no positions there", f"one of {', '.join(m.path for m in found)}"
        )
    one = shown[0]
    if one.array.shape[1] == 2 and np.allclose(np.hypot(*one.array.T), 1):
        return _circle(one, wish)
    return _map(one, wish, working.decimals)


def _circle(one: Matrix, wish: Wish) -> Drawing:
    """Each position is a point; from one to the next it is always the same turn, clockwise from the second axis."""
    style = wish.style
    drawing = canvas(style, 0.96)
    with drawing.making():
        drawing.set_layout_engine("constrained")
        ax = drawing.add_subplot()
        ax.set_aspect("equal")
        ax.set_xlim(-1.55, 1.55)
        ax.set_ylim(-1.35, 1.35)
        ax.add_patch(Circle((0, 0), 1, fill=False, ec=style.faint, lw=style.line * 0.6))
        ax.axhline(0, color=style.faint, lw=style.line * 0.4, zorder=0)
        ax.axvline(0, color=style.faint, lw=style.line * 0.4, zorder=0)
        for place, (x, y) in enumerate(one.array):
            colour = style.colours[place % len(style.colours)]
            ax.plot([0, x], [0, y], color=colour, lw=style.line * 0.7, zorder=2)
            ax.plot([x], [y], "o", color=colour, ms=style.size * 0.6, zorder=4, gid=f"position-{place}")
        _name_turns(ax, one, style)
        ax.set_xlabel("coordinate 0:  sin p")
        ax.set_ylabel("coordinate 1:  cos p")
        ax.set_xticks([-1, 0, 1])
        ax.set_yticks([-1, 0, 1])
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
    count = len(one.array)
    drawing.caption = (
        f"The positions 0 to {count - 1} ({one.path}) on the circle: moving on by one position is always the same "
        "turn, by one radian. The sine is the first coordinate, so that angles are measured from the second axis."
    )
    return drawing


def _name_turns(ax: Axes, one: Matrix, style: Style) -> None:
    few = len(one.array) <= 8
    at_point: dict[tuple[int, int], list[int]] = {}
    for place, (x, y) in enumerate(one.array):
        at_point.setdefault((round(4 * x), round(4 * y)), []).append(place)
    for places in at_point.values():
        x, y = one.array[places[0]]
        names = [f"{p}  {label(one.rows[p], 12)}" if one.rows and few else str(p) for p in places]
        ax.text(
            1.1 * x, 1.1 * y, ", ".join(names) if not few else "\n".join(names), zorder=5,
            ha="left" if x > 0.2 else "right" if x < -0.2 else "center",
            va="bottom" if y > 0.2 else "top" if y < -0.2 else "center",
        )  # fmt: skip
    for place in range(len(one.array) - 1 if few else 0):
        start, end = one.array[place], one.array[place + 1]
        inner = 0.62 if place % 2 == 0 else 0.5
        # From the second axis clockwise: a turn to the right is a negative angle in the plane.
        arc = FancyArrowPatch(
            inner * start, inner * end, connectionstyle=f"arc3,rad=-{math.tan(0.25):.4f}", arrowstyle="-|>",
            mutation_scale=style.size * 0.9, color=style.faint, lw=style.line * 0.6, shrinkA=0, shrinkB=0, zorder=3,
        )  # fmt: skip
        arc.set_gid(f"turn-{place}")
        ax.add_patch(arc)
        if place < 3:
            middle = (start + end) / math.hypot(*(start + end))
            ax.text(
                0.78 * middle[0],
                0.78 * middle[1],
                "1 rad",
                ha="center",
                va="center",
                fontsize=style.size * 0.75,
                color=style.ink,
            )


def _map(one: Matrix, wish: Wish, decimals: int) -> Drawing:
    """A row for each position, a column for each coordinate."""
    style = wish.style
    length, width = one.array.shape
    shown = one if one.columns else Matrix(one.path, one.array, one.rows, None)
    drawing = canvas(style, min(max(0.75 * length / width, 0.25), 1.1) + 0.22, wide=width > 12)
    with drawing.making():
        drawing.set_layout_engine("constrained")
        ax = drawing.add_subplot()
        norm = heat.scale_of([np.array([-1.0, 1.0]), one.array])
        drawn = heat.heat(ax, shown, style, norm)
        ax.set_box_aspect(None)
        ax.set_xlabel(across(one.array))
        ax.set_ylabel(DOWN)
        bar = drawing.colorbar(ax.collections[0], ax=ax, aspect=25, pad=0.02)
        bar.outline.set_edgecolor(style.faint)
        heat.settle(drawing, [drawn], min(decimals, 2))
    drawing.caption = f"The vectors of {length} positions ({one.path}), a row each. {READ}"
    return drawing
