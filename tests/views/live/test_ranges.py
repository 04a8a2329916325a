"""Numbers that an equation takes only within a range: sliders keep to it, and what is typed beyond is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from tests.views.live.test_page import values

import workings as wk
from workings.views.live.page import render

Open = Callable[..., Any]
P, T, K = "next.top_p.top_p.p", "next.temperature_2.temperature.T", "next.top_k.top_k.k"


@pytest.fixture(scope="module")
def next_page() -> str:
    return render(wk.example("next-token").run())


def ends(page: Any, name: str) -> tuple[float, float]:
    slider = page.locator(f'.dials input[aria-label="{name}"]')
    found = []
    for key in ("Home", "End"):
        slider.press(key)
        found.append(float(slider.input_value()))
    return found[0], found[1]


def test_a_slider_goes_as_far_as_its_equation_takes_numbers(open_page: Open, next_page: str) -> None:
    page = open_page(next_page)
    least, most = ends(page, P)
    assert 0 < least < 0.01
    assert most == 1
    assert ends(page, K)[0] == 1
    assert ends(page, T)[0] > 0
    # With half of the whole, the words that share half are kept, from the most probable down.
    page.locator(f'.dials input[aria-label="{P}"]').fill("0.5")
    shares = np.exp(values(page, "next.logits"))
    shares /= shares.sum()
    down = np.sort(shares)[::-1]
    last = down[np.searchsorted(np.cumsum(down), 0.5)]
    expected = np.where(shares >= last, shares, 0)
    np.testing.assert_allclose(values(page, "next.top_p.probabilities"), expected / expected.sum(), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        (P, "1.5", "A number above 0 and at most 1"),
        (P, "0", "A number above 0 and at most 1"),
        (T, "-1", "A number above 0"),
        (K, "0", "A number of at least 1"),
    ],
)
def test_what_is_typed_beyond_is_refused_in_words(
    open_page: Open, next_page: str, name: str, number: str, said: str
) -> None:
    page = open_page(next_page)
    before = values(page, name)[0]
    output = page.locator(f'.dials div:has(> input[aria-label="{name}"]) output')
    output.dblclick()
    page.keyboard.type(number)
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").inner_text() == said
    page.keyboard.press("Escape")
    assert float(output.inner_text()) == before == values(page, name)[0]
    state = json.dumps({"workings": 1, "program": "as it is", "changes": [[name, 0, float(number)]]})
    page.evaluate("fragment => { location.hash = fragment; }", f"#state={quote(state)}")
    page.get_by_text("it changes a number to one that its equation does not take").wait_for()
    assert values(page, name)[0] == before


def test_the_settings_inside_a_function_have_no_slider(open_page: Open) -> None:
    """NumPy's mean divides by a count: that is no number to play with."""
    page = open_page(render(wk.example("encoder-block").run()))
    assert page.locator(".dials input").count() == 0


def test_the_number_of_a_slider_can_be_typed(open_page: Open, next_page: str) -> None:
    page = open_page(next_page)
    output = page.locator(f'.dials div:has(> input[aria-label="{T}"]) output')
    output.focus()
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    assert output.inner_text() == "4.00"
    assert float(page.locator(f'.dials input[aria-label="{T}"]').input_value()) == pytest.approx(4, abs=0.02)
    expected = np.exp(values(page, "next.logits") / 4)
    np.testing.assert_allclose(values(page, "next.temperature_2.probabilities"), expected / expected.sum(), rtol=1e-12)
