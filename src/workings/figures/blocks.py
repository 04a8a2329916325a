"""A model as boxes and arrows: the encoder on the left, the decoder on the right, residual arrows around sub-layers."""

from __future__ import annotations

from workings.figures.sketch import Box, Point, Sketch
from workings.figures.structure import Column, Part, Structure, SubLayer
from workings.figures.style import Drawing, Style

_BOX, _COLUMN, _BETWEEN = 17.0, 25.0, 5.0
_GAP, _TIGHT = 1.6, 1.0
"""Between two boxes; on slides, which are wider than high, less."""
_NORM, _SUM = 2.0, 1.1  # the height of a norm; the width of the circle of a sum
_COLOURS = {"attention": 0, "cross-attention": 1, "feed-forward": 2}


def draw_blocks(structure: Structure, style: Style) -> Drawing:
    """From below to above, as the paper draws it. Each box has the path of its module as its gid."""
    gap = _GAP if style.height is None else _TIGHT
    heights = [_height(column, gap) for column in structure.columns]
    width = _COLUMN * len(heights) + _BETWEEN * (len(heights) - 1) + 1.0
    sketch = Sketch(style, width, max(heights) + 1.0)
    with sketch.drawing.making():
        tops: list[Point] = []
        asks: list[Box] = []
        for number, column in enumerate(structure.columns):
            x = 0.5 + number * (_COLUMN + _BETWEEN)
            stack = _Stack(sketch, column, x, gap)
            stack.draw()
            tops.append(stack.end)
            asks += [stack.boxes[sub.part.path] for sub in column.block if sub.role == "cross-attention"]
        if asks:
            _link(sketch, tops[0] if len(tops) > 1 else None, asks[0])
    sketch.drawing.caption = _caption(structure)
    return sketch.drawing


def _height(column: Column, gap: float) -> float:
    """As high as `_Stack` will draw it."""
    boxes = sum(_size(part) + gap for part in (*column.entry, *column.exit))
    inside = sum(_size(sub.part) + _NORM + _SUM + (2.3 if sub.before else 2.4) * gap for sub in column.block)
    return 1.2 + boxes + inside + 2.2 * gap


def _size(part: Part) -> float:
    return 1.25 + 1.1 * (len(part.lines) - 1) + 0.75


class _Stack:
    """One column as it grows upwards; ``at`` is where the next thing begins, ``end`` where the last arrow ends."""

    def __init__(self, sketch: Sketch, column: Column, x: float, gap: float) -> None:
        self.sketch, self.column, self.x, self.gap, self.at = sketch, column, x, gap, 0.5
        self.middle = x + _COLUMN / 2
        self.boxes: dict[str, Box] = {}
        self.end: Point = (self.middle, self.at)

    def draw(self) -> None:
        column = self.column
        self.sketch.text(self.middle, self.at + 0.5, column.source, size=0.95)
        self.at += 1.2
        self.end = (self.middle, self.at)
        for part in column.entry:
            self._on(part, self.gap)
        low = self.at + 0.7 * self.gap
        self.at = low
        for sub in column.block:
            self._sub_layer(sub)
        path = f"{column.path}.blocks" if column.times > 1 else column.path
        frame = self.sketch.box(
            self.x + 0.3, low, _COLUMN - 0.6, self.at + 0.5 * self.gap - low, path, facecolor="none",
            linestyle=(0, (4, 3)), rounding=0.6, zorder=1,
        )  # fmt: skip
        name = f"{column.name}" + (f" × {column.times}" if column.times > 1 else "")
        self.sketch.text(frame.x, frame.y + frame.height + 0.5, name, size=0.85, ha="left", weight="bold")
        self.at += 0.5 * self.gap
        for part in column.exit:
            self._on(part, self.gap)
        self._up(self.at + self.gap, "out")
        self.end = (self.middle, self.at)

    def _up(self, y: float, name: str = "", head: bool = True) -> None:
        """An arrow from where the last thing ended up to `y`."""
        style = "-|>" if head else "-"
        self.sketch.arrow([self.end, (self.middle, y)], f"{self.column.path}:{name}" if name else "", arrowstyle=style)
        self.end, self.at = (self.middle, y), y

    def _on(self, part: Part, gap: float, colour: int | None = None, height: float | None = None) -> Box:
        self._up(self.at + gap, part.path)
        high = height or _size(part)
        look = {} if colour is None else {"edgecolor": self.sketch.style.colours[colour], "lw": self.sketch.line * 1.5}
        box = self.sketch.said(self.middle - _BOX / 2, self.at, _BOX, high, part.lines, part.path, **look)
        self.boxes[part.path] = box
        self.at += high
        self.end = box.top
        return box

    def _sub_layer(self, sub: SubLayer) -> None:
        """The part with its norm, and the residual arrow from before them to the sum."""
        fork = self.at + 0.6 * self.gap
        self._up(fork, head=False)
        if sub.before:
            self._on(sub.norm, 0.6 * self.gap, height=_NORM)
        self._on(sub.part, 0.8 * self.gap if not sub.before else 0.5 * self.gap, _COLOURS[sub.role])
        total = self.at + 0.6 * self.gap
        self._up(total)
        self._sum(sub, fork)
        if not sub.before:
            self._on(sub.norm, 0.4 * self.gap, height=_NORM)

    def _sum(self, sub: SubLayer, fork: float) -> None:
        sketch, side = self.sketch, self.middle + _BOX / 2 + 1.6
        circle = sketch.box(self.middle - _SUM / 2, self.at, _SUM, _SUM, f"{sub.part.path}:sum", rounding=_SUM / 2)
        sketch.text(self.middle, self.at + _SUM / 2, "+", size=0.9)
        sketch.arrow(
            [(self.middle, fork), (side, fork), (side, circle.right[1]), circle.right], f"{sub.part.path}:residual"
        )
        self.at += _SUM
        self.end = circle.top


def _link(sketch: Sketch, top: Point | None, asks: Box) -> None:
    """Keys and values of the memory, from the encoder's end to the decoder's cross-attention."""
    y = asks.left[1]
    if top is None:
        start: list[Point] = [(asks.left[0] - 3.2, y)]
        sketch.text(asks.left[0] - 2.0, y + 0.8, "memory", size=0.8)
    else:
        turn = asks.left[0] - (_COLUMN - _BOX) / 2 - _BETWEEN / 2
        start = [top, (turn, top[1]), (turn, y)]
        sketch.text(asks.left[0] - 2.0, y + 0.4, "keys,\nvalues", size=0.75, va="bottom")
    sketch.arrow([*start, asks.left], f"memory:{asks.name}", sketch.style.colours[1], lw=sketch.line * 1.4)


def _caption(structure: Structure) -> str:
    said = []
    for column in structure.columns:
        order = "before" if column.block and column.block[0].before else "after"
        parts = ", ".join(sub.part.lines[0] for sub in column.block)
        times = f", {column.times} times" if column.times > 1 else ""
        said.append(f"The {column.name}{times}: {parts}; each with a residual sum and a norm {order} it.")
    if len(structure.columns) > 1:
        said.append("Keys and values of the cross-attention are of the encoder's output.")
    return " ".join(said)
