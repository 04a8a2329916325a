"""Loops turn by turn on the page, in Chromium: the bar, the board of a generation loop, and what follows a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.views.live.running import far
from tests.views.live.test_page import until, values
from tests.views.support import script
from tests.views.test_turns import JOURNEY, SCORES

import workings as wk
from workings.recording.working import Working
from workings.views.live.page import render

Open = Callable[..., Any]
WORDS = ["Apple", "shares", "fell", "sharply", "end"]
E = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]])
W_OUT = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [0, 3, 3]])
B = np.array([0.0, 0, 0, 0, -1])


def probabilities(ids: list[int], W_out: np.ndarray[Any, Any] = W_OUT) -> np.ndarray[Any, Any]:
    """What comes after a prefix: attention whose queries are three times the vectors, then a softmax over the words."""
    X = E[ids]
    exponentials = np.exp(3 * X[-1] @ X.T / np.sqrt(3))
    logits = W_out @ (exponentials / exponentials.sum() @ X) + B
    return np.exp(logits) / np.exp(logits).sum()  # type: ignore[no-any-return]


def written(turns: int, W_out: np.ndarray[Any, Any] = W_OUT) -> list[list[int]]:
    """The prefixes of a greedy loop, and the text after it."""
    texts = [[0]]
    for _ in range(turns):
        texts.append([*texts[-1], int(np.argmax(probabilities(texts[-1], W_out)))])
    return texts


@pytest.fixture(scope="module")
def next_token() -> Working:
    return wk.example("next-token").run()


@pytest.fixture(scope="module")
def next_token_page(next_token: Working) -> str:
    return render(next_token)


class Bar:
    """The bar of the first loop that is seen, and its turns."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.loop = page.locator("article:not([hidden]) .turns").first

    def press(self, name: str) -> None:
        self.loop.locator(".bar-of-turns button", has_text=name).first.click(
            force=True
        )  # also one that does nothing now

    def said(self) -> str:
        return str(self.loop.get_by_role("status").first.inner_text())

    def board(self) -> tuple[str, list[tuple[str, str]], str, str]:
        """The text before, the candidates with their probabilities, the word chosen and the text after."""
        board = self.loop.locator(".turn:not([hidden]) .board")
        before, chosen, after = board.locator("b").all_inner_texts()
        rows = [tuple(row.locator("th, td").all_inner_texts()[:2]) for row in board.locator("tbody tr").all()]
        return before, rows, chosen, after


def expected(ids: list[int], W_out: np.ndarray[Any, Any] = W_OUT) -> tuple[str, list[tuple[str, str]], str, str]:
    found = probabilities(ids, W_out)
    order = sorted(range(5), key=lambda word: (-found[word], word))
    rows = [(WORDS[word], f"{found[word]:.3f}") for word in order]
    before = " ".join(WORDS[n] for n in ids)
    return before, rows, WORDS[order[0]], f"{before} {WORDS[order[0]]}"


def test_the_loop_is_gone_through_turn_by_turn(open_page: Open, next_token_page: str) -> None:
    page = open_page(next_token_page)
    bar = Bar(page)
    texts = written(3)
    assert bar.said() == "Turn 1 of 3"
    assert bar.board() == expected(texts[0])
    bar.press("Next")
    assert bar.said() == "Turn 2 of 3"
    assert bar.board() == expected(texts[1])
    shown = page.locator('article:not([hidden]) figure[data-name^="loop."]:visible').evaluate_all(
        "f => f.map(e => e.dataset.name)"
    )
    assert shown
    assert all(name.startswith("loop.2.") for name in shown)
    bar.press("Last")
    assert bar.board() == expected(texts[2])
    assert bar.board()[3] == "Apple shares fell sharply"
    assert bar.loop.get_by_role("button", name="Next", exact=True).get_attribute("aria-disabled") == "true"
    bar.press("Next")
    assert bar.said() == "Turn 3 of 3"
    bar.press("Back")
    assert bar.said() == "Turn 2 of 3"
    bar.press("First")
    assert bar.said() == "Turn 1 of 3"
    widths = [
        float(width)
        for width in page.locator(".turn:not([hidden]) .board rect").evaluate_all(
            "r => r.map(e => e.getAttribute('width'))"
        )
    ]
    assert far(np.array(widths[:5]) / 100, np.sort(probabilities([0]))[::-1]) < 1e-12


def test_the_bar_by_keyboard_and_by_itself(open_page: Open, next_token_page: str) -> None:
    page = open_page(next_token_page, reduced_motion="reduce")
    bar = Bar(page)
    bar.loop.get_by_role("button", name="First", exact=True).focus()
    for key, said in (("ArrowRight", 2), ("End", 3), ("ArrowLeft", 2), ("Home", 1)):
        page.keyboard.press(key)
        assert bar.said() == f"Turn {said} of 3"
    bar.press("Play")
    assert bar.said() == "Turn 1 of 3"
    until(
        page,
        "document.querySelector('article:not([hidden]) .bar-of-turns [role=status]').textContent === 'Turn 2 of 3'",
    )
    bar.press("Pause")
    assert bar.loop.get_by_role("button", name="Play", exact=True).is_visible()
    # Whoever asked for less motion sees bars that do not move.
    assert page.evaluate("getComputedStyle(document.querySelector('.board rect')).transitionDuration") == "0s"


