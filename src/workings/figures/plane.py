"""Tokens as arrows in a plane of two named axes, and where attention takes one of them, or all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from workings.figures.attentions import Attention, attentions, chosen, rows_mixed
from workings.figures.errors import FigureError
from workings.figures.finding import Array, Matrix, Names, matrix, tokens
from workings.figures.style import Drawing, Style, canvas, label
from workings.figures.wish import Wish
from workings.frozen import frozen
from workings.recording.working import Ref, Working

EVERY = ":"
"""As in an address: every word."""


@frozen
class Move:
    """The rows of a sentence, and each after attention: the same axes."""

    before: Matrix
    after: Matrix | None
    by: str


def moves(working: Working, at: tuple[str, ...] = ()) -> list[Move]:
    """The attentions that mix the rows themselves, whose outputs are points of the same plane."""
    out = []
    found = attentions(working)
    for one in chosen(found, at[:1]) if at else found:
        values = rows_mixed(working, one)
        if values is None or one.output is None or one.head:
            continue
        before, after = matrix(working, values), matrix(working, Ref(one.output))
        if before.array.shape == after.array.shape and before.array.ndim == 2 and _rows_ask(one, before):
            out.append(Move(before, after, one.path))
    return out


def _rows_ask(attention: Attention, rows: Matrix) -> bool:
    """Whether the rows that are mixed are those that ask: each then has a place before and after."""
    weights = attention.weights
    return weights.array.shape[0] == rows.array.shape[0] > 1 and weights.rows == weights.columns


def points(working: Working, at: tuple[str, ...] = ()) -> Move | None:
    """What the plane shows: the first attention's move, or the rows alone where there is none."""
    found = moves(working, at)
    if found or at:
        return found[0] if found else None
    if "X" in working:
        rows = matrix(working, working.find("X"))
        if (
            rows.array.ndim == 2
            and rows.array.shape[0] > 1
            and rows.array.shape[1] > 1
            and rows.array.dtype.kind in "fi"
        ):
            return Move(rows, None, "")
    return None


def draw_plane(working: Working, wish: Wish) -> Drawing:
    """The texts' first figure."""
    move = points(working, wish.at)
    if move is None:
        raise FigureError(f"--at {wish.at[0]}: this attention does not mix the rows of the plane", "one that does",
                          f"{', '.join(m.by for m in moves(working)) or 'there is none here'}")  # fmt: skip
    across, up = _axes(move.before, wish.axes)
    names = move.before.columns
    start = move.before.array[:, [across, up]].astype(float)
    end = None if move.after is None else move.after.array[:, [across, up]].astype(float)
    every = EVERY in wish.tokens
    if end is None and wish.tokens:
        raise FigureError(f"--token {wish.tokens[0]}: no attention here takes the rows of {move.before.path} anywhere")
    asked = [] if end is None else _asked(wish, move.before, start, end)
    drawn = start if end is None else np.concatenate([start, end[asked]])
    if not np.isfinite(drawn).all():
        raise FigureError(f"{move.before.path} holds numbers that are not finite", "rows that are points of a plane")
    low, high = _range(drawn)
    drawing = canvas(wish.style, min(max((high - low)[1] / (high - low)[0], 0.4), 1.4) * 0.9 + 0.1)
    with drawing.making():
        drawing.set_layout_engine("constrained")
        ax = drawing.add_subplot()
        _frame(ax, wish.style, low, high)
        _draw(ax, wish.style, start, end, move.before.rows, asked)
        ax.set_xlabel(_axis_name(names, across))
        ax.set_ylabel(_axis_name(names, up))
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
    drawing.caption = _caption(move, asked, (across, up), every)
    return drawing


def _asked(wish: Wish, rows: Matrix, start: Array, end: Array) -> list[int]:
    """The rows whose way is drawn: the words asked for, or the one that is taken furthest."""
    if EVERY in wish.tokens:
        return list(range(len(start)))
    if wish.tokens:
        return tokens(rows.rows, wish.tokens, len(start))
    return [int(np.argmax(np.hypot(*(end - start).T)))]


def _axes(rows: Matrix, wanted: tuple[str, ...]) -> tuple[int, int]:
    """The two columns that are drawn. Raises FigureError where there are more and none were named."""
    width = rows.array.shape[1]
    known = [*(rows.columns or ()), *map(str, range(width))]
    if not wanted and width == 2:
        return 0, 1
    names = " ".join(rows.columns or map(str, range(width)))
    if len(wanted) != 2:
        raise FigureError(f"the rows of {rows.path} have {width} columns, and a plane has 2", "two of them by name",
                          f"for instance --axes {' '.join(names.split()[:2])}; there are {names}")  # fmt: skip
    for name in wanted:
        if name not in known:
            raise FigureError(f"--axes {' '.join(wanted)}: {rows.path} has no column {name!r}", f"two of {names}")
    first, second = (known.index(name) % width for name in wanted)
    if first == second:
        raise FigureError(f"--axes {' '.join(wanted)}: both are one axis", f"two of {names}")
    return first, second


def _axis_name(names: Names, axis: int) -> str:
    return label(names[axis]) if names else f"column {axis}"


