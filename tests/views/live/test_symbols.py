"""What a symbol of a formula means, and values side by side, as readers ask for them in Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings.reading.numbers import number
from workings.recording.working import Working
from workings.views.live.page import render

Open = Callable[..., Any]
QUERIES = [[0.20, 1.00], [1.00, 0.10], [0.60, 0.30], [0.50, 0.20]]  # the first text's vectors, their columns exchanged


@pytest.fixture(scope="module")
def apple() -> Working:
    return wk.example("apple").run()


@pytest.fixture(scope="module")
def apple_page(apple: Working) -> str:
    return render(apple)


def formula(page: Any, name: str) -> Any:
    return page.locator(f'article:not([hidden]) .step[data-name="{name}"] .math')


def numbers(place: Any) -> list[str]:
    """The numbers of a table, as they are shown."""
    return [text.strip() for text in place.locator("td[data-p]").all_text_contents()]


def close(shown: list[str], wanted: Any) -> bool:
    found = np.array([float(text.replace("−", "-")) for text in shown])
    return found.shape == np.ravel(wanted).shape and bool(np.all(np.abs(found - np.ravel(wanted)) < 6e-4))


def change(page: Any, name: str, place: int, value: str) -> None:
    page.locator(f'article:not([hidden]) figure[data-name="{name}"] td[data-p="{place}"]').first.dblclick()
    page.keyboard.type(value)
    page.keyboard.press("Enter")


def test_a_symbol_says_what_it_means_its_shape_its_origin_and_its_numbers(
    open_page: Open, apple: Working, apple_page: str
) -> None:
    page = open_page(apple_page, reduced_motion="reduce")
    panel = page.locator("#symbol")
    assert not panel.is_visible()
    formula(page, "projected.scores").locator('[data-value="projected.queries"]').click()
    text = panel.inner_text()
    assert "queries" in panel.locator("h2").inner_text()
    assert "What a token is looking for, as a vector" in text  # the glossary's sentence
    assert "4 × 2; rows Apple, shares, fell, sharply; columns without names." in text
    assert "projected = rows @ matrix" in text  # its line of code
    assert close(numbers(panel), QUERIES)
    change(page, "E", 0, "0.1")
    assert close(numbers(panel), np.ravel(apple.replay({"E[Apple, food]": 0.1}).value("projected.queries")))
    assert panel.locator("td.changed").count() == 1
    section = panel.get_by_role("link", name="Queries, keys and values").get_attribute("href")
    assert page.locator(f'{section}[data-path="projected"]').count() == 1
    panel.get_by_role("button", name="projected.queries", exact=True).click()
    assert page.evaluate("document.activeElement.dataset.name") == "projected.queries"
    top = page.locator('article:not([hidden]) .step[data-name="projected.queries"]').bounding_box()
    assert 0 < top["y"] < 450
    panel.get_by_role("button", name="Close").click()
    assert not panel.is_visible()
    assert page.locator("math .chosen").count() == 0


def test_a_name_for_another_value_says_which(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    formula(page, "scaled.scores").locator('[data-symbol="keys"]').click()
    text = page.locator("#symbol").inner_text()
    assert "Here keys stands for X." in text
    assert "What a token can be found by" in text
    assert "Each token's vector is the row of the table" in text
    assert "columns food, finance" in text
    formula(page, "scaled.scaled_scores").locator('[data-value="scaled.d_k"]').click()
    assert "one number" in page.locator("#symbol").inner_text()
    assert page.locator("#symbol output").inner_text() == "2"


def test_the_keyboard_goes_through_the_symbols(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    panel, asked = page.locator("#symbol"), formula(page, "projected.output")
    asked.focus()
    heard = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        heard.append(page.locator("math .chosen").get_attribute("data-value"))
    assert heard == ["projected.output", "projected.weights", "X", "X", "projected.weights", "projected.output"]
    assert close(numbers(panel), wk.example("apple").run()["projected.output"].value)
    panel.get_by_role("button", name="weights", exact=True).press("Enter")
    assert "The share of one token's value" in panel.inner_text()
    assert page.evaluate("document.activeElement.ariaLabel") == "weights"
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    asked.focus()
    page.keyboard.press("Enter")
    assert panel.is_visible()


def test_a_finger_need_not_hit_the_letter(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page, width=360, height=740, has_touch=True)
    asked = formula(page, "plain.output")
    asked.scroll_into_view_if_needed()
    box = asked.locator('[data-value="plain.weights"]').bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] + 2)
    panel = page.locator("#symbol")
    assert "weights" in panel.locator("h2").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_letters_and_functions_of_an_equation(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    equation = page.locator("article:not([hidden]) .equation", has=page.locator('[data-symbol="queries"]')).first
    equation.locator('[data-word="softmax"]').click()
    assert "It turns any list of scores into shares" in page.locator("#symbol").inner_text()
    assert page.locator("#symbol td").count() == 0
    equation.locator('[data-symbol="values"]').first.click()
    assert close(numbers(page.locator("#symbol")), [[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]])


def shares(scores: Any) -> Any:
    W = np.exp(scores)  # always above 0
    W = W / W.sum()
    return W


def test_in_your_own_code_a_comment_says_it_and_a_name_is_what_it_was_there(open_page: Open) -> None:
    page = open_page(render(wk.show(shares, np.array([0.0, 1.0]))))
    before = page.locator('.step[data-name="shares.W"] .math [data-value="shares.W#1"]')
    assert before.count() == 2
    before.first.click()
    panel = page.locator("#symbol")
    assert "always above 0" in panel.inner_text()
    assert close(numbers(panel), [1.0, np.e])
    page.locator('.math [data-value$="scores"]').first.click()
    assert "How well one query matches" not in panel.inner_text()  # the glossary does not speak of your names


def test_what_is_to_be_guessed_stays_hidden(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    page.locator('article:not([hidden]) figure[data-name="X"] button.beside').click()
    page.get_by_role("button", name="Predict").click()
    assert not page.locator("#beside").is_visible()
    formula(page, "similarity.dot_products").locator('[data-value="similarity.dot_products"]').click()
    assert "still to be guessed" in page.locator("#symbol").inner_text()
    assert page.locator("#symbol td").count() == 0
    formula(page, "similarity.dot_products").locator('[data-value="X"]').first.click()
    assert page.locator("#symbol td[data-p]").count() == 8
    page.get_by_role("button", name="Predict").click()
    assert page.locator("#beside").is_visible()


def beside(page: Any, name: str) -> Any:
    return page.locator(f'article:not([hidden]) figure[data-name="{name}"] button.beside')


def test_two_values_side_by_side_follow_every_change(open_page: Open, apple: Working, apple_page: str) -> None:
    page = open_page(apple_page)
    place = page.locator("#beside")
    beside(page, "plain.weights").click()
    assert "Choose “Beside” at another value" in place.inner_text()
    beside(page, "projected.weights").press("Enter")
    left, right = place.locator("figure").all()
    for figure, name in ((left, "plain.weights"), (right, "projected.weights")):
        assert close(numbers(figure), apple[name].value)
        assert figure.locator("thead th").all_inner_texts() == ["Apple", "shares", "fell", "sharply"]
        assert figure.locator("tbody th").all_inner_texts() == ["Apple", "shares", "fell", "sharply"]
    # One scale for both: the shade of a number is its part of the largest of the two tables, by hand 0.401.
    shade = right.locator('td[data-p="1"]').evaluate("cell => Number(cell.style.getPropertyValue('--weight'))")
    largest = max(apple["plain.weights"].value.max(), apple["projected.weights"].value.max())
    assert shade == pytest.approx(apple["projected.weights"].value[0, 1] / largest)
    assert f"the darkest is {number(largest, apple.decimals)}" in place.inner_text()
    assert left.bounding_box()["y"] == right.bounding_box()["y"]
    assert left.bounding_box()["x"] < right.bounding_box()["x"]
    page.evaluate("workings.set(0, [0.1])")
    replay = apple.replay({"E[Apple, food]": 0.1})
    assert close(numbers(left), replay.value("plain.weights"))
    assert close(numbers(right), replay.value("projected.weights"))
    beside(page, "plain.scores").click()  # the last two stay
    names = [figure.get_attribute("data-name") for figure in place.locator("figure").all()]
    assert names == ["projected.weights", "plain.scores"]
    assert [beside(page, name).get_attribute("aria-pressed") for name in ("plain.weights", *names)] == [
        "false", "true", "true"
    ]  # fmt: skip
    place.get_by_role("button", name="Take away: projected.weights").press("Enter")
    assert page.evaluate("document.activeElement.ariaLabel") == "Take away: plain.scores"
    page.keyboard.press("Enter")
    assert not place.is_visible()


def test_numbers_below_zero_have_another_colour(open_page: Open) -> None:
    def halved(x: Any) -> Any:
        y = x / 2
        return y

    page = open_page(render(wk.show(halved, np.array([[1.0, -4.0], [0.0, 2.0]]))))
    page.locator('figure[data-name$="y"] button.beside').first.click()
    cells = page.locator("#beside td[data-p]")
    shades = cells.evaluate_all("cells => cells.map(c => [c.style.getPropertyValue('--weight'), c.className])")
    assert [float(shade) for shade, _ in shades] == [0.25, 1.0, 0.0, 0.5]
    assert ["negative" in name for _, name in shades] == [False, True, False, False]


def test_a_link_and_a_file_keep_what_is_side_by_side(open_page: Open, apple_page: str, tmp_path: Path) -> None:
    page = open_page(apple_page)
    beside(page, "plain.weights").click()
    beside(page, "X").click()
    link = page.evaluate("workings.page.link()")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("body[data-ready]")
    names = [figure.get_attribute("data-name") for figure in page.locator("#beside figure").all()]
    assert names == ["plain.weights", "X"]
    wrong = {"workings": 1, "program": "as it is", "changes": [], "beside": ["plain.weights", "constructor"]}
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(tmp_path / "wrong.json")
    page.get_by_text("it sets values side by side that this page does not have").wait_for()
    assert page.locator("#beside figure").count() == 2


def test_another_convention_shows_its_own_numbers(open_page: Open, apple: Working, apple_page: str) -> None:
    page = open_page(apple_page)
    beside(page, "projected.weights").click()
    variants = apple.source.variants() if apple.source.variants is not None else {}
    name = next(name for name in variants if "scale" in name)
    page.get_by_label("Conventions").select_option(label=name)
    assert close(numbers(page.locator("#beside")), variants[name]()["projected.weights"].value)
    formula(page, "projected.output").locator('[data-value="projected.weights"]').click()
    assert close(numbers(page.locator("#symbol")), variants[name]()["projected.weights"].value)


def test_on_a_phone_they_are_stacked(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page, width=360, height=740)
    beside(page, "plain.weights").click()
    beside(page, "projected.weights").click()
    first, second = (figure.bounding_box() for figure in page.locator("#beside figure").all())
    assert first["x"] == second["x"]
    assert first["y"] + first["height"] <= second["y"]
    assert first["y"] < 740  # it came into sight
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_scripts_a_formula_reads_as_it_did(open_page: Open, apple: Working, apple_page: str) -> None:
    page = open_page(apple_page, java_script_enabled=False)
    math = formula(page, "projected.scores")
    assert "".join(math.all_text_contents()).replace(" ", "") == "S=QK⊤"
    assert not page.locator("#symbol").is_visible()
    assert page.locator("button.beside").count() == 0
