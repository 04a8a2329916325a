"""The page of a what-if: the change, what moved most and by how much, before and after, and what could not be done."""

import re
from pathlib import Path

from workings.views import terminal

from .support import four_words, numbers_in, script, widest


def test_the_change_and_what_moved_most() -> None:
    working = four_words()
    page = terminal.render_replay(working.replay({"X[Apple]": [0.1, 1.0]}), colour=False, width=80)
    assert "What if: X[Apple] = 0.1, 1" in page
    assert "Apple    1.00     0.20    Apple    0.10     1.00" in page
    # The query of Apple swaps its axes: [0.2, 1] before, [1, 0.1] after.
    assert re.search(r"projected\.queries\[Apple, 1\] +1\.00 → 0\.10, down by 0\.90\n", page)
    assert widest(page) <= 80


def test_weights_stand_before_and_after() -> None:
    working = four_words()
    page = terminal.render_replay(working.replay({"X[Apple]": "X[shares]"}), colour=False, width=120)
    start = page.index("Before and after")
    row = next(line for line in page[start:].split("\n") if line.strip().startswith("Apple  ") and "0.401" in line)
    before, after = numbers_in(row.split())[:4], numbers_in(row.split())[4:]
    assert before == ["0.401", "0.191", "0.216", "0.191"]
    # Apple and shares are the same vector now, so that they get the same weight.
    assert after[0] == after[1]


def test_nothing_moves_where_nothing_depends(tmp_path: Path) -> None:
    working = script(tmp_path, "x = 2.5\ny = 3.5\nz = y * 2\n")
    page = terminal.render_replay(working.replay({"x": 1.0}), colour=False, width=80)
    assert "Nothing else moved." in page
    assert "x = 2.50 → 1.00" in page


def test_a_branch_that_turns_out_otherwise_is_said(tmp_path: Path) -> None:
    working = script(tmp_path, "x = 2.5\ny = x * 2\nif y > 4:\n    y = y - 1\n")
    page = terminal.render_replay(working.replay({"x": 1.0}), colour=False, width=80)
    assert "y > 4 was true before and would turn out otherwise now (line 3)" in " ".join(page.split())
    assert "run again with the change" in " ".join(page.split())


def test_frozen_values_are_named() -> None:
    working = four_words()
    replay = working.replay({"X[Apple]": [0.1, 1.0]})
    replay.frozen[working.find("plain.output").step] = "a random draw"
    page = terminal.render_replay(replay, colour=False, width=80)
    assert "Frozen: these could not be computed again" in page
    assert "a random draw" in page


def test_a_name_given_twice_says_which_was_changed(tmp_path: Path) -> None:
    working = script(tmp_path, "a = 1.0\nb = a * 2\na = 3.0\nc = a * 2\n")
    page = terminal.render_replay(working.replay({"a": 5.0}), colour=False)
    assert "a = 3.00 → 5.00" in page
    assert "a is set again elsewhere: a#1 (line 1); what was changed is this one alone." in page
    assert "elsewhere: a (line 3);" in terminal.render_replay(working.replay({"a#1": 5.0}), colour=False)


def test_what_was_changed_is_what_was_given_also_where_the_source_ran_again(tmp_path: Path) -> None:
    working = script(tmp_path, "y = 4.0\ni = 0\nwhile y > 1:\n    y /= 2\n    i += 1\nz = y + i\n")
    page = terminal.render_replay(working.replay({"y#1": 5.0}), colour=False)
    assert "y = 4.00 → 5.00" in page


def test_two_names_of_one_number_are_said(tmp_path: Path) -> None:
    working = script(tmp_path, "a = 3.0\nb = a\nc = a + b\n")
    page = " ".join(terminal.render_replay(working.replay({"b": 5.0}), colour=False).split())
    assert "a is this number's first name, and b (line 2) names the same number" in page
    assert "is changed under all of them" in page