def test_another_word_goes_into_the_turns_that_follow(
    open_page: Open, next_token: Working, next_token_page: str
) -> None:
    page = open_page(next_token_page)
    W_out = W_OUT.copy()
    W_out[2, 0] = 6  # after food, "fell" is now more probable than "shares"
    node = page.evaluate("workings.state.program.named.find(({ n }) => n === 'next.W_out').at[0]")
    page.evaluate(f"workings.state.set([[{node}, 6, 6]])")
    texts, bar = written(3, W_out), Bar(page)
    assert texts[1] == [0, 2]
    assert 4 not in texts[1] + texts[2]
    for turn, prefix in enumerate(texts[:3], 1):
        assert bar.board() == expected(prefix, W_out)
        assert far(values(page, f"loop.{turn}.next.probabilities"), probabilities(prefix, W_out)) < 1e-12
        head = bar.loop.locator(".turn:not([hidden]) h3").first.inner_text()
        assert head == f"Turn {turn}: {' '.join(WORDS[n] for n in prefix)}"
        bar.press("Next")
    rows = page.locator('article:not([hidden]) figure[data-name="loop.3.X"] tbody th').all_text_contents()
    assert rows == [WORDS[n] for n in texts[2]]
    rerun = next_token.replay({"next.W_out[fell, food]": 6.0}).rerun
    assert rerun is not None
    assert rerun["loop.ids"].value.tolist() == texts[3]


def test_a_word_that_ends_the_loop_ends_it(open_page: Open, next_token_page: str) -> None:
    page = open_page(next_token_page)
    node = page.evaluate("workings.state.program.named.find(({ n }) => n === 'next.b').at[0]")
    page.evaluate(f"workings.state.set([[{node}, 4, 9]])")  # "end" before anything else
    bar = Bar(page)
    before, rows, chosen, after = bar.board()
    total = np.exp([0, 4, 0, 0, 9]).sum()
    assert (before, rows[0], chosen, after) == ("Apple", ("end", f"{np.exp(9) / total:.3f}"), "end", "Apple end")
    assert (
        "the turns after this one are as they were" in bar.loop.locator(".turn:not([hidden]) .board .note").inner_text()
    )
    bar.press("Next")
    assert bar.board() == expected([0, 1])
    assert "as it was recorded" in bar.loop.locator(".turn:not([hidden]) .board .note").inner_text()
    page.get_by_role("button", name="Undo").click()
    assert not bar.loop.locator(".turn:not([hidden]) .board .note").is_visible()


def test_without_scripts_every_turn_can_be_read(open_page: Open, next_token_page: str) -> None:
    page = open_page(next_token_page, java_script_enabled=False)
    boards = page.locator('article[data-depth="steps"] .board:visible')
    for board, prefix in zip(boards.all(), written(3)[:3], strict=True):
        before, rows, chosen, after = expected(prefix)
        text = board.inner_text()
        assert f"The text so far: {before}\n" in text
        assert f"Chosen: {chosen}. The text that goes on: {after}" in text
        assert all(word in text and share in text for word, share in rows)
    assert page.locator('figure[data-name="loop.3.X"]:visible').count() == 1


def test_a_python_loop_has_the_same_bar(open_page: Open, tmp_path: Path) -> None:
    page = open_page(render(script(tmp_path, JOURNEY)))
    bar = Bar(page)
    for place, score in enumerate(SCORES):
        assert bar.said() == f"Turn {place + 1} of 6"
        line = bar.loop.locator(".turn:not([hidden]) .worked li:visible").first.inner_text()
        assert line.startswith(f"scores[{place}] = ")
        assert f"{float(line.split()[-1]):.4f}" == score
        assert f"i = {place}" in bar.loop.locator(".turn:not([hidden]) .same").inner_text()
        bar.press("Next")
    # The numbers of every turn follow a change: the first token's first number from 0.43 to 1.
    page.evaluate("workings.state.set([[0, 0, 1]])")
    bar.press("First")
    first = 1 * 0.55 + 0.15 * 0.87 + 0.89 * 0.66
    assert bar.loop.locator(".turn:not([hidden]) .worked li:visible").first.inner_text().endswith(f"{first:.4f}")


def test_whatever_leads_into_a_turn_shows_it(open_page: Open, next_token_page: str) -> None:
    page = open_page(next_token_page)
    bar = Bar(page)
    page.evaluate("reveal(document.querySelector('article:not([hidden]) figure[data-name=\"loop.3.X\"]'))")
    assert bar.said() == "Turn 3 of 3"
    # A value to guess is shown in its turn, and the board does not give it away.
    page.get_by_role("button", name="Predict").click()
    page.evaluate(
        """() => { const { predict } = workings.page;
        const wanted = one('article:not([hidden]) figure[data-name="loop.2.probabilities"]');
        predict.at = predict.list.findIndex(({ figure }) => figure === wanted);
        predict.ask(); }"""
    )
    assert bar.said() == "Turn 2 of 3"
    assert page.locator("form.predict").is_visible()
    assert page.locator(".board:visible").count() == 0
    page.get_by_role("button", name="Predict").click()
    assert page.locator("article:not([hidden]) .board:visible").count() == 1


def test_the_turns_stand_in_the_sentences_too(open_page: Open, next_token_page: str) -> None:
    page = open_page(next_token_page)
    page.get_by_text("sentences", exact=True).click()
    bar = Bar(page)
    bar.press("Last")
    assert bar.board() == expected(written(3)[2])


@pytest.mark.parametrize("width", [360, 1920])
def test_the_bar_fits_the_screen(open_page: Open, next_token_page: str, width: int) -> None:
    page = open_page(next_token_page, width=width)
    bar = Bar(page)
    bar.press("Next")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
