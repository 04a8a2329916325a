"""The course of trainings as curves: one training, or several side by side."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from workings.figures.curves import Curve
from workings.figures.style import Drawing, Style, canvas, ending

_LINES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
MARKS = "os^DvPX*"
_SHORT = 28
"""Characters of a name of which several fit beside each other below a chart."""


def draw_losses(charts: Sequence[tuple[str, Sequence[Curve]]], style: Style) -> Drawing:
    """A chart for each title. Curves differ in colour, in their lines and in their marks, to be told apart in grey."""
    across = 1 if style.height is None or len(charts) == 1 else len(charts)
    down = 1 if across > 1 else len(charts)
    most = max(len(curves) for _, curves in charts)
    named = 2 if max(len(curve.name) for _, curves in charts for curve in curves) <= _SHORT and most > 1 else 1
    ratio = down * (0.62 + 0.05 * -(-most // named))
    drawing = canvas(style, ratio, most=12 * down)
    with drawing.making():
        drawing.set_layout_engine("constrained")
        for ax, (title, curves) in zip(drawing.subplots(down, across, squeeze=False).flat, charts, strict=True):
            _chart(ax, title, curves, style, named)
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
    drawing.caption = " ".join(
        f"{title.capitalize()}: {'; '.join(_told(curve) for curve in curves)}." for title, curves in charts
    )
    return drawing


def _chart(ax: Axes, title: str, curves: Sequence[Curve], style: Style, named: int) -> None:
    for number, curve in enumerate(curves):
        xs, ys = [x for x, _ in curve.points], [y for _, y in curve.points]
        few = len(xs) <= 40
        ax.plot(
            xs, ys, label=ending(curve.name, 60), color=style.colours[number % len(style.colours)],
            linestyle=_LINES[number % len(_LINES)], marker=MARKS[number % len(MARKS)], ms=style.size * 0.42,
            markevery=1 if few else max(len(xs) // 12, 1), mec=style.paper, mew=style.line * 0.25, lw=style.line,
            gid=f"curve-{number}",
        )  # fmt: skip
    ax.set_xlabel("step")
    ax.set_ylabel(title)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.grid(color=style.faint, alpha=0.25, lw=style.line * 0.35)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure = ax.get_figure(root=True)
    assert figure is not None
    # Below the name of the axis, whatever the size of the letters.
    below = ax.transAxes + ScaledTranslation(0, -3.3 * style.size / 72, figure.dpi_scale_trans)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, ncols=named, handlelength=3)


def _told(curve: Curve) -> str:
    x, y = curve.points[-1]
    lowest = min(curve.points, key=lambda point: point[1])
    return f"{curve.name}, lowest {lowest[1]:.4g} at {lowest[0]:g}, last {y:.4g} at {x:g}"
