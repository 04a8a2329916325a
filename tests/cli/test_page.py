"""`workings show ... --format html`: what is written, and what is refused."""

from __future__ import annotations

import pytest

import workings as wk
from workings.views.live.page import render


def test_a_page_is_written(workings, tmp_path):
    assert workings("show", "apple", "-o", "apple.html").code == 0
    page = (tmp_path / "apple.html").read_text(encoding="utf-8")
    assert page == render(wk.example("apple").run())
    assert page.startswith("<!doctype html>")
    assert workings("show", "apple", "--format", "html").out.startswith("<!doctype html>")


def test_another_sentence_and_a_change(workings, tmp_path):
    assert workings("show", "apple", "shares fell Apple", "--set", "X[Apple] = 0.1, 1.0", "-o", "a.html").code == 0
    expected = render(wk.example("apple").run("shares fell Apple"), changes={"X[Apple]": [0.1, 1.0]})
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--at", "X[Apple, food]"), "--at with --format html"),
        (("--set", "X[aple] = 1, 2"), "did you mean Apple"),
        (("--set", "X[Apple] = 1, 2, 3"), "3 numbers"),
        (("--depth", "step"), "did you mean --depth steps?"),
    ],
)
def test_what_is_refused_writes_nothing(workings, tmp_path, options, said):
    answer = workings("show", "apple", "-o", "a.html", *options)
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "a.html").exists()


def test_what_is_too_large_for_a_page_is_said(workings, tmp_path):
    (tmp_path / "large.py").write_text("import numpy as np\nx = np.ones((500, 500))\ny = x @ x\n", encoding="utf-8")
    answer = workings("show", "large.py", "-o", "large.html")
    assert answer.code == 2
    assert "too many numbers" in answer.err
    assert not (tmp_path / "large.html").exists()
