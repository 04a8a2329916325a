"""The terminal view against the numbers that the two texts print, and its form: widths, colour, odd labels."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workings as wk
from workings.recording.running import record_script
from workings.recording.working import Loss, Site
from workings.views import terminal
from workings.views.paper import BLOCKS

from .support import SCRIPTS, four_words, numbers_in, one_value, rows_after, script, widest

TABLE_1 = [
    ["0.401", "0.191", "0.216", "0.191"],
    ["0.176", "0.359", "0.245", "0.220"],
    ["0.238", "0.293", "0.245", "0.224"],
    ["0.233", "0.290", "0.247", "0.230"],
]
TABLE_2 = [
    ["0.206", "0.319", "0.247", "0.227"],
    ["0.361", "0.202", "0.227", "0.210"],
    ["0.296", "0.240", "0.240", "0.225"],
    ["0.292", "0.238", "0.241", "0.229"],
]


def test_both_tables_of_the_first_text_stand_on_the_page() -> None:
    page = terminal.render(four_words(), width=80, colour=False)
    for address, printed in (("plain.weights", TABLE_1), ("projected.weights", TABLE_2)):
        header, *rows = rows_after(page, address, 5)
        assert header == ["Apple", "shares", "fell", "sharply"]
        assert [row[0] for row in rows] == ["Apple", "shares", "fell", "sharply"]
        assert [numbers_in(row) for row in rows] == printed


def test_sections_carry_their_number_sentence_and_equation() -> None:
    page = terminal.render(four_words(), width=80, colour=False)
    assert "§3 A weighted average ─" in page
    assert "§4 Queries, keys and values ─" in page
    assert "softmax(Q Kᵀ / √d_k + M) V" in page
    assert "w_ij = exp(s_ij) / (Σ_{ℓ=1}^L exp(s_iℓ))" in page


def test_an_equation_is_written_out_once_and_then_called_by_its_number() -> None:
    page = terminal.render(four_words(), width=80, colour=False)
    assert page.count("w_ij = ") == 1
    assert "Softmax  (4)" in page


def test_one_element_of_every_line_is_worked_out() -> None:
    page = terminal.render(four_words(), width=100, colour=False)
    assert "scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02" in page
    assert "scaled_scores[Apple, shares] = 1.02 / √2 ≈ 1.02 / 1.414 ≈ 0.721" in page
    assert "output[Apple, finance] = 0.206×0.20 + 0.319×1.00 + 0.247×0.60 + 0.227×0.50 ≈ 0.623" in page


def test_values_known_by_several_names_are_printed_once() -> None:
    page = terminal.render(four_words(), width=80, colour=False)
    assert "keys = values = X" in page
    assert page.count("0.361 █") == 1


def test_a_size_takes_one_line() -> None:
    assert "d_k = columns of keys = 2 " in terminal.render(four_words(), width=80, colour=False)


def test_the_reading_of_weights_is_said_once() -> None:
    assert terminal.render(four_words(), width=80, colour=False).count("A row asks, a column answers") == 1


def test_the_page_ends_with_the_conventions_and_what_was_followed() -> None:
    page = terminal.render(four_words(), width=80, colour=False)
    conventions, followed = page.split("Conventions\n")[1].split("\n\n")
    assert any(re.fullmatch(" +scale +scores divided by √d_k", line) for line in conventions.split("\n"))
    assert followed == "  Every number was followed to where it came from.\n"


def test_what_was_not_followed_is_listed_with_its_place() -> None:
    working = one_value([1.0, 2.0])
    lost = Loss("opaque", "numpy.linalg.eigh", 0, Site("/tmp/a.py", 12, ""))
    working.lost += [lost, lost, Loss("frozen", "a draw", 0)]
    page = terminal.render(working, width=80, colour=False)
    assert "Not followed\n  not opened  numpy.linalg.eigh, a.py:12 (2 times)\n  frozen      a draw\n" in page
    assert "Every number was followed" not in page


def test_depth_sentences_leaves_out_formulas_and_arithmetic() -> None:
    page = terminal.render(four_words(), depth="sentences", width=80, colour=False)
    assert "0.361 █" in page
    assert "√2" not in page
    assert "softmax(" not in page
    assert "shifted" not in page


def test_depth_numbers_works_out_every_element() -> None:
    page = terminal.render(four_words(), depth="numbers", width=100, colour=False)
    assert sum(line.strip().startswith("scores[") for line in page.split("\n")) == 32
    assert "queries[sharply, 0] = 0.20×0.00 + 0.50×1.00 = 0.50" in page


def test_an_unknown_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="sentences, steps, numbers"):
        terminal.render(four_words(), depth="all")


# -- scripts ----------------------------------------------------------------------------------------------------------


def test_the_first_texts_script() -> None:
    page = terminal.render(record_script(SCRIPTS / "first_text.py"), width=80, colour=False)
    assert "S = Q Kᵀ / √d_k " in page
    assert "  scores, scaled\n" in page
    assert "attention.S · line 6" in page
    assert re.search(r"S\[.*\] = \(0.20×0.10 \+ 1.00×1.00\) / √2 ≈ 1.02 / 1.4142 ≈ 0.7212", page)
    assert "  [0.206 0.319 0.247 0.227]\n  [0.358 0.623]\n" in page.split("Printed\n")[1]


def test_the_second_texts_script() -> None:
    pytest.importorskip("torch")
    page = terminal.render(record_script(SCRIPTS / "second_text.py"), width=80, colour=False)
    assert "0.9544 1.4950 1.4754 0.8434 0.7070 1.0865" in " ".join(page.split())
    assert "[0.4419  0.6515  0.5683]" in page
    assert "line 15 ×6" in page
    assert "not filled yet" in page
    last = rows_after(page, "all_context_vecs", 7)[1:]
    assert [numbers_in(row)[-3:] for row in last] == [
        ["0.4421", "0.5931", "0.5790"],
        ["0.4419", "0.6515", "0.5683"],
        ["0.4431", "0.6496", "0.5671"],
        ["0.4304", "0.6298", "0.5510"],
        ["0.4671", "0.5910", "0.5266"],
        ["0.4177", "0.6503", "0.5645"],
    ]


def test_a_program_of_plain_lists(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        "def dot(a, b):\n    return sum(x * y for x, y in zip(a, b))\n\n"
        "rows = [[1.0, 2.0], [3.0, 4.0]]\n"
        "products = [[dot(a, b) for b in rows] for a in rows]   # every row with every row\n",
    )
    page = terminal.render(working, width=80, colour=False)
    table = rows_after(page, "every row with every row", 3)
    assert table == [["0", "1"], ["0", "5.00", "11.00"], ["1", "11.00", "25.00"]]
    assert "= 1.00×1.00 + 2.00×2.00 = 5.00" in page
    assert "dot is called 4 times here; this was the first." in page


def test_a_loop_is_shown_once_with_its_line(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        "import numpy as np\ntotal = np.zeros(2)\nfor i in range(3):   # three times\n    total += np.array([1, i])\n",
    )
    page = terminal.render(working, width=80, colour=False)
    assert "  for i in range(3):" in page
    assert "  three times\n" in page
    assert "×3" in page
    assert "[3.00  3.00]" in page


def test_a_script_that_stopped_says_so_first(tmp_path: Path) -> None:
    working = script(tmp_path, "x = 1.5\ny = x * 2\n")
    working.source.error = "the script raised ValueError: no [bold]"
    page = terminal.render(working, width=80, colour=False)
    assert page.split("\n")[2].startswith("Stopped: the script raised ValueError: no [bold]. What was recorded")


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([0.25, 0.5], ["  [0.25  0.50]"]),
        ([1, 20, -3], ["  [1  20  −3]"]),
        ([True, False], ["  [true  false]"]),
        ([np.nan, np.inf, -np.inf], ["  [NaN  ∞  −∞]"]),
        (np.zeros((0, 3)), ["  empty: an array of 0 × 3 numbers"]),
        ([[1, 2], [3, 4]], ["     0  1", "  0  1  2", "  1  3  4"]),
    ],
)
def test_values_of_every_kind(value: object, expected: list[str]) -> None:
    working = one_value(value)
    lines = terminal.render_value(working, working.find("V"), width=80).split("\n")
    assert lines[1:-1] == expected


def test_an_array_with_three_axes_is_shown_slice_by_slice() -> None:
    working = one_value(np.arange(8).reshape(2, 2, 2), (["head 1", "head 2"], None, None))
    page = terminal.render_value(working, working.find("V"))
    assert "  V[head 1]\n     0  1\n  0  0  1\n  1  2  3\n  V[head 2]\n     0  1\n  0  4  5\n  1  6  7\n" in page


def test_of_a_large_array_the_corners_are_shown() -> None:
    working = one_value(np.arange(10_000).reshape(100, 100))
    page = terminal.render_value(working, working.find("V"), width=60)
    lines = page.split("\n")
    assert lines[2].split()[:3] == ["0", "0", "1"]
    assert lines[2].split()[-1] == "99"
    assert lines[-3].split()[0] == "99"
    assert lines[-3].split()[-1] == "9999"
    assert "100 × 100 numbers, not all shown" in page
    assert widest(page) <= 60


def test_a_number_is_one_line() -> None:
    working = four_words()
    found = working.find("plain.weights[Apple, fell]")
    assert terminal.render_value(working, found) == "plain.weights[Apple, fell] = 0.216\n"


def test_arithmetic_to_its_sources() -> None:
    working = four_words()
    found = working.at("projected.scaled_scores[Apple, shares]")
    page = terminal.render_arithmetic(working, found, colour=False, width=80)
    assert [line.split("   ")[0] for line in page.split("\n")] == [
        "in projected",
        "queries[Apple, 0] = 1.00×0.00 + 0.20×1.00 = 0.20",
        "queries[Apple, 1] = 1.00×1.00 + 0.20×0.00 = 1.00",
        "scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02",
        "scaled_scores[Apple, shares] = 1.02 / √2 ≈ 1.02 / 1.414 ≈ 0.721",
        "",
    ]


# -- form -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("depth", ["sentences", "steps", "numbers"])
def test_nothing_is_wider_than_the_width(width: int, depth: str) -> None:
    for working in (four_words(), record_script(SCRIPTS / "first_text.py")):
        assert widest(terminal.render(working, depth=depth, width=width, colour=False)) <= width


def test_narrow_pages_keep_every_column_of_four() -> None:
    page = terminal.render(four_words(), width=40, colour=False)
    assert [numbers_in(row)[:4] for row in rows_after(page, "plain.weights", 5)[1:]] == TABLE_1


def test_colour_adds_escapes_and_changes_no_number() -> None:
    plain = terminal.render(four_words(), width=80, colour=False)
    coloured = terminal.render(four_words(), width=80, colour=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert widest(stripped) <= 80
    assert stripped.split() == [word for word in plain.split() if word not in BLOCKS.strip()]


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in terminal.render(four_words(), width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in terminal.render(four_words(), width=80)


def test_weights_are_shaded_by_their_share_of_the_heaviest() -> None:
    page = terminal.render(four_words(), width=80, colour=False)
    assert "shares   0.361 █  0.202 ▄  0.227 ▅  0.210 ▅" in page


def test_labels_with_markup_and_control_characters() -> None:
    labels = ["[red]x[/red]", "a\x1b[31mb", "日本語", " the", "", "two\nlines"]
    working = one_value(np.arange(36).reshape(6, 6), (labels, labels))
    for colour in (False, True):
        page = terminal.render(working, width=120, colour=colour)
        assert "[red]x[/red]" in page
        assert "\x1b[31m" not in page
        assert "␣the" in page
        assert "two⏎lines" in page
    assert widest(terminal.render(working, width=60, colour=False)) <= 60


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=30), min_size=2, max_size=5), st.sampled_from([40, 80, 120]))
def test_no_label_breaks_the_page(labels: list[str], width: int) -> None:
    count = len(labels)
    working = one_value(np.arange(count * count).reshape(count, count) / 7, (labels, labels))
    page = terminal.render(working, width=width, colour=False)
    assert widest(page) <= width
    assert all(character.isprintable() or character == "\n" for character in page)


def test_every_part_of_what_is_returned_is_shown() -> None:
    def several(q: Any, e: Any) -> Any:
        return q @ e, q - e, q[0, 0] * 2

    page = terminal.render(wk.show(several, np.array([[1.0, 2.0], [3.0, 4.0]]), np.eye(2) / 2), width=100)
    for line in ("matmul[0, 1] = 1.00×0.00 + 2.00×0.50 = 1.00", "subtract[0, 1] = 2.00 − 0.00 = 2.00", "1.00×2 = 2.00"):
        assert line in page


def test_a_function_without_a_name_is_not_given_the_value_of_what_it_gets() -> None:
    def doubled(x: float) -> float:
        f = lambda t: t * 3 + 1  # noqa: E731 - it is the lambda that is looked at
        return f(x)

    page = terminal.render(wk.show(doubled, 2.0), width=100)
    assert "2.00×3 + 1 = 7.00" in page
    assert "= 2.00\n" not in page.replace("x = 2.00", "")


def test_only_conditions_decide() -> None:
    def least(x: Any) -> Any:
        if x.sum() > 0:
            return min(x.tolist(), key=abs) * 2.0
        return 0.0

    page = terminal.render(wk.show(least, np.array([1.0, -0.5])), width=100)
    assert page.count("was true") == 1
    assert "was false" not in page


def test_numbers_written_out_are_not_said_twice(tmp_path: Path) -> None:
    page = terminal.render(script(tmp_path, "z = 0.123456789\np = q = 0.5\na, b = 1.5, 2.5\n"), colour=False)
    said = [line.split("  ")[1] for line in page.splitlines() if " · line " in line]
    assert said == ["z = 0.123456789", "p = 0.50", "q = 0.50", "a = 1.50", "b = 2.50"]


def test_the_example_of_a_line_is_a_number_that_it_made(tmp_path: Path) -> None:
    source = "import numpy as np\ng = [[1, 2], [3, 4]]\ng[0][1] += 5\ng[1][0] *= 3\na = np.ones((2, 2))\n"
    page = terminal.render(script(tmp_path, source + "a[1, 0] = 2.0 * 3.0\n"), colour=False)
    assert "g[0][1] = 2 + 5 = 7" in page
    assert "g[1, 0] = 3×3 = 9" in page
    assert "a[1, 0] = 2.00×3.00 = 6.00" in page


def test_a_long_printed_line_breaks_between_its_numbers(tmp_path: Path) -> None:
    page = terminal.render(script(tmp_path, "x = [0.123456789012345] * 8\nprint(x)\n"), colour=False, width=60)
    printed = page.partition("Printed")[2].partition("Conventions")[0]
    assert printed.count("0.123456789012345") == 8
    assert widest(page) <= 60


def test_an_object_that_holds_numbers_is_not_one_of_them(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    source = "import copy\nimport torch\na = torch.nn.BatchNorm1d(2)\nb = copy.deepcopy(a)\n"
    page = terminal.render(script(tmp_path, source), colour=False)
    assert "b = copy.deepcopy(a) " in page
    assert "[0.00  0.00]" not in page
    assert "= 0" not in page


def test_places_of_a_dictionary_are_shown_by_their_names(tmp_path: Path) -> None:
    source = (
        "import numpy as np\np = {'W': np.eye(2), 'b': 0.5}\nold = {k: v for k, v in p.items()}\n"
        "p['b'] *= 3.0\ncounts = {}\nfor w in 'a b c d e f g h i j a'.split():\n    counts[w] = counts.get(w, 0) + 1\n"
    )
    page = terminal.render(script(tmp_path, source), colour=False)
    assert "p[b] = 0.50×3.00 = 1.50" in page
    assert "p.W · line 2" in page
    assert "counts[a] = 0 + 1 + 1 = 2" in page
    assert "counts[h] = 0 + 1 = 1" in page
    assert "counts[i] = " not in page
    told = "2 more places of the same line have their addresses too: counts[i], counts[j], …"
    assert told in " ".join(page.split())


def test_a_condition_of_several_parts_is_told_part_by_part(tmp_path: Path) -> None:
    source = "p = 2.5\nboth = p > 1 and p < 2\nif p > 2:\n    q = p + 1\nr = 1.0 if p > 1 and p < 2 else 0.0\n"
    page = terminal.render(script(tmp_path, source), colour=False)
    decided = page.partition("Decided by these numbers")[2]
    assert "line 2  2.50 > 1 was true" in decided
    assert "line 3  p > 2 was true" in decided
    assert "line 5  2.50 < 2 was false" in decided
    assert "both" not in decided
