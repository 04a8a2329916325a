"""The map of positions at larger widths, in Chromium: its numbers, its shades, and how long the waves are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings.views.live.page import render
from workings.views.live.waves import waves

Open = Callable[..., Any]


def sinusoids(width: int, length: int = 64, *, halves: bool = False) -> np.ndarray[Any, Any]:
    """Equation (10), written out: sines at even coordinates, cosines at odd ones, or one after the other."""
    out = np.empty((length, width))
    for pair in range(width // 2):
        angles = np.arange(length) / 10000 ** (2 * pair / width)
        sine, cosine = (pair, width // 2 + pair) if halves else (2 * pair, 2 * pair + 1)
        out[:, sine], out[:, cosine] = np.sin(angles), np.cos(angles)
    return out


@pytest.fixture(scope="module")
def apple_page() -> str:
    return render(wk.example("apple").run())


@pytest.mark.parametrize("width", [16, 64])
def test_the_numbers_are_those_of_the_equation(width: int) -> None:
    found = next(each for each in waves(wk.example("apple").run()) if each["width"] == width)
    assert np.abs(np.reshape(found["values"], (64, width)) / 100 - sinusoids(width)).max() <= 0.005 + 1e-12
    assert found["across"] == "coordinate: fast on the left, slow on the right"


def test_the_other_layout_has_its_own_map(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    label = "positions: all sines, then all cosines"
    page.get_by_label("Conventions").select_option(label=label)
    values = np.reshape(page.evaluate("workings.page.waves.map.values"), (64, 16)) / 100
    assert np.abs(values - sinusoids(16, halves=True)).max() <= 0.005 + 1e-12
    page.get_by_label("Conventions").select_option(label="as it is")
    values = np.reshape(page.evaluate("workings.page.waves.map.values"), (64, 16)) / 100
    assert np.abs(values - sinusoids(16)).max() <= 0.005 + 1e-12


def test_shades_show_fast_coordinates_and_slow_ones(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    page.get_by_label("How many coordinates").select_option(label="64 coordinates")
    page.get_by_role("slider", name="Coordinate").press("End")  # the frame is out of the way of the first column
    shades = page.evaluate(
        """() => { const map = workings.page.waves.canvas, pen = map.getContext("2d"), side = map.width / 64;
        const at = (place) => (place + 0.5) * side;
        const shade = (column, row) => Array.from(pen.getImageData(at(column), at(row), 1, 1).data);
        return [0, 30].map((column) => Array.from({ length: 64 }, (_, row) => shade(column, row))); }"""
    )
    expected = sinusoids(64)
    for column, found in zip((0, 30), shades, strict=True):
        for value, (red, _, blue, strength) in zip(expected[:, column], found, strict=True):
            assert strength == pytest.approx(255 * abs(value), abs=3)
            if abs(value) > 0.1:
                assert (blue > red) == (value > 0)
    # The first coordinate changes its colour every third position or so, the thirtieth never in sixty-four.
    signs = [np.sign(expected[:, column][1:]) for column in (0, 30)]
    assert [int((np.diff(each) != 0).sum()) for each in signs] == [20, 0]


def test_the_wave_of_a_coordinate_is_said(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    slider = page.get_by_role("slider", name="Coordinate")
    said = page.locator(".waves p:not(.note)")
    assert said.inner_text() == "Coordinate 0 is a sine: a full turn takes 6.28 positions, 10.2 turns are shown."  # 2π
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    wave = 2 * np.pi * 10000 ** (2 / 16)
    assert f"Coordinate 3 is a cosine: a full turn takes {wave:.2f} positions" in said.inner_text()
    page.keyboard.press("End")
    wave = 2 * np.pi * 10000 ** (14 / 16)
    assert (
        said.inner_text()
        == f"Coordinate 15 is a cosine: a full turn takes {wave:,.0f} positions, 0.3 % of one is shown.".replace(
            ",", " ", 1
        )
    )
    assert slider.get_attribute("aria-valuetext") == said.inner_text()
    assert slider.get_attribute("aria-valuenow") == "15"
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 4.5 / 16, box["y"] + 40)
    wave = 2 * np.pi * 10000 ** (4 / 16)
    assert f"Coordinate 4 is a sine: a full turn takes {wave:.2f} positions" in said.inner_text()


def test_a_page_without_positions_has_no_map(open_page: Open) -> None:
    page = open_page(render(wk.example("journey").run()))
    assert not page.locator(".waves").is_visible()
