"""Every line of arithmetic that the page writes: worked out again, it gives the number it stands beside."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.views.live.board import exactly, parted, worked

import workings as wk
from workings.examples import names
from workings.reading.numbers import number
from workings.views.live.page import render

Open = Callable[..., Any]
DIGITS = 14

LINES = """digits => {
  const { state, page } = workings, { program, machine } = state, usual = program.decimals, out = [];
  const each = (decimals) => {
    program.decimals = decimals;
    return program.nodes.map((node, n) => Array.from(machine.values[n], (_, place) => page.text(n, place)));
  };
  const long = each(digits), short = each(usual);
  program.decimals = usual;
  return program.nodes.map((node, n) => [node.n, node.t, Array.from(machine.values[n], String), long[n], short[n]]);
}"""


def check(page: Any, decimals: int) -> int:
    """Holds every line against the page's numbers, which other tests hold against Python's; gives how many."""
    count = 0
    for name, kind, values, long, short in page.evaluate(LINES, DIGITS):
        for place, (value, exact, shown) in enumerate(zip(values, long, short, strict=True)):
            if not exact:
                continue
            count += 1
            where, result = f"{name}, {place}: {exact}", float(value)
            left, _, _ = parted(exact)
            if kind == "b":
                assert worked(left) == bool(result), where
                continue
            found = float(worked(left))
            assert found == result or math.isclose(found, result, rel_tol=1e-9, abs_tol=1e-11), where
            assert parted(shown)[2] == (str(int(result)) if kind == "i" else number(result, decimals)), where
            if parted(shown)[1] == "=" and not re.search("[a-z√π∞^]", shown):
                assert exactly(shown), shown
    return count


@pytest.mark.parametrize("name", names())
def test_every_line_of_every_example_gives_the_recorded_number(open_page: Open, name: str) -> None:
    working = wk.example(name).run()
    page = open_page(render(working))
    assert check(page, working.decimals) > 100


def test_after_a_change_the_lines_are_those_of_the_new_numbers(open_page: Open) -> None:
    working = wk.example("apple").run()
    page = open_page(render(working))
    page.evaluate("workings.state.set([[0, 0, -0.35], [0, 3, 12], [0, 5, 0]])")
    assert check(page, working.decimals) > 100


TWO_NODES = {
    "decimals": 2, "guards": [], "words": [], "named": [], "labels": [],
    "nodes": [
        {"k": "given", "s": [2], "t": "f", "n": "x", "v": [2.0, 3.0], "b": 1},
        {"k": "map", "s": [2], "t": "f", "n": "y", "i": [[0, 0, [2]]], "e": ["*", ["$", 0], 2], "b": 1},
    ],
}  # fmt: skip


def test_a_line_that_does_not_give_its_number_is_not_told(kernels: Any) -> None:
    ask = """([program, value]) => { const machine = new W.Machine(program), reader = new W.Reader(machine);
      machine.values[1][0] = value;
      const line = reader.line(1, 0);
      return [line.tree === null, line.wrong]; }"""
    assert kernels.evaluate(ask, [TWO_NODES, 4.0]) == [False, False]
    assert kernels.evaluate(ask, [TWO_NODES, 4.0 + 1e-9]) == [False, False]  # rounding
    assert kernels.evaluate(ask, [TWO_NODES, 4.01]) == [True, True]


CHOICE = {
    "decimals": 2, "guards": [], "words": [], "named": [], "labels": [],
    "nodes": [
        {"k": "given", "s": [2], "t": "f", "n": "x", "v": [0.5, 3.0], "b": 1},
        {"k": "map", "s": [2], "t": "f", "n": "less", "i": [[0, 0, [2]]], "e": ["+", ["$", 0], ["-", 1]]},
        {"k": "map", "s": [2], "t": "f", "n": "y", "i": [[1, 0, [2]], [0, 0, [2]]], "b": 1,
         "e": ["?", ["r", ">", ["$", 0], 0], ["$", 1], 7]},
    ],
}  # fmt: skip


def test_which_of_two_numbers_was_chosen_is_worked_out(kernels: Any) -> None:
    # 0.5 − 1 is not above 0. A sum inside a condition was once multiplied out: 0.5 × 1 is.
    ask = """program => { const reader = new W.Reader(new W.Machine(program)), notation = new W.Notation(2);
      const text = (place) => notation.write(reader.line(2, place).tree).map((piece) => piece.text ?? piece).join("");
      return [text(0), text(1)]; }"""
    assert kernels.evaluate(ask, CHOICE) == ["7 (since not 0.50 − 1 > 0)", "3.00 (since 3.00 − 1 > 0)"]


def test_a_number_that_was_put_in_place_keeps_no_line_of_another(open_page: Open) -> None:
    page = open_page(render(wk.example("apple").run()))
    node = page.evaluate("workings.state.machine.byName.get('projected.scores')")
    line = page.locator(f'article:not([hidden]) .worked li[data-at="{node},1"]')
    assert line.inner_text() == "scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02"
    page.evaluate(f"workings.state.set([[{node}, 1, 7]])")
    assert line.inner_text() == "scores[Apple, shares] = 7.00"
    page.get_by_role("button", name="Undo").click()
    assert line.inner_text() == "scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02"
