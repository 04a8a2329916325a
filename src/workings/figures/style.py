"""How figures look: for a page, a paper or slides, light or dark; and the canvas they are drawn on.

Colours are those of Okabe and Ito (2008), which colour-blind readers tell apart; heat maps go one way from light to
dark, so that they are read in grey too. Fonts are those that matplotlib brings: a figure is the same on every machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from workings.figures.errors import FigureError
from workings.frozen import frozen
from workings.views.tables import visible

MILLIMETRE = 1 / 25.4
_LONGEST = 24
"""Characters of a label that are drawn; of a longer one its beginning."""


@frozen
class Style:
    """Sizes in inches and points, colours by what they are for."""

    name: str
    narrow: float
    wide: float
    height: float | None  # None: as high as the figure needs
    size: float  # of the text, in points
    line: float
    dots: int  # a PNG's, per inch
    family: tuple[str, ...]
    dark: bool = False

    @property
    def ink(self) -> str:
        return "#f2f2f2" if self.dark else "#1a1a1a"

    @property
    def paper(self) -> str:
        return "#14181f" if self.dark else "#ffffff"

    @property
    def faint(self) -> str:
        """Axes, frames and guiding lines."""
        return "#8a93a3" if self.dark else "#767676"

    @property
    def fill(self) -> str:
        """The inside of boxes."""
        return "#232a36" if self.dark else "#f2f4f7"

    @property
    def colours(self) -> tuple[str, ...]:
        """Told apart by everyone; in grey they are much alike, so that marks, lines or names tell the same again."""
        if self.dark:
            return ("#56B4E9", "#E69F00", "#00B98A", "#F0E442", "#E58BC0", "#FF8A4C", "#9FC5E8", "#D9D9D9")
        return ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B07800", "#3A90C4", "#8C4A1C", "#444444")

    @property
    def heat(self) -> Colormap:
        """For what is never negative: from the background to the heaviest."""
        ends = (
            ["#1b2230", "#2a5f95", "#7cc4f5", "#e8f5ff"] if self.dark else ["#ffffff", "#a6cbe8", "#2f7fbf", "#08306b"]
        )
        return LinearSegmentedColormap.from_list("workings", ends)

    @property
    def signed(self) -> Colormap:
        """For numbers of both signs: made to be read by everyone, and in grey."""
        return mpl.colormaps["cividis"]

    def settings(self) -> Any:  # matplotlib's own type lists every key that there is
        """For matplotlib: what holds while a figure is made, drawn and saved."""
        small = self.size * 0.88
        return {
            "font.family": list(self.family),
            "font.sans-serif": ["DejaVu Sans"],
            "font.serif": ["DejaVu Serif"],
            "font.size": self.size,
            "axes.titlesize": self.size * 1.08,
            "axes.labelsize": self.size,
            "xtick.labelsize": small,
            "ytick.labelsize": small,
            "legend.fontsize": small,
            "legend.frameon": False,
            "axes.edgecolor": self.faint,
            "axes.labelcolor": self.ink,
            "axes.titlecolor": self.ink,
            "axes.facecolor": self.paper,
            "axes.linewidth": self.line * 0.5,
            "xtick.color": self.ink,
            "ytick.color": self.ink,
            "text.color": self.ink,
            "lines.linewidth": self.line,
            "figure.facecolor": self.paper,
            "savefig.facecolor": self.paper,
            "savefig.dpi": self.dots,
            "figure.constrained_layout.w_pad": self.size / 72 * 0.9,
            "figure.constrained_layout.h_pad": self.size / 72 * 0.9,
            "hatch.linewidth": self.line * 0.4,
            # A token such as `$x$` is no formula.
            "text.parse_math": False,
            "text.usetex": False,
            # Text stays text, which can be searched, restyled and read aloud; and the same figure is the same file.
            "svg.fonttype": "none",
            "svg.hashsalt": "workings",
            "pdf.fonttype": 42,
            "path.simplify": True,
        }


# Those that come with matplotlib, then whatever shows an SVG has of that kind.
_SANS, _SERIF = ("sans-serif",), ("STIXGeneral", "serif", "sans-serif")
_STYLES = {
    "page": Style("page", 5.6, 8.0, None, 10.0, 1.6, 160, _SANS),
    "paper": Style("paper", 84 * MILLIMETRE, 174 * MILLIMETRE, None, 8.0, 1.0, 600, _SERIF),
    "slides": Style("slides", 40 / 3, 40 / 3, 7.5, 20.0, 3.0, 144, _SANS),
}
NAMES = tuple(_STYLES)


def style_named(name: str, dark: bool = False, width: float | None = None) -> Style:
    """A style; `width` in millimetres in the place of its own. Raises FigureError for an unknown name or width."""
    if name not in _STYLES:
        raise FigureError(f"there is no style {name!r}", f"one of {', '.join(NAMES)}")
    found = _STYLES[name]
    parts = {field: getattr(found, field) for field in Style.__annotations__} | {"dark": dark}
    if width is not None:
        if not 30 <= width <= 1000:
            raise FigureError(f"a width of {width:g} mm", "30 to 1000", "a column of a journal has about 84")
        inches = width * MILLIMETRE
        if found.height is not None:
            parts["height"] = found.height * inches / found.wide
        parts |= {"narrow": inches, "wide": inches}
    return Style(**parts)


class Drawing(Figure):
    """A matplotlib Figure that keeps its style and its caption wherever it is shown or saved."""

    def __init__(self, style: Style, size: tuple[float, float], caption: str = "") -> None:
        self.style, self.caption = style, caption
        with self._styled():
            super().__init__(figsize=size)
            FigureCanvasAgg(self)  # texts are measured often, and this one keeps what measures them

    @contextmanager
    def _styled(self) -> Iterator[None]:
        with mpl.rc_context(self.style.settings()), warnings.catch_warnings():
            # A sign that no font here has is drawn as a frame; in an SVG it is there, and a reader's fonts may have it.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from font")
            yield

    @contextmanager
    def making(self) -> Iterator[None]:
        """What is added inside is of the figure's style."""
        with self._styled():
            yield

    def draw(self, renderer: Any) -> None:
        with self._styled():
            super().draw(renderer)

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """As a Figure's; without a date, with the caption inside the file, and text that stays text."""
        kind = kwargs.get("format") or str(getattr(fname, "name", fname)).rpartition(".")[2].lower()
        kwargs.setdefault("metadata", self._about(kind))
        with self._styled():
            super().savefig(fname, **kwargs)

    def _about(self, kind: str) -> dict[str, Any] | None:
        described = {"svg": "Description", "png": "Description", "pdf": "Subject"}.get(kind)
        if described is None:
            return None
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
        return {described: visible(self.caption), **dates}

    def _repr_png_(self) -> bytes:
        """A notebook shows it."""
        from io import BytesIO

        out = BytesIO()
        self.savefig(out, format="png", dpi=self.style.dots / 2 if self.style.dots > 200 else self.style.dots)
        return out.getvalue()


