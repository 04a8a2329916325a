"""Figures as files: valid, the same each time, text that stays text, and names that are drawn as they are."""

from __future__ import annotations

import io
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.figures.support import STYLES, draw, outside, texts

import workings as wk
from workings.figures.curves import Curve
from workings.figures.losses import draw_losses
from workings.figures.style import contrasting, style_named

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["$x$", "<script>alert(1)</script>", "a & b", r"\frac{1}{0}", "_^{", "猫", "\U0001f600", "\x1b[31m", " "]


def saved(drawing, kind):
    out = io.BytesIO()
    drawing.savefig(out, format=kind)
    return out.getvalue()


def svg_texts(content):
    root = ElementTree.fromstring(content)
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


@pytest.fixture
def hostile():
    """A Working whose tokens are everything that a label must not be taken for."""

    def attend(X):
        S = X @ X.T
        weights = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
        return weights @ X

    X = np.random.default_rng(0).normal(size=(len(HOSTILE), 2))
    return wk.show(attend, X, labels={"X": (HOSTILE, ["$a_1$", "<b>"])})


@pytest.mark.parametrize("kind", ["weights", "plane"])
def test_names_are_drawn_as_they_are(hostile, kind):
    """pytest runs with warnings as errors: no formula is parsed, and a sign that no font has is no warning."""
    drawing = wk.figure(hostile, kind)
    assert outside(drawing) == []
    assert outside(wk.figure(hostile, kind, style="slides")) == []
    written = svg_texts(saved(drawing, "svg"))
    for name in HOSTILE[:7]:
        assert any(name[:20] in text for text in written), name
    assert not any("\x1b" in text for text in written)
    assert b"<script" not in saved(drawing, "svg")
    saved(drawing, "png")
    saved(drawing, "pdf")


def test_a_very_long_name_is_cut_and_the_figure_stays_whole():
    X = np.eye(3)
    working = wk.show(lambda X: X + 1, X, labels={"X": (["w" * 5000, "b", "c"], ["food " * 40, "d", "e"])})
    drawing = wk.figure(working, "X")
    assert outside(drawing) == []
    assert any(text.startswith("www") and text.endswith("…") and len(text) < 30 for text in texts(drawing))


def test_formats(tmp_path):
    drawing = draw("apple", "weights")
    assert saved(drawing, "png").startswith(b"\x89PNG\r\n\x1a\n")
    assert saved(drawing, "pdf").startswith(b"%PDF-1.")
    root = ElementTree.fromstring(saved(drawing, "svg"))
    assert root.tag == f"{SVG}svg"
    assert {"Apple", "shares", "fell", "sharply", "0.319"} <= set(svg_texts(saved(drawing, "svg")))
    assert drawing.caption in "".join(root.itertext())  # for those who do not see it
    drawing.savefig(tmp_path / "plain.png")
    assert (tmp_path / "plain.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_figure_is_the_same_file(kind):
    first, second = (saved(wk.figure(wk.example("apple").run(), "plane"), kind) for _ in range(2))
    assert first == second
    if kind == "svg":
        assert b"<dc:date>" not in first


def test_a_notebook_shows_it():
    assert draw("apple", "plane", style="paper")._repr_png_().startswith(b"\x89PNG\r\n\x1a\n")


def test_nothing_of_matplotlib_is_changed():
    import matplotlib

    before = dict(matplotlib.rcParams)
    saved(draw("apple", "weights", style="slides", dark=True), "svg")
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or matplotlib.rcParams["backend"] == before["backend"]


@pytest.mark.parametrize(("name", "dark"), STYLES)
def test_text_and_colours_are_read_on_their_background(name, dark):
    """WCAG 2: 4.5 to 1 for text, 3 to 1 for lines."""
    style = style_named(name, dark)
    assert _contrast(style.ink, style.paper) > 7
    assert _contrast(style.ink, style.fill) > 7
    assert _contrast(style.faint, style.paper) > 3
    for colour in style.colours:
        assert _contrast(colour, style.paper) > 2.9, colour
    for shade in np.linspace(0, 1, 50):
        for colours in (style.heat, style.signed):
            colour = colours(shade)
            assert _contrast(contrasting(colour), colour) > 4.5


def _contrast(one, other):
    from matplotlib.colors import to_rgb

    light = []
    for colour in (one, other):
        channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        light.append(float(np.dot([0.2126, 0.7152, 0.0722], channels)))
    return (max(light) + 0.05) / (min(light) + 0.05)


# -- losses -----------------------------------------------------------------------------------------------------------

FALLING = Curve("my run, training", ((0.0, 4.0), (100.0, 2.0), (200.0, 1.5)))
ONE = Curve("$x$ <b>, validation", ((200.0, 1.75),))


@pytest.mark.parametrize(("name", "dark"), STYLES)
def test_loss_curves(name, dark):
    drawing = draw_losses([("loss", [FALLING, ONE]), ("accuracy", [ONE])], style_named(name, dark))
    loss, accuracy = drawing.axes
    assert [tuple(zip(*line.get_data(), strict=True)) for line in loss.lines] == [FALLING.points, ONE.points]
    assert (loss.get_ylabel(), accuracy.get_ylabel(), loss.get_xlabel()) == ("loss", "accuracy", "step")
    assert [text.get_text() for text in loss.get_legend().get_texts()] == [FALLING.name, ONE.name]
    looks = {(line.get_color(), str(line.get_linestyle()), line.get_marker()) for line in loss.lines}
    assert len({look[0] for look in looks}) == len({look[2] for look in looks}) == 2  # colour is not all there is
    assert outside(drawing) == []
    assert "lowest 1.5 at 200, last 1.5 at 200" in drawing.caption


@pytest.mark.parametrize("height", [0.0, -3.0, 1e-12, 1e9])
def test_a_curve_without_height_is_drawn(height):
    for points in (((1.0, height), (2.0, height)), ((5.0, height),)):
        saved(draw_losses([("loss", [Curve("flat", points)])], style_named("page")), "svg")


def test_eight_long_names_are_all_there():
    curves = [
        Curve(f"runs/a-rather-long-name-of-a-training-{n}, training", ((0.0, float(n)), (9.0, 1.0))) for n in range(8)
    ]
    for name in ("page", "paper", "slides"):
        drawing = draw_losses([("loss", curves)], style_named(name))
        assert outside(drawing) == []


# -- without matplotlib -----------------------------------------------------------------------------------------------


def test_without_matplotlib_it_is_said_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import workings as wk\n"
        "working = wk.example('apple').run()\n"
        "try:\n    wk.figure(working, 'plane')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'workings[figures]'" in done.stdout
