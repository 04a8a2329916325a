"""Text that ends before a stop string, of which nothing is said."""

from __future__ import annotations

import itertools

import pytest
from tests.generation.support import Letters

from workings.generation.stopping import GrowingText
from workings.text import Tokeniser


def grow(text: str, *stops: str) -> tuple[list[str], GrowingText]:
    growing = GrowingText(Letters(), stops)
    said = []
    for letter in text:
        said.append(growing.push(ord(letter) - ord("a")))
        if growing.stopped:
            break
    return [*said, growing.finish()], growing


def test_without_stops_all_is_said_at_once() -> None:
    assert grow("abc")[0] == ["a", "b", "c", ""]


def test_what_may_become_a_stop_is_kept_back() -> None:
    said, growing = grow("xabaabc", "abc")
    assert said == ["x", "", "", "ab", "a", "", "", ""]
    assert (growing.text, growing.stopped) == ("xaba", "abc")


def test_what_was_kept_back_is_said_at_the_end() -> None:
    said, growing = grow("xab", "abc")
    assert said == ["x", "", "", "ab"]
    assert (growing.text, growing.stopped) == ("xab", None)


def test_every_short_text_ends_before_its_first_stop() -> None:
    stops = ("aba", "bb", "abab")
    for length in range(7):
        for letters in itertools.product("abc", repeat=length):
            text = "".join(letters)
            said, growing = grow(text, *stops)
            ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
            # It ends as soon as one is there, and before it begins.
            begin = (
                min((text[: min(ends)].find(s) for s in stops if s in text[: min(ends)]), default=None)
                if ends
                else None
            )
            assert "".join(said) == growing.text == text[:begin]


def test_no_half_character_is_said() -> None:
    tokeniser = Tokeniser.train("bpe", ["ab ab ab"], vocabulary=262)
    growing = GrowingText(tokeniser.stream(), ["€"])
    said = [growing.push(number) for number in tokeniser.encode("aé€b")]
    assert "".join(said) == growing.text == "aé"
    assert growing.stopped == "€"
    assert said.count("") == len(said) - 2


def test_an_empty_stop_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        GrowingText(Letters(), ["a", ""])
