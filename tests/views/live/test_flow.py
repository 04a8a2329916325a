"""The diagram of the parts: which there are, and that each is joined to those whose results it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings.recording.working import Working
from workings.views.live.flow import parts
from workings.views.live.page import render

Open = Callable[..., Any]


def joined(working: Working) -> list[tuple[str, list[str]]]:
    found = parts(working)
    return [(part.label, [found[at].label for at in part.takes]) for part in found]


def test_every_section_of_the_first_text_takes_the_looked_up_vectors() -> None:
    others = ["similarity", "plain", "scaled", "projected", "heads", "positions"]
    assert joined(wk.example("apple").run()) == [("lookup", []), *((name, ["lookup"]) for name in others)]
    assert joined(wk.example("journey").run()) == [("lookup", []), ("query", ["lookup"]), ("all", ["lookup"])]


def test_a_block_has_its_residual_connections() -> None:
    assert joined(wk.example("encoder-block").run()) == [
        ("lookup", []),
        ("attention", ["lookup"]),
        ("add", ["lookup", "attention"]),
        ("attention norm", ["add"]),
        ("feed forward", ["attention norm"]),
        ("add", ["attention norm", "feed forward"]),
        ("feed forward norm", ["add"]),
    ]
    cross = dict(joined(wk.example("decoder-block").run()))
    assert cross["self attention"] == ["lookup", "causal mask"]
    assert cross["cross attention"] == ["self attention norm"]  # the memory is given


def test_what_happens_between_the_parts_is_passed_through() -> None:
    def double(x: Any) -> Any:
        return x * 2

    def lower(x: Any) -> Any:
        return x - 1

    def both(x: Any) -> Any:
        first = double(x)
        between = first + x  # belongs to no part
        second = lower(between)
        unused = lower(x)
        return double(second) + unused

    found = parts(wk.show(both, np.ones(2)))
    assert [(part.path, part.takes) for part in found] == [
        ("both.double#1", ()),
        ("both.lower#1", (0,)),
        ("both.lower", ()),
        ("both.double", (1,)),
    ]


@pytest.mark.parametrize("name", ["apple", "decoder-block"])
def test_the_page_draws_an_arrow_into_every_part_that_takes_something(open_page: Open, name: str) -> None:
    working = wk.example(name).run()
    page = open_page(render(working))
    flows = page.locator(".diagram .flow").evaluate_all("p => p.map(e => e.getAttribute('d'))")
    heads = sum(d.count("m-4-5l4 5 4-5") + d.count("m5-4l-5 4 5 4") for d in flows)
    assert heads == sum(len(part.takes) for part in parts(working)) > 0
    said = page.locator(".part").evaluate_all("p => p.map(e => e.getAttribute('aria-label'))")
    assert said == [f"{part}: takes {', '.join(takes)}" if takes else part for part, takes in joined(working)]
    # Every arrow stays within the drawing.
    box = page.locator(".diagram svg").bounding_box()
    for flow in page.locator(".diagram .flow").all():
        own = flow.bounding_box()
        assert box["x"] <= own["x"]
        assert own["x"] + own["width"] <= box["x"] + box["width"]


def test_a_part_leads_to_its_own_place_and_is_marked_when_something_in_it_moves(open_page: Open) -> None:
    page = open_page(render(wk.example("encoder-block").run()), reduced_motion="reduce")
    for part, place in (("attention norm", "block.attention_norm"), ("lookup", "lookup")):
        page.locator(".part", has_text=part).first.press("Enter")
        assert page.evaluate("document.activeElement.dataset.path") == place
    page.locator(".part", has_text="add").first.click()  # a sum has no heading: to its numbers
    assert page.evaluate("document.activeElement.dataset.name").startswith("block.")
    page.evaluate(
        "() => { const { state } = workings, n = state.machine.byName.get('block.feed_forward.b_1');"
        " state.set([[n, 0, 5]]); }"
    )
    moved = page.locator(".part.moved text").all_text_contents()
    assert moved == ["feed forward", "add", "feed forward norm"]