def canvas(style: Style, ratio: float, *, wide: bool = False, most: float = 10.0) -> Drawing:
    """An empty figure, `ratio` times as high as wide, where the style leaves its height to the figure."""
    width = style.wide if wide else style.narrow
    height = style.height if style.height is not None else min(width * ratio, most)
    return Drawing(style, (width, height))


def label(text: str, longest: int = _LONGEST) -> str:
    """A token as it is drawn: nothing in it moves or hides, and a very long one is cut."""
    shown = visible(text) if text else ""
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def ending(text: str, longest: int) -> str:
    """A path or a name of which the end tells most."""
    shown = visible(text)
    return shown if len(shown) <= longest else "…" + shown[-longest + 1 :]


def fit(text: Text, width: float, least: float = 0.5) -> bool:
    """Make a text's letters smaller until it is no wider than `width` inches; False where it would be too small."""
    figure = text.get_figure(root=True)
    assert figure is not None
    size = float(text.get_fontsize())
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
        if share < least:
            break
        text.set_fontsize(size * share)
        if text.get_window_extent().width / figure.dpi <= width:
            return True
    return False


def contrasting(colour: Any) -> str:
    """Black or white, whichever is read better on a colour (WCAG's relative luminance)."""
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    return "#000000" if luminance > 0.179 else "#ffffff"
