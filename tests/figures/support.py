"""What a test reads off a figure: its texts, its arrows, its heat maps."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

import workings as wk

STYLES = [("page", False), ("paper", False), ("slides", False), ("slides", True)]
EXAMPLES = ("apple", "journey", "encoder-block", "decoder-block", "next-token", "loss")


@cache
def example(name):
    return wk.example(name).run()


def draw(name, kind, **wishes):
    return wk.figure(example(name), kind, **wishes)


def texts(drawing):
    """Every text that is seen."""
    return [text.get_text() for text in shown_texts(drawing)]


def shown_texts(drawing):
    return [text for text in drawing.findobj(Text) if text.get_visible() and text.get_text().strip()]


def by_gid(drawing, start=""):
    """The parts that were given an identity, by it."""
    return {part.get_gid(): part for part in drawing.findobj() if part.get_gid() and part.get_gid().startswith(start)}


def ends(arrow):
    """Where a straight arrow begins and ends, in the numbers of its axes."""
    assert isinstance(arrow, FancyArrowPatch)
    start, end = arrow._posA_posB
    return tuple(start), tuple(end)


def route(arrow):
    """The points that an arrow in a diagram goes through."""
    return [tuple(point) for point in arrow._path_original.vertices]


def heats(drawing):
    """The heat maps as (numbers, names of rows, names of columns), in their order."""
    out = []
    for ax in drawing.findobj(Axes):
        mesh = mesh_of(ax)
        if mesh is None:
            continue
        rows = [label.get_text() for label in ax.get_yticklabels()]
        columns = [label.get_text() for label in ax.get_xticklabels()]
        out.append((np.ma.filled(mesh.get_array(), np.nan), rows, columns))
    return out


def mesh_of(ax):
    """The cells of a heat map; None where there is none."""
    return next((part for part in ax.collections if isinstance(part, QuadMesh)), None)


def cell_texts(ax, columns):
    """What is written into the cells of a heat map, row by row."""
    written = {tuple(map(round, text.get_position()[::-1])): text.get_text() for text in ax.texts}
    return [[written[row, column] for column in range(columns)] for row in range(len(written) // columns)]


def outside(drawing):
    """The texts that stick out of the figure, with how far, in pixels."""
    drawing.draw_without_rendering()
    width, height = drawing.bbox.width, drawing.bbox.height
    unseen = {id(text) for ax in drawing.findobj(Axes) for text in _beyond(ax)}
    out = []
    for text in shown_texts(drawing):
        box = text.get_window_extent()
        over = max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)
        if over > 1 and id(text) not in unseen:
            out.append((text.get_text(), round(over)))
    return out


def _beyond(ax):
    """A tick beyond the ends of its axis has a label, which is never drawn; nor are those of axes that are off."""
    for axis, place in ((ax.xaxis, 0), (ax.yaxis, 1)):
        low, high = sorted(axis.get_view_interval())
        labels = axis.get_ticklabels()
        yield from (text for text in labels if not ax.axison or not low <= text.get_position()[place] <= high)
