"""Headings in every text view stand one level below the heading around them, never further in."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings.examples import names
from workings.recording.working import Working
from workings.views import ipynb, latex, markdown
from workings.views.document import DEPTHS, Over, Turn
from workings.views.page import tell

COMMANDS = {"section": 2, "subsection": 3, "subsubsection": 4}


@cache
def example(name: str) -> Working:
    return wk.example(name).run()


def of_markdown(text: str) -> list[int]:
    outside = re.sub(r"^(```+).*?^\1", "", text, flags=re.M | re.S)
    return [len(marks) for marks in re.findall(r"^(#+) ", outside, re.M)]


def of_latex(text: str) -> list[int]:
    """The title, which is no heading of LaTeX's, and those that follow."""
    return [1, *(COMMANDS[command] for command in re.findall(r"^\\(\w*section)\*\{", text, re.M))]


def none_is_left_out(levels: list[int]) -> bool:
    return levels[0] == 1 and all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", names())
def test_no_level_is_left_out(name: str, depth: str) -> None:
    working = example(name)
    found = of_markdown(markdown.render(working, depth=depth))
    assert none_is_left_out(found), found
    found = of_latex(latex.render(working, depth=depth))
    assert none_is_left_out(found), found


@pytest.mark.parametrize("name", names())
def test_no_level_is_left_out_in_a_notebook(name: str) -> None:
    cells = json.loads(ipynb.render(example(name)))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert none_is_left_out(of_markdown(text))


def test_calls_inside_calls_stand_inside_each_other() -> None:
    def inner(x: Any) -> Any:
        y = x * 2
        z = y + 1
        return z

    def middle(x: Any) -> Any:
        a = inner(x)
        b = inner(a)
        return b

    def wrap(x: Any) -> Any:
        return middle(x)

    def outer(x: Any) -> Any:
        h = wrap(x)
        w = middle(h)
        return w

    working = wk.show(outer, np.array([[1.0, 2.0], [3.0, 4.0]]))
    # The title; outer; wrap, middle and twice inner; middle and twice inner; what closes the page.
    assert of_markdown(markdown.render(working)) == [1, 2, 3, 4, 5, 5, 3, 4, 4, 2]
    # LaTeX has no more than three levels below the title.
    assert of_latex(latex.render(working)) == [1, 2, 3, 4, 4, 4, 3, 4, 4, 2]


def test_a_loop_ends_at_the_level_of_its_turns() -> None:
    """The turns of the loop that writes are the sections below it, and what they hold is inside them."""
    blocks = tell(example("next-token"), turns=True).blocks
    turns = [block.level for block in blocks if isinstance(block, Turn)]
    assert turns == [2, 2, 2]
    assert [block.level for block in blocks if isinstance(block, Over)] == [2]
