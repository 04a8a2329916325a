"""The Markdown view: its tables parse, its anchors are unique, its numbers are the texts', its labels are inert."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.recording.running import record_script
from workings.views import markdown

from .support import SCRIPTS, four_words, one_value

_CELLS = re.compile(r"(?<!\\)\|")


def tables(page: str) -> list[list[list[str]]]:
    """Every table of a page as rows of cells; fails where a row has another number of cells than the rule."""
    found: list[list[list[str]]] = []
    rows: list[list[str]] = []
    for line in [*page.split("\n"), ""]:
        if line.startswith("|"):
            assert line.endswith("|")
            rows.append([cell.strip() for cell in _CELLS.split(line)[1:-1]])
        elif rows:
            assert all(re.fullmatch(":--|--:", cell) for cell in rows[1])
            assert len({len(row) for row in rows}) == 1
            found.append([rows[0], *rows[2:]])
            rows = []
    return found


def test_the_weights_of_the_first_text_with_the_largest_of_each_row_bold() -> None:
    page = markdown.render(four_words())
    assert [
        ["", "Apple", "shares", "fell", "sharply"],
        ["Apple", "0.206", "**0.319**", "0.247", "0.227"],
        ["shares", "**0.361**", "0.202", "0.227", "0.210"],
        ["fell", "**0.296**", "0.240", "0.240", "0.225"],
        ["sharply", "**0.292**", "0.238", "0.241", "0.229"],
    ] in tables(page)


def test_equations_are_displayed_with_their_numbers() -> None:
    page = markdown.render(four_words())
    assert "\n## §4 Queries, keys and values\n" in page
    assert r"\tag{6),(13}" in page
    assert page.count("$$") % 2 == 0


def test_each_address_is_an_anchor_once() -> None:
    page = markdown.render(four_words(), depth="numbers")
    anchors = re.findall(r'<a id="([^"]+)"></a>', page)
    assert len(anchors) == len(set(anchors))
    assert {"X", "plain.weights", "projected.weights", "projected.output"} <= set(anchors)


def test_arithmetic_stands_in_code() -> None:
    assert "`scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02`" in markdown.render(four_words())


def test_a_script_with_its_lines_and_what_it_printed() -> None:
    page = markdown.render(record_script(SCRIPTS / "first_text.py"))
    assert "`attention.S` · line 6  \nscores, scaled" in page
    assert "```text\n[0.206 0.319 0.247 0.227]\n[0.358 0.623]\n```" in page


def test_printed_text_cannot_close_its_fence() -> None:
    working = one_value([1.0])
    working.printed = "before\n````\nafter\n"
    assert "`````text\nbefore\n````\nafter\n`````" in markdown.render(working)


def test_markup_in_labels_is_escaped() -> None:
    labels = ["<b>bold</b>", "a|b", "*x*", "`y`", "[z](http://q)", "$m$"]
    page = markdown.render(one_value(np.arange(36).reshape(6, 6), (labels, labels)))
    (table,) = tables(page)
    assert table[0][1:] == ["&lt;b&gt;bold&lt;/b&gt;", r"a\|b", r"\*x\*", r"\`y\`", r"\[z\](http://q)", r"\$m\$"]


def test_text_at_the_beginning_of_a_line_makes_no_list() -> None:
    assert markdown.escape("1. first") == r"1\. first"
    assert markdown.escape("- item") == r"\- item"
    assert markdown.escape("# title") == r"\# title"


@settings(deadline=None, max_examples=80)
@given(st.lists(st.text(max_size=20), min_size=2, max_size=4))
def test_no_label_breaks_a_table(labels: list[str]) -> None:
    count = len(labels)
    (table,) = tables(markdown.render(one_value(np.arange(count * count).reshape(count, count), (labels, labels))))
    assert len(table) == count + 1
    assert [row[1] for row in table[1:]] == [str(count * n) for n in range(count)]


@given(st.text(max_size=40))
def test_a_code_span_closes_where_it_should(text: str) -> None:
    span = markdown.code(text)
    fence = re.match("`+", span)
    assert fence is not None
    inner = span[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)
