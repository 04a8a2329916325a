"""Boxes and arrows, placed in ems, so that a diagram keeps its shape at every size of letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path
from matplotlib.text import Text

from workings.figures.style import Drawing, Style, fit
from workings.frozen import frozen

Point = tuple[float, float]


@frozen
class Box:
    """A box that was drawn, in ems: its middle is where arrows start and end."""

    x: float
    y: float
    width: float
    height: float
    name: str = ""

    @property
    def left(self) -> Point:
        return self.x, self.y + self.height / 2

    @property
    def right(self) -> Point:
        return self.x + self.width, self.y + self.height / 2

    @property
    def top(self) -> Point:
        return self.x + self.width / 2, self.y + self.height

    @property
    def bottom(self) -> Point:
        return self.x + self.width / 2, self.y


class Sketch:
    """A drawing of `width` by `height` ems; letters are as large as the style's, or smaller where that needs it."""

    def __init__(self, style: Style, width: float, height: float) -> None:
        self.style = style
        room = style.wide if width * style.size / 72 > style.narrow else style.narrow
        self.em = min(style.size, room * 72 / width)
        high = style.height
        if high is not None:
            self.em = min(self.em, high * 72 / height)
        else:
            high = height * self.em / 72
        self.drawing = Drawing(style, (room, high))
        with self.drawing.making():
            self.ax = self.drawing.add_axes((0, 0, 1, 1))
            self.ax.set_axis_off()
            # What is left over is shared between both sides.
            spare, above = room * 72 / self.em - width, high * 72 / self.em - height
            self.ax.set_xlim(-spare / 2, width + spare / 2)
            self.ax.set_ylim(-above / 2, height + above / 2)

    @property
    def line(self) -> float:
        return self.style.line * 0.75

    def text(
        self, x: float, y: float, text: str, *, size: float = 1.0, width: float | None = None, **look: Any
    ) -> Text:
        """A text, made smaller where it is wider than `width` ems."""
        look = dict[str, Any](ha="center", va="center", color=self.style.ink, zorder=5) | look
        drawn = self.ax.text(x, y, text, fontsize=self.em * size, **look)
        if width is not None:
            fit(drawn, width * self.em / 72)
        return drawn

    def box(self, x: float, y: float, width: float, height: float, name: str = "", **look: Any) -> Box:
        """An empty box with its lower left corner there."""
        own = dict[str, Any](facecolor=self.style.fill, edgecolor=self.style.faint, lw=self.line * 0.7, zorder=2)
        look = own | look
        rounding = look.pop("rounding", 0.3)
        patch = FancyBboxPatch((x, y), width, height, boxstyle=f"round,pad=0,rounding_size={rounding}", **look)
        patch.set_gid(name or None)
        self.ax.add_patch(patch)
        return Box(x, y, width, height, name)

    def said(
        self, x: float, y: float, width: float, height: float, lines: Sequence[str], name: str = "", **look: Any
    ) -> Box:
        """A box with lines: the first in the full size, the others smaller."""
        box = self.box(x, y, width, height, name, **look)
        heights = [1.25, *[1.1] * (len(lines) - 1)]
        top = y + height / 2 + sum(heights) / 2
        for number, (line, high) in enumerate(zip(lines, heights, strict=True)):
            top -= high
            colour = self.style.ink
            self.text(
                x + width / 2, top + high / 2, line, size=0.85 if number else 1.0, width=width - 0.7, color=colour
            )
        return box

    def arrow(self, points: Sequence[Point], name: str = "", colour: str = "", **look: Any) -> FancyArrowPatch:
        """A line through points, with a head at its end."""
        path = Path(list(points), [Path.MOVETO, *[Path.LINETO] * (len(points) - 1)])
        look = dict[str, Any](lw=self.line, zorder=3, arrowstyle="-|>", linestyle="-") | look
        patch = FancyArrowPatch(
            path=path, mutation_scale=self.em * 0.8, color=colour or self.style.ink, joinstyle="round", **look
        )
        patch.set_gid(name or None)
        self.ax.add_patch(patch)
        return patch
