"""How the page is laid out, in Chromium: nothing is cut off, no name is covered, the text has most of the screen."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings.views.live.page import render

Open = Callable[..., Any]
SIDES = (("x", "width"), ("y", "height"))


@pytest.fixture(scope="module")
def apple_page() -> str:
    return render(wk.example("apple").run())


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        one["x"] + one["width"] <= other["x"]
        or other["x"] + other["width"] <= one["x"]
        or one["y"] + one["height"] <= other["y"]
        or other["y"] + other["height"] <= one["y"]
    )


def names_and_dots(page: Any) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    boxes = "e => e.map(each => { const { x, y, width, height } = each.getBBox(); return { x, y, width, height }; })"
    svg = page.locator("figure.plane svg").first
    return (
        svg.locator("text:not(.tick):not(.axis)").evaluate_all(boxes),
        svg.locator("circle").evaluate_all(boxes),
    )


def test_names_in_the_plane_touch_no_dot_and_no_other_name(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    compared = page.get_by_label("What it is compared with")
    for choice in compared.locator("option").all_inner_texts():
        compared.select_option(label=choice)
        texts, dots = names_and_dots(page)
        assert len(texts) == 4
        assert all(apart(text, dot) for text, dot in itertools.product(texts, dots)), choice
        assert all(apart(*pair) for pair in itertools.combinations(texts, 2)), choice
        assert all(text["x"] >= 0 and text["x"] + text["width"] <= 320 for text in texts), choice
    # Two words nearly at one place still have names that can be read.
    page.evaluate("workings.state.set([[0, 2, 0.3], [0, 3, 0.6], [0, 6, 0.32], [0, 7, 0.6]])")
    texts, dots = names_and_dots(page)
    assert all(apart(*pair) for pair in itertools.combinations(texts, 2))


NAMES = ["elephant", "interest", "company", "quarterly", "fell", "sharply", "in", "yesterday"]


@pytest.mark.parametrize("where", [(1.0, 1.0), (1.0, 0.0), (-1.0, 0.5)])
def test_eight_points_at_nearly_one_place_have_names_that_can_be_read(
    open_page: Open, where: tuple[float, float]
) -> None:
    def grown(E: Any) -> Any:
        out = 1.1 * E
        return out

    angles = np.arange(8) * 2.4
    points = np.array(where) + 0.02 * np.stack([np.sin(angles), np.cos(angles)], axis=1)
    page = open_page(render(wk.show(grown, points, labels={"E": (NAMES, ["food", "finance"])})))
    texts, _ = names_and_dots(page)
    assert len(texts) == 8
    assert all(apart(*pair) for pair in itertools.combinations(texts, 2))
    assert all(text[side] >= 0 and text[side] + text[size] <= 320 for text in texts for side, size in SIDES)
    # Names that stand further off are joined to their points: each line ends at its own name.
    joined = page.locator("figure.plane .leader").evaluate_all(
        "e => e.map(l => [l.x2.baseVal.value, l.y2.baseVal.value])"
    )
    for x, y in joined:
        assert any(
            t["x"] - 2 <= x <= t["x"] + t["width"] + 2 and t["y"] - 4 <= y <= t["y"] + t["height"] + 4 for t in texts
        )


@pytest.mark.parametrize("most", [0.5, 12.0])
def test_numbers_round_the_circle_do_not_cover_each_other(open_page: Open, most: float) -> None:
    def turned(angles: Any) -> Any:
        circle = np.stack([np.sin(angles), np.cos(angles)], axis=1)
        return circle

    page = open_page(render(wk.show(turned, np.linspace(0.4, most, 20))))
    boxes = "e => e.map(each => { const { x, y, width, height } = each.getBBox(); return { x, y, width, height }; })"
    texts = page.locator("figure.circle text").evaluate_all(boxes)
    assert page.locator("figure.circle text").all_text_contents() == [str(row) for row in range(20)]
    assert all(apart(*pair) for pair in itertools.combinations(texts, 2))
    assert all(text[side] >= 0 and text[side] + text[size] <= 240 for text in texts for side, size in SIDES)


def test_points_on_the_axes_and_lines_below_a_number_cover_nothing(open_page: Open) -> None:
    page = open_page(render(wk.example("loss").run()))
    texts, dots = names_and_dots(page)
    boxes = "e => e.map(each => { const { x, y, width, height } = each.getBBox(); return { x, y, width, height }; })"
    svg = page.locator("figure.plane svg").first
    axes = svg.locator(".zero").evaluate_all(boxes)
    assert len(axes) == 2
    ticks = svg.locator(".tick").evaluate_all(boxes)
    for one, other in [(texts, axes), (dots, ticks), (texts, ticks)]:
        assert all(apart(*pair) for pair in itertools.product(one, other))
    assert all(tick["x"] >= 0 for tick in ticks)
    gaps = page.locator(".step + .worked:visible").evaluate_all(
        "e => e.map(w => w.getBoundingClientRect().top - w.previousElementSibling.getBoundingClientRect().bottom)"
    )
    assert len(gaps) == 4
    assert min(gaps) >= 0


@pytest.mark.parametrize("name", ["apple", "encoder-block"])
def test_no_letter_of_a_formula_is_cut_off(open_page: Open, name: str) -> None:
    """What hangs over the box of a formula, such as an italic V, is drawn: as if nothing could be cut."""
    page = open_page(render(wk.example(name).run()))
    seen = set()
    for formula in page.locator("article:not([hidden]) :is(.math, .equation):visible").all():
        text = formula.inner_text()
        if text in seen:
            continue
        seen.add(text)
        formula.scroll_into_view_if_needed()
        if formula.evaluate("e => e.scrollWidth > e.clientWidth"):
            continue  # longer than the line: it can be scrolled
        math = formula.locator("math").bounding_box()
        clip = {"x": math["x"] - 6, "y": math["y"] - 3, "width": math["width"] + 12, "height": math["height"] + 6}
        as_it_is = page.screenshot(clip=clip)
        formula.evaluate("e => { e.style.overflow = 'visible'; }")
        assert page.screenshot(clip=clip) == as_it_is, text
    assert len(seen) > 10


@pytest.mark.parametrize("name", ["apple", "journey"])
def test_on_a_phone_most_of_the_screen_is_for_the_text(open_page: Open, name: str) -> None:
    page = open_page(render(wk.example(name).run()), width=390, height=844)
    header, side = (page.locator(part).bounding_box() for part in ("header", "#side"))
    assert header["height"] + side["height"] < 844 / 3


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1366, 768)])
def test_every_tool_is_on_the_screen(open_page: Open, apple_page: str, width: int, height: int) -> None:
    """Nothing has to be scrolled to find a tool, no two of them overlap, and no word of a button is cut off."""
    page = open_page(apple_page, width=width, height=height)
    tools = page.locator("#tools :is(label, button, .variant select):visible")
    assert tools.count() == 12
    boxes = [tool.bounding_box() for tool in tools.all()]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0 for box in boxes)
    single = page.locator("#tools :is(.depths label, button, .variant select):visible")
    assert all(apart(*pair) for pair in itertools.combinations([each.bounding_box() for each in single.all()], 2))
    assert tools.evaluate_all("e => e.every(each => each.scrollWidth <= each.clientWidth + 1)")
    tops = sorted({box["y"] for box in boxes})
    assert tops[-1] < height / 4
    assert page.locator("#tools").evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("width", [360, 390])
def test_a_long_name_is_broken_behind_its_dots_alone(open_page: Open, apple_page: str, width: int) -> None:
    page = open_page(apple_page, width=width, height=844)
    name = page.locator(".dials .name").first
    assert name.inner_text().replace("\n", "") == "positions.sinusoidal_positions.base"
    lines = name.evaluate(
        """e => { const range = document.createRange(), out = [];
        const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          range.selectNodeContents(walk.currentNode);
          out.push([walk.currentNode.data, range.getClientRects().length]);
        }
        return out; }"""
    )
    assert lines == [["positions.", 1], ["sinusoidal_positions.", 1], ["base", 1]]
    output = page.locator(".dials output").first.bounding_box()
    assert output["x"] + output["width"] <= width


def test_far_and_near_numbers_have_their_own_ticks(open_page: Open) -> None:
    def doubled(x: Any) -> Any:
        y = 2 * x
        return y

    labels = {"x": (["this", "that"], ["one", "two"])}
    for size in (1e-12, 1e12):
        page = open_page(render(wk.show(doubled, np.array([[1.0, 2.0], [3.0, 1.0]]) * size, labels=labels)))
        ticks = page.locator("figure.plane .tick").all_text_contents()
        assert len(set(ticks)) >= 3
        page.context.close()


def test_a_message_covers_nothing_that_stays_on_the_screen(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page, width=1280)
    page.evaluate("location.hash = '#nowhere'")
    page.get_by_text("it leads to no place on this page").wait_for()
    page.evaluate("window.scrollTo(0, 2000)")
    page.wait_for_timeout(100)
    header = page.locator("header").bounding_box()
    for part in ("#side", "#contents"):
        assert page.locator(part).bounding_box()["y"] >= header["y"] + header["height"], part
