"""Heat maps: numbers as shades, with labels along both sides and each number in its cell where there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from workings.figures.finding import Array, Matrix
from workings.figures.style import Drawing, Style, canvas, contrasting, fit, label
from workings.frozen import frozen
from workings.reading.numbers import column

ASKS, ANSWERS = "a row asks", "a column answers"
_MOST_LABELS = 64
_MOST_NUMBERS = 900
_LEAST = 4.5
"""Points of the smallest letters that are written into a cell."""
_MOST_SHAPES = 10_000
_PER_ROW = 4


@frozen
class Heat:
    """A heat map that was drawn, with what its numbers need."""

    ax: Axes
    numbers: Array
    hides: Array
    colours: Colormap
    norm: Normalize
    style: Style


def panels(
    style: Style,
    matrices: Sequence[Matrix],
    titles: Sequence[str],
    caption: str,
    decimals: int,
    *,
    shared: bool = True,
    asks: bool = False,
    hidden: Sequence[Array | None] = (),
    heading: str = "",
) -> Drawing:
    """Heat maps side by side, of one scale where they are to be compared."""
    count = len(matrices)
    across = 2 if count == 4 and style.height is None else min(count, _PER_ROW)
    if count > _PER_ROW:
        across = min(_PER_ROW, math.ceil(math.sqrt(count)))
    down = math.ceil(count / across)
    wide = across > 1 or max(m.array.shape[1] for m in matrices) > 12
    drawing = canvas(style, _ratio(style, matrices, across, down, wide), wide=wide)
    heats = []
    with drawing.making():
        drawing.set_layout_engine("compressed" if count > 1 else "constrained")
        grid = np.atleast_2d(drawing.subplots(down, across, squeeze=False))
        norm = scale_of([m.array for m in matrices]) if shared else None
        hides = [*hidden, *[None] * (count - len(hidden))]
        for place, ax in enumerate(grid.flat):
            if place >= count:
                ax.set_axis_off()
                continue
            left = place % across == 0 or matrices[place].rows != matrices[place - 1].rows
            heats.append(heat(ax, matrices[place], style, norm, hides[place], rows=left))
            ax.set_title(titles[place], pad=style.size * 0.6)
            if asks and left:
                ax.set_ylabel(ASKS)
            if asks and place // across == down - 1:
                ax.set_xlabel(ANSWERS)
        if heading:
            drawing.suptitle(heading)
        settle(drawing, heats, decimals)
    drawing.caption = caption
    return drawing


def _ratio(style: Style, matrices: Sequence[Matrix], across: int, down: int, wide: bool) -> float:
    """How high the figure is for its width: cells a little wider than high, and room for labels and titles."""
    width = style.wide if wide else style.narrow
    rows, columns = max(m.array.shape[0] for m in matrices), max(m.array.shape[1] for m in matrices)
    letters = max((len(label(n)) for m in matrices for n in (m.rows or ("0",))), default=1)
    side = letters * style.size * 0.6 / 72 + 0.3
    room = max((width - side * 1.1) / across - 0.15, 0.5)
    turned = max((len(label(n)) for m in matrices for n in (m.columns or ("0",))), default=1)
    upright = turned * style.size * 0.6 / 72 > room / columns * 1.15
    below = (turned * style.size * 0.55 / 72 * 0.75 if upright else style.size / 72) + 4.2 * style.size / 72
    return down * (room * _shape(rows, columns) + below) / width


def _shape(rows: int, columns: int) -> float:
    """Height over width of a heat map."""
    return min(max(0.8 * rows / columns, 0.08), 2.0)


def scale_of(arrays: Sequence[Array]) -> Normalize:
    """One scale for several: from 0 where nothing is negative, from the least to the greatest otherwise."""
    every = np.concatenate([np.ravel(a[np.isfinite(a)]).astype(float) for a in arrays])
    low, high = (float(every.min()), float(every.max())) if every.size else (0.0, 1.0)
    if low >= 0:
        low = 0.0
    if high <= low:
        high = low + 1.0
    return Normalize(low, high)


def colours_of(style: Style, norm: Normalize) -> Colormap:
    return style.heat if norm.vmin is not None and norm.vmin >= 0 else style.signed


def heat(
    ax: Axes,
    shown: Matrix,
    style: Style,
    norm: Normalize | None = None,
    hidden: Array | None = None,
    *,
    rows: bool = True,
) -> Heat:
    """One heat map, its cells as shapes that stay sharp. What is `hidden`, or is no finite number, is hatched."""
    array = np.asarray(shown.array, dtype=float)
    rows_count, columns_count = array.shape
    norm = norm or scale_of([array])
    colours = colours_of(style, norm)
    hides = ~np.isfinite(array) if hidden is None else hidden | ~np.isfinite(array)
    many = int(hides.sum()) > _MOST_NUMBERS
    ax.pcolormesh(
        np.arange(columns_count + 1) - 0.5, np.arange(rows_count + 1) - 0.5,
        np.ma.masked_where(hides if many else ~np.isfinite(array), array), cmap=colours, norm=norm,
        edgecolors="face", linewidth=0.1, rasterized=array.size > _MOST_SHAPES,
    )  # fmt: skip
    ax.set_xlim(-0.5, columns_count - 0.5)
    ax.set_ylim(rows_count - 0.5, -0.5)
    if many:  # a hatch for each would be large and slow
        ax.set_facecolor(style.faint)
    ax.set_box_aspect(_shape(*array.shape))
    _label_axes(ax, shown, rows)
    for side in ax.spines.values():
        side.set_color(style.faint)
    for row, at in np.argwhere(hides)[: 0 if many else None]:
        frame = Rectangle((at - 0.5, row - 0.5), 1, 1, facecolor=style.paper, edgecolor=style.faint, hatch="////", lw=0)
        frame.set_gid(f"hidden-{row}-{at}")
        ax.add_patch(frame)
    return Heat(ax, shown.array, hides, colours, norm, style)


def _label_axes(ax: Axes, shown: Matrix, rows: bool) -> None:
    for axis, names, count in (
        (ax.yaxis, shown.rows, shown.array.shape[0]),
        (ax.xaxis, shown.columns, shown.array.shape[1]),
    ):
        if names is None and count == 1:
            axis.set_ticks([])
        elif count <= _MOST_LABELS:
            axis.set_ticks(range(count), [label(n) for n in names] if names else [str(n) for n in range(count)])
        else:
            axis.set_major_locator(MaxNLocator(8, integer=True))
    ax.tick_params(length=0)
    if not rows:
        ax.tick_params(labelleft=False)


def settle(drawing: Drawing, heats: Sequence[Heat], decimals: int) -> None:
    """Fix the places, turn labels that would run into each other, and write numbers into cells that have room."""
    drawing.draw_without_rendering()
    for one in heats:
        _turn(one.ax)
    _make_room(drawing, heats)
    drawing.set_layout_engine("none")
    for one in heats:
        _write(drawing, one, decimals)


def _make_room(drawing: Drawing, heats: Sequence[Heat]) -> None:
    """Where long labels push something out: a higher figure, or, of a style that fixes the height, flatter cells."""
    for _ in range(3):
        drawing.draw_without_rendering()
        box, (width, height) = drawing.get_tightbbox(), drawing.get_size_inches()
        over = max(-box.y0, 0) + max(box.y1 - height, 0)
        if over < 0.01:
            return
        if drawing.style.height is None:
            drawing.set_size_inches(width, height + over + 0.5 * drawing.style.size / 72)
        else:
            for one in heats:
                one.ax.set_box_aspect(None)


def _turn(ax: Axes) -> None:
    """Labels below the columns stand upright where the widest has no room to lie."""
    labels = ax.get_xticklabels()
    room = ax.get_window_extent().width / max(len(labels), 1)
    widths = [text.get_window_extent().width for text in labels if text.get_text()]
    if widths and max(widths) > 0.95 * room:
        for text in labels:
            text.set_rotation(45 if max(widths) < 4 * room else 90)
            text.set_horizontalalignment("right" if text.get_rotation() == 45 else "center")
            text.set_rotation_mode("anchor" if text.get_rotation() == 45 else "default")


def _write(drawing: Drawing, heat: Heat, decimals: int) -> None:
    ax, numbers, style = heat.ax, heat.numbers, heat.style
    if numbers.size > _MOST_NUMBERS:
        return
    box: Bbox = ax.get_window_extent()
    width, height = box.width / numbers.shape[1] / drawing.dpi, box.height / numbers.shape[0] / drawing.dpi
    texts = column(numbers, decimals)
    drawn = []
    for (row, at), hides in np.ndenumerate(heat.hides):
        if not hides:
            colour = contrasting(heat.colours(heat.norm(float(numbers[row, at]))))
            drawn.append(ax.text(at, row, texts[row][at], ha="center", va="center", color=colour))
        elif not np.isfinite(numbers[row, at]):
            ground = {"facecolor": style.paper, "edgecolor": "none", "pad": 0.15 * style.size}
            drawn.append(ax.text(at, row, texts[row][at], ha="center", va="center", color=style.ink, bbox=ground))
    if not drawn:
        return
    longest = max(drawn, key=lambda text: len(text.get_text()))
    fits = fit(longest, 0.86 * width)
    size = float(longest.get_fontsize())
    fits = fits and size / 72 < 0.8 * height and size >= _LEAST
    for text in drawn:
        if fits:
            text.set_fontsize(size)
        else:
            text.remove()


def is_hidden(mask: Array) -> Array:
    """Where a mask hides: -inf where it is added to scores, False where it says what may be attended to."""
    return ~mask if mask.dtype == bool else np.isneginf(mask)
