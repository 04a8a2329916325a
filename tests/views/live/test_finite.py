"""Inputs are finite numbers. What is worked out may not be: it is drawn as far as it can, and what cannot is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from tests.views.live.test_page import cell, values

import workings as wk
from workings.views.live.page import render

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def apple_page() -> str:
    return render(wk.example("apple").run())


def set_number(page: Any, name: str, place: int, value: float) -> None:
    page.evaluate(
        "([name, place, value]) => { const { state } = workings;"
        " state.set([[state.machine.byName.get(name), place, value]]); }",
        [name, place, value],
    )


def test_what_is_not_finite_is_refused_as_an_input(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    for text in ("-inf", "∞", "nan", "1e999", "1 2"):
        cell(page, "X", 0).dblclick()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        assert page.get_by_role("alert").inner_text() == "A finite number, as 0.25, −1 or 1/3", text
        page.keyboard.press("Escape")
        cell(page, "X", 0).dblclick()
        page.keyboard.type(text)
        page.locator("h1").click()  # what is left is given up
        assert page.locator("td input").count() == 0
        assert values(page, "E")[0] == 1.0


def test_what_is_there_may_stay_as_it_is(open_page: Open) -> None:
    def hidden(scores: Any, mask: Any) -> Any:
        return np.exp(scores + mask)

    page = open_page(render(wk.show(hidden, np.ones((2, 2)), np.array([[0.0, -np.inf], [0.0, 0.0]]))))
    cell(page, "hidden.mask", 1).dblclick()
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").count() == 0
    assert page.locator("td input").count() == 0
    assert not page.evaluate("workings.state.changes.length")


def test_a_number_too_large_for_its_type_is_refused(open_page: Open) -> None:
    def doubled(x: Any) -> Any:
        return x * 2

    page = open_page(render(wk.show(doubled, np.float32([[1, 2], [3, 4]]))))
    cell(page, "doubled.x", 0).dblclick()
    page.keyboard.type("1e39")  # a float64, and an infinite float32
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").is_visible()


@pytest.mark.parametrize("number", [1e300, 1e308, -1e308])
def test_huge_numbers_leave_the_drawing_whole(open_page: Open, apple_page: str, number: float) -> None:
    page = open_page(apple_page)  # which fails where the console complains
    set_number(page, "E", 0, number)
    figure = page.locator("figure.plane").first
    said = figure.locator(".error").inner_text()
    assert "X[Apple]" in said
    assert said.startswith("Not drawn, for want of finite numbers: ")
    drawn = figure.locator(".handle").evaluate_all("h => h.map(e => e.getAttribute('aria-label').split(':')[0])")
    assert drawn == ["shares", "fell", "sharply"]
    figure.locator(".handle").first.press("ArrowRight")  # the others still move
    assert values(page, "E")[2] == pytest.approx(0.2)
    page.get_by_role("button", name="Reset").click()
    assert figure.locator(".error").inner_text() == ""
    assert figure.locator(".handle").count() == 4


def test_what_was_made_is_left_out_where_it_is_not_finite(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    set_number(page, "plain.scores", 0, 1e308)  # times a score of 1e308, the row of Apple's weights is 1, 0, 0, 0
    set_number(page, "plain.plain_attention.softmax.totals", 1, 0)  # the second row is divided by nothing
    assert not np.isfinite(values(page, "plain.weights")[4:8]).any()
    assert page.locator("figure.plane .error").first.inner_text().endswith(": plain.output[shares].")
    small = page.locator(".maps figure", has_text="plain.weights")
    assert small.inner_text() == "plain.weights (white where it is not finite)"
    shades = small.locator("rect").evaluate_all("r => r.map(e => e.style.getPropertyValue('--weight'))")
    assert [float(shade) for shade in shades[4:8]] == [0, 0, 0, 0]
    assert float(shades[0]) == 1


def test_the_circle_and_the_bars(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    set_number(page, "positions.sinusoidal_positions.divisors", 0, 0)  # sin(1/0) is no number, nor is sin(0/0)
    circle = page.locator("figure.circle")
    assert circle.locator(".error").inner_text() == "Not drawn, for want of finite numbers: 0, 1, 2, 3."
    page = open_page(render(wk.example("next-token").run()))
    set_number(page, "loop.1.next.next_token.softmax.totals", 0, 0)
    board = page.locator("article:not([hidden]) .turn:not([hidden]) .board")
    assert board.locator(".error").inner_text().startswith("Not drawn, for want of finite numbers: ")
    widths = board.locator("rect").evaluate_all("r => r.map(e => Number(e.getAttribute('width')))")
    assert all(np.isfinite(widths))


def test_recorded_numbers_that_are_not_finite(open_page: Open) -> None:
    def divided(x: Any) -> Any:
        weights = x / x.sum(axis=1, keepdims=True)
        return weights

    with np.errstate(all="ignore"):
        working = wk.show(
            divided, np.array([[0.0, 0.0], [0.25, 0.75]]), labels={"x": (["nothing", "something"], ["left", "right"])}
        )
    page = open_page(render(working))
    assert cell(page, "divided.weights", 0).inner_text() == "NaN"
    assert page.locator("figure.plane .handle").count() == 2


def test_a_row_that_a_table_does_not_have_is_said(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    before = values(page, "X").tolist()
    set_number(page, "ids", 1, 1e300)
    assert values(page, "X").tolist() == before
    assert "X stays as it was recorded: there is no row of such a number" in page.locator("#moved").inner_text()


def state(changes: list[Any]) -> str:
    return "#state=" + quote(json.dumps({"workings": 1, "program": "as it is", "changes": changes}))


BAD = {
    "#state=%7Bbad": "this is not a state of such a page",
    "#state=%": "it is not whole",
    "#state=": "this is not a state of such a page",
    "#nowhere": "it leads to no place on this page",
    state([["E", 99, 1]]): "it changes numbers that this page does not have",
    state([["E", 0, 0.5], ["W", 0, 1]]): "it changes numbers that this page does not have",
    state([["E", 0, "-Infinity"]]): "it changes a number to what is no finite number",
    state([["E", 0, 0]]).replace("0%5D%5D", "1e999%5D%5D"): "it changes a number to what is no finite number",
}


def test_a_link_that_cannot_be_taken_up_is_said_and_changes_nothing(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    before = values(page, "E").tolist()
    address = page.url
    for fragment, wrong in BAD.items():
        page.goto("about:blank")
        page.goto(address + fragment)
        page.wait_for_selector("body[data-ready]")
        said = page.locator("header").get_by_role("status")
        assert said.inner_text() == f"The link was not taken up: {wrong}. The numbers are as they were.", fragment
        assert values(page, "E").tolist() == before
        assert not page.evaluate("workings.state.past.length")
    page.clock.install()
    page.evaluate("location.hash = '#also-nowhere'")
    page.clock.fast_forward(60_000)  # it is still there when somebody comes back to it
    assert "no place on this page" in said.inner_text()
    set_number(page, "E", 0, 2)
    assert said.inner_text() == ""
    page.evaluate("location.hash = '#steps-5'")
    page.wait_for_timeout(50)
    assert said.inner_text() == ""


def test_a_page_takes_up_its_own_link_whatever_it_came_with(open_page: Open) -> None:
    page = open_page(render(wk.example("apple").run(), changes={"E[Apple, food]": float("-inf")}))
    link = page.evaluate("workings.page.link()")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("body[data-ready]")
    assert page.locator("header").get_by_role("status").inner_text() == ""
    assert values(page, "E")[0] == -np.inf
