"""Curves over steps as text in the terminal. Plain numbers in, text out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workings.figures.curves import Curve

MARKS = "●○▲△■□◆◇"


@dataclass(frozen=True)
class Frame:
    """The range of a chart, and where the numbers beside its axes stand."""

    x: tuple[float, float]
    y: tuple[float, float]
    x_ticks: tuple[float, ...]
    y_ticks: tuple[float, ...]


def frame_of(curves: Sequence[Curve]) -> Frame:
    """A range that holds every point, widened to round numbers upwards and downwards."""
    xs = [x for curve in curves for x, _ in curve.points]
    ys = [y for curve in curves for _, y in curve.points]
    x_ticks, y_ticks = round_numbers(min(xs), max(xs), least=1.0), round_numbers(min(ys), max(ys))
    return Frame((min(xs), max(*xs, min(xs) + 1)), (y_ticks[0], y_ticks[-1]), x_ticks, y_ticks)


def round_numbers(low: float, high: float, about: int = 5, least: float = 0.0) -> tuple[float, ...]:
    """Round numbers at equal distances, the first at or below `low`, the last at or above `high`."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(least, next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough))
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple(n * step for n in range(first, last + 1))


def text_chart(title: str, curves: Sequence[Curve], width: int, height: int = 16, unit: str = "step") -> list[str]:
    """The curves drawn with signs, each its own; where two meet, the later one is seen."""
    frame = frame_of(curves)
    labels = [_label(tick) for tick in frame.y_ticks]
    margin = max(map(len, labels)) + 1
    columns = max(20, width - margin - 2)
    grid = [[" "] * columns for _ in range(height)]
    for curve, mark in zip(curves, MARKS, strict=False):
        for x, y in _filled(curve, frame, columns):
            grid[height - 1 - _cell(y, frame.y, height)][_cell(x, frame.x, columns)] = mark
    rows = [height - 1 - _cell(tick, frame.y, height) for tick in frame.y_ticks]
    beside = dict(zip(rows, labels, strict=True))
    lines = [title]
    for number, row in enumerate(grid):
        label = beside.get(number, "")
        lines.append(f"{label:>{margin}}{'┤' if label else '│'}{''.join(row)}".rstrip())
    lines.append(" " * margin + "└" + "─" * columns)
    lines.append(" " * (margin + 1) + _below(frame, columns, unit))
    return [*lines, *(f"{'':{margin + 1}}{mark} {_told(curve)}" for curve, mark in zip(curves, MARKS, strict=False))]


def _told(curve: Curve) -> str:
    """A curve's name and its most telling points."""
    by_height = sorted(curve.points, key=lambda point: point[1])
    points = {"last": curve.points[-1], "lowest": by_height[0], "highest": by_height[-1]}
    told = ", ".join(f"{name} {y:.4g} at {_label(x)}" for name, (x, y) in points.items())
    return f"{curve.name}: {told}"


def _filled(curve: Curve, frame: Frame, columns: int) -> list[tuple[float, float]]:
    """The points: of several in one column their mean, as a column has room for one."""
    found: dict[int, list[tuple[float, float]]] = {}
    for x, y in curve.points:
        found.setdefault(_cell(x, frame.x, columns), []).append((x, y))
    return [(sum(x for x, _ in some) / len(some), sum(y for _, y in some) / len(some)) for some in found.values()]


def _cell(value: float, between: tuple[float, float], count: int) -> int:
    low, high = between
    return min(count - 1, max(0, round((value - low) / (high - low) * (count - 1))))


def _below(frame: Frame, columns: int, unit: str) -> str:
    """The numbers under the x axis, each beginning below its column, as far as there is room."""
    line = ""
    for tick in frame.x_ticks:
        if frame.x[0] <= tick <= frame.x[1]:
            label, place = _label(tick), _cell(tick, frame.x, columns)
            place = min(place, columns - len(label))
            if not line or place > len(line) + 1:
                line = f"{line:<{place}}{label}"
    end = f" {unit}"
    return line + end if len(line) + len(end) <= columns else line


def _label(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"
