"""`--predict`: what is asked, how it is answered, and that the numbers told are the right ones."""

from __future__ import annotations

import io

import numpy as np
import pytest

import workings as wk


@pytest.fixture
def answers(workings, monkeypatch):
    def run(what: str, *lines: str):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return workings("show", what, "--predict")

    return run


# The second text's closing question: step made equal to journey, worked out by hand with NumPy.
def context_of_your() -> tuple[float, float]:
    rows = np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10],
                     [0.05, 0.80, 0.55]])  # fmt: skip
    out = []
    for x in (rows, np.vstack([rows[:5], rows[1:2]])):
        weights = np.exp(x @ x.T)
        out.append(float(((weights / weights.sum(axis=1, keepdims=True)) @ x)[0, 0]))
    return out[0], out[1]


def test_the_second_texts_closing_question_comes_first(answers):
    before, after = context_of_your()
    answer = answers("journey", "0.5")
    assert answer.code == 0
    question, _, rest = answer.out.partition("Your guess")
    assert f"all.contexts[Your, 0] is {before:.4f} now." in question
    assert f"It is {after:.4f}: you are {abs(after - 0.5):.4f} off." in rest


def test_a_right_guess_counts(answers):
    _, after = context_of_your()
    assert "Right: it is" in answers("journey", f"{after:.6f}").out
    assert "1 of 1 guesses were right." in answers("journey", f"{after:.4f}").out


def test_words_are_asked_for_by_name_and_what_is_no_answer_is_asked_again(answers):
    out = answers("journey", "", "", "soon", "journey").out
    assert "'soon' is no answer" in out or "is no answer; expected" in out


def test_the_end_of_the_input_shows_the_rest(answers, workings):
    whole = workings("show", "apple").out
    asked = answers("apple").out
    assert whole.splitlines()[-1] in asked
    assert "guesses were right" not in asked


@pytest.mark.parametrize("options", [("--at", "X[Apple, food]"), ("--set", "X[Apple, food] = 1"), ("-o", "a.txt")])
def test_it_asks_in_the_terminal_alone(workings, options):
    answer = workings("show", "apple", "--predict", *options)
    assert answer.code == 2
    assert "--format html" in answer.err


def test_a_question_that_names_nothing_is_the_examples_mistake(workings, tmp_path):
    text = wk.example("journey").source_text.replace("all.contexts[Your, 0]", "all.contexts[Yours, 0]")
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    answer = workings("show", "mine.toml")
    assert answer.code == 2
    assert "Yours" in answer.err
    assert "at" in answer.err


def test_what_is_no_number_to_guess_is_only_shown(answers, tmp_path):
    text = "import numpy as np\nz = np.array([1j, 2.0]) * 2\ny = np.array([1.0, 2.0]) * 2\n"
    (tmp_path / "mixed.py").write_text(text, encoding="utf-8")
    answer = answers("mixed.py", "2", "2", "2")
    assert answer.code == 0
    assert "z[0] be" not in answer.out
    assert "What will y[0] be?" in answer.out
