"""Curves over steps: as text in the terminal, or as a picture (SVG). Plain numbers in, text out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

MARKS = "●○▲△■□◆◇"
_SHORT = 28
"""Characters of a name of which three fit beside each other below a picture."""
_COLOURS = ("#1f77b4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#a6761d", "#444444")


@dataclass(frozen=True)
class Curve:
    """A name and its points, x growing; points that are not finite are left out."""

    name: str
    points: tuple[tuple[float, float], ...]


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


def picture(charts: Sequence[tuple[str, Sequence[Curve]]], unit: str = "step") -> str:
    """The charts below each other as one SVG, which any browser shows."""
    across = 3 if max(len(curve.name) for _, curves in charts for curve in curves) <= _SHORT else 1
    rows = max(math.ceil(len(curves) / across) for _, curves in charts)
    width, height = 760, 402 + 18 * rows
    size = f'width="{width}" height="{height * len(charts)}"'
    look = f'viewBox="0 0 {width} {height * len(charts)}" {size} font-family="sans-serif" font-size="13"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {look}>', f'<rect {size} fill="white"/>']
    for number, (title, curves) in enumerate(charts):
        parts.append(f'<g transform="translate(0 {height * number})">')
        parts += _svg_chart(title, curves, width, unit, across)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _svg_chart(title: str, curves: Sequence[Curve], width: int, unit: str, named: int) -> list[str]:
    """One chart; below it the names of the curves, so many in a row."""
    frame = frame_of(curves)
    left, right, top, bottom = 70, width - 20, 40, 352
    across = _scale(frame.x, (left, right))
    down = _scale(frame.y, (bottom, top))
    parts = [f'<text x="{left}" y="24" font-size="15" font-weight="bold">{escape(title)}</text>']
    for tick in frame.y_ticks:
        y = down(tick)
        parts.append(f'<path d="M{left} {y:.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{_label(tick)}</text>')
    for tick in frame.x_ticks:
        if frame.x[0] <= tick <= frame.x[1]:
            x = across(tick)
            parts.append(f'<path d="M{x:.1f} {bottom}v5" stroke="#444"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{_label(tick)}</text>')
    parts.append(f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#444"/>')
    parts.append(f'<text x="{right}" y="{bottom + 36}" text-anchor="end">{escape(unit)}</text>')
    for number, curve in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in curve.points)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        if len(curve.points) == 1:
            x, y = curve.points[0]
            parts.append(f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>')
        x, y = left + 230 * (number % named), bottom + 54 + 18 * (number // named)
        parts.append(f'<path d="M{x} {y - 4}h20" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 26}" y="{y}">{escape(curve.name)}</text>')
    return parts


def _scale(numbers: tuple[float, float], places: tuple[float, float]) -> Callable[[float], float]:
    """From a range of numbers to a range of places."""
    (low, high), (first, last) = numbers, places
    return lambda number: first + (number - low) / (high - low) * (last - first)
