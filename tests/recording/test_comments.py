"""The comments of a source, found as Python's own tokenizer finds them."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import pytest

from workings.recording.running import record_script
from workings.recording.scopes import comments_of, without_directives

AWKWARD = """\
x = "a # in a string"  # beside one
y = \'\'\'three lines  # not this
# nor this
\'\'\' # after them
z = 'it\\\\'  # after an escaped escape
w = r"\\d#\\""  # after a raw string
# alone, with "quotes" in it
f(  # in an open bracket
    1,
)
"""


def by_tokens(text: str) -> tuple[dict[int, str], dict[int, str]]:
    beside: dict[int, str] = {}
    alone: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            before = token.line[: token.start[1]] if token.start[0] else ""
            (beside if before.strip() else alone)[token.start[0]] = without_directives(token.string.lstrip("#").strip())
    return beside, alone


def sources() -> list[Path]:
    return sorted((Path(__file__).parents[2] / "src" / "workings").rglob("*.py"))


def test_what_is_awkward() -> None:
    beside, alone = comments_of(AWKWARD)
    assert (beside, alone) == by_tokens(AWKWARD)
    assert beside == {
        1: "beside one", 4: "after them", 5: "after an escaped escape", 6: "after a raw string",
        8: "in an open bracket",
    }  # fmt: skip
    assert alone == {7: 'alone, with "quotes" in it'}


@pytest.mark.parametrize("part", range(8))
def test_our_own_sources(part: int) -> None:
    read = [path.read_text(encoding="utf-8") for path in sources()[part::8]]
    assert len(read) > 20
    for text in read:
        assert comments_of(text) == by_tokens(text)


def test_a_part_of_a_source_has_the_lines_of_the_whole() -> None:
    assert comments_of("a = 1  # one\n# above\nb = 2  # two\nc = 3  # three\n", 3, 3) == ({3: "two"}, {2: "above"})


def test_what_is_not_closed_does_no_harm() -> None:
    assert comments_of('x = "open  # one\ny = 1  # two\n')[0][2] == "two"


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("noqa", ""),
        ("noqa: E501", ""),
        ("type: ignore[no-any-return]", ""),
        ("pragma: no cover", ""),
        ("fmt: off", ""),
        ("fmt:skip", ""),
        ("%%", ""),
        ("%% [markdown]", ""),
        ("%% Load the table", "%% Load the table"),
        ("!/usr/bin/env python3", ""),
        ("-*- coding: utf-8 -*-", ""),
        ("pylint: disable=invalid-name", ""),
        ("scale the scores  # noqa: E501", "scale the scores"),
        ("scale the scores # type: ignore # noqa", "scale the scores"),
        ("noqa: E501  # scale the scores", "scale the scores"),
        ("head #3 of the matrix", "head #3 of the matrix"),
        ("type: a matrix of weights", "type: a matrix of weights"),
        ("regions of the plane", "regions of the plane"),
        ("a coding of the words", "a coding of the words"),
    ],
)
def test_what_is_said_to_tools_is_no_sentence(comment: str, said: str) -> None:
    assert without_directives(comment) == said


def test_the_comment_above_speaks_where_the_one_beside_does_not(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nx = 2.0\n"
        "# Three times\n# fmt: off\n# as much\ny = x * 3  # noqa: E501\n"
        "z = y + 1  # one more  # type: ignore\n"
    )
    working = record_script(script)
    sites = [working[name].step.site for name in "xyz"]
    assert [site.comment for site in sites if site is not None] == ["", "Three times as much", "one more"]