def _draw(ax: Axes, style: Style, start: Array, end: Array | None, names: Names, asked: Sequence[int]) -> None:
    for row, point in enumerate(start):
        _arrow(ax, (0.0, 0.0), tuple(point), style, row, "-", f"token-{row}")
    texts = [(point, label(names[row]) if names else f"row {row}", f"name-{row}") for row, point in enumerate(start)]
    if end is not None:
        for row in asked:
            _arrow(ax, tuple(start[row]), tuple(end[row]), style, row, (0, (3, 2)), f"move-{row}")
        if len(asked) <= 2:
            texts += [(end[row], f"new {label(names[row]) if names else f'row {row}'}", f"new-{row}") for row in asked]
    lines = [np.stack([np.zeros(2), point]) for point in start]
    lines += [np.stack([start[row], end[row]]) for row in asked] if end is not None else []
    _write_names(ax, style, texts, lines)


def _range(drawn: Array) -> tuple[Array, Array]:
    """The corners of the plane that is drawn: the origin and every point, with room for their names."""
    low, high = np.minimum(drawn.min(axis=0), 0), np.maximum(drawn.max(axis=0), 0)
    room = 0.12 * float((high - low).max() or 1.0)
    low = low - np.where(low < 0, room * np.array([1.8, 1.0]), 0.3 * room)
    return low, high + room * np.array([1.8, 1.0])


def _frame(ax: Axes, style: Style, low: Array, high: Array) -> None:
    """Both axes of one scale, through the origin."""
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect("equal", adjustable="box")
    ax.axhline(0, color=style.faint, lw=style.line * 0.5, zorder=0)
    ax.axvline(0, color=style.faint, lw=style.line * 0.5, zorder=0)
    ax.grid(color=style.faint, alpha=0.22, lw=style.line * 0.35)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _arrow(
    ax: Axes, start: Sequence[float], end: Sequence[float], style: Style, row: int, line: Any, name: str
) -> None:
    if math.dist(start, end) == 0:
        return
    patch = FancyArrowPatch(
        (start[0], start[1]), (end[0], end[1]), arrowstyle="-|>", mutation_scale=style.size * 1.1, shrinkA=0, shrinkB=0,
        color=style.colours[row % len(style.colours)], lw=style.line, linestyle=line, zorder=3, joinstyle="miter",
    )  # fmt: skip
    patch.set_gid(name)
    ax.add_patch(patch)


def _write_names(ax: Axes, style: Style, texts: Sequence[tuple[Array, str, str]], lines: Sequence[Array]) -> None:
    """A name at each arrow's end, onwards from the origin; where that would cover something, at another side of it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    along = np.linspace(0, 1, 40)[:, None]
    covered = np.concatenate([ax.transData.transform(line[0] + along * (line[1] - line[0])) for line in lines])
    taken: list[Bbox] = []
    for point, text, name in sorted(texts, key=lambda each: -math.hypot(*each[0])):
        mark = ax.annotate(
            text, (point[0], point[1]), (0, 0), textcoords="offset points", annotation_clip=False, zorder=5, gid=name
        )
        crowds = []
        for offset in _places(point, style.size):
            _put(mark, offset)
            box = mark.get_window_extent()
            crowds.append((_crowd(box, taken, covered, ax.get_window_extent()), offset))
            if crowds[-1][0] == 0:
                break
        _put(mark, min(crowds, key=lambda each: each[0])[1])
        taken.append(mark.get_window_extent())


def _put(mark: Annotation, offset: tuple[float, float]) -> None:
    dx, dy = offset
    mark.xyann = offset
    mark.set_horizontalalignment("left" if dx > 0.1 else "right" if dx < -0.1 else "center")
    mark.set_verticalalignment("bottom" if dy > 0.1 else "top" if dy < -0.1 else "center")


def _crowd(box: Bbox, taken: Sequence[Bbox], covered: Array, room: Bbox) -> float:
    """How much a name would cover, or stick out."""
    out = sum(1.0 for other in taken if box.overlaps(other)) * 50
    inside = (covered[:, 0] > box.x0) & (covered[:, 0] < box.x1) & (covered[:, 1] > box.y0) & (covered[:, 1] < box.y1)
    outside = max(box.x1 - room.x1, room.x0 - box.x0, box.y1 - room.y1, room.y0 - box.y0, 0.0)
    return out + 4.0 * float(inside.sum()) + float(outside)


def _places(point: Array, size: float) -> list[tuple[float, float]]:
    """Offsets to try, in points: first onwards in the arrow's own direction, then around its end."""
    away = 0.55 * size
    onwards = math.atan2(point[1], point[0])
    turns = (0.0, 0.6, -0.6, 1.2, -1.2, 1.8, -1.8, 2.4, -2.4)
    found = []
    for reach in (1.0, 2.0):
        for turn in turns:
            dx, dy = math.cos(onwards + turn), math.sin(onwards + turn)
            found.append(
                (away * reach * (dx if abs(dx) > 0.35 else 0.0), away * reach * (dy if abs(dy) > 0.35 else 0.0))
            )
    return found


def _caption(move: Move, asked: Sequence[int], axes: tuple[int, int], every: bool) -> str:
    names = move.before.columns
    plane = " and ".join(_axis_name(names, axis) for axis in axes)
    caption = f"{len(move.before.array)} tokens in the plane of {plane}."
    if move.after is not None:
        rows = move.before.rows
        who = "each of them" if every else ", ".join(label(rows[r]) if rows else f"row {r}" for r in asked)
        caption += f" Dashed: where attention ({move.by}) takes {who}."
    return caption
