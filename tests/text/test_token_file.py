"""Corpora that are mapped from a file: what is in it, when it is made anew, and that nothing is lost on the way."""

import gzip
import os
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from workings.text import TextCorpus, TextError, Tokeniser, reading, token_file

TEXT = "to be, or not to be:\nthat is the question.\n" * 20
CHARACTERS = Tokeniser.train("character", [TEXT], spelled=False)
ALPHABET = sorted(set(TEXT))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    settle(path)
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "text.tokens"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Grows with each time that a cache is built."""
    done: list[Path] = []
    build = token_file._build

    def counted(files, path, tokeniser, cache):
        done.append(cache)
        build(files, path, tokeniser, cache)

    monkeypatch.setattr(token_file, "_build", counted)
    return done


def settle(path: Path) -> None:
    """As if the file had been written a minute ago."""
    then = time.time_ns() - 60_000_000_000
    os.utime(path, ns=(then, then))


def numbers_of(text: str) -> list[int]:
    return [ALPHABET.index(character) for character in text]


def test_the_file_begins_with_the_numbers(text: Path, cache: Path) -> None:
    corpus = TextCorpus.open(text, CHARACTERS, cache)
    assert isinstance(corpus.tokens, np.memmap)
    assert corpus.tokens.dtype == np.uint16
    assert corpus.tokens.tolist() == numbers_of(TEXT)
    expected = b"".join(number.to_bytes(2, "little") for number in numbers_of(TEXT))
    assert cache.read_bytes()[: len(expected)] == expected
    assert TextCorpus.open(text, CHARACTERS).tokens.tolist() == numbers_of(TEXT)
    assert [file.name for file in cache.parent.iterdir()] == ["text.tokens"]


def test_large_vocabularies_take_four_bytes(tmp_path: Path) -> None:
    alphabet = "".join(chr(0x10000 + place) for place in range(70_000))
    tokeniser = Tokeniser.train("character", [alphabet])
    (tmp_path / "text").write_text(alphabet[-3:])
    corpus = TextCorpus.open(tmp_path / "text", tokeniser, tmp_path / "tokens")
    assert corpus.tokens.dtype == np.uint32
    assert corpus.tokens.tolist() == [69_997, 69_998, 69_999]


def test_it_is_built_once(text: Path, cache: Path, builds: list[Path]) -> None:
    first = TextCorpus.open(text, CHARACTERS, cache)
    again = TextCorpus.open(text, CHARACTERS, str(cache))
    assert builds == [cache]
    assert first.digest() == again.digest()


def test_a_touched_file_is_looked_at_and_not_built_again(text: Path, cache: Path, builds: list[Path]) -> None:
    TextCorpus.open(text, CHARACTERS, cache)
    os.utime(text)
    TextCorpus.open(text, CHARACTERS, cache)
    assert len(builds) == 1


def test_another_text_tokeniser_or_format_builds_it_again(text: Path, cache: Path, builds: list[Path]) -> None:
    first = TextCorpus.open(text, CHARACTERS, cache)
    text.write_text("not" + TEXT[3:])
    changed = TextCorpus.open(text, CHARACTERS, cache)
    assert (len(builds), changed.digest() == first.digest()) == (2, False)
    assert changed.tokens.tolist() == numbers_of("not" + TEXT[3:])
    assert first.tokens.tolist() == numbers_of(TEXT)  # whoever has the old file open keeps it
    other = Tokeniser.train("character", [TEXT])
    assert TextCorpus.open(text, other, cache).digest() != changed.digest()
    assert len(builds) == 3


def test_a_change_of_the_same_size_at_the_same_time_is_seen(text: Path, cache: Path) -> None:
    now = time.time_ns()
    os.utime(text, ns=(now, now))
    TextCorpus.open(text, CHARACTERS, cache)
    text.write_text("on" + TEXT[2:])
    os.utime(text, ns=(now, now))
    assert TextCorpus.open(text, CHARACTERS, cache).tokens.tolist() == numbers_of("on" + TEXT[2:])


@pytest.mark.parametrize("damage", ["short", "empty", "description", "long"])
def test_a_damaged_cache_is_built_again(text: Path, cache: Path, damage: str, builds: list[Path]) -> None:
    TextCorpus.open(text, CHARACTERS, cache)
    whole = cache.read_bytes()
    cut = {
        "short": whole[:-9],
        "empty": b"",
        "description": whole[:-40] + b"x" * 24 + whole[-16:],
        "long": b"xx" + whole,
    }
    cache.write_bytes(cut[damage])
    assert TextCorpus.open(text, CHARACTERS, cache).tokens.tolist() == numbers_of(TEXT)
    assert len(builds) == 2


def test_a_folder_with_the_end_between_its_files(tmp_path: Path, builds: list[Path]) -> None:
    folder, cache = tmp_path / "folder", tmp_path / "tokens"
    folder.mkdir()
    (folder / "a").write_text("to")
    (folder / "b").write_bytes(gzip.compress(b"be"))
    expected = [*numbers_of("to"), CHARACTERS.end, *numbers_of("be")]
    assert TextCorpus.open(folder, CHARACTERS, cache).tokens.tolist() == expected
    assert TextCorpus.open(folder, CHARACTERS).tokens.tolist() == expected
    (folder / "c").write_text("or")
    assert len(TextCorpus.open(folder, CHARACTERS, cache)) == 8
    (folder / "c").rename(folder / "0")
    assert TextCorpus.open(folder, CHARACTERS, cache).tokens.tolist()[:2] == numbers_of("or")
    assert len(builds) == 3


@pytest.mark.parametrize("content", ["", " \n \n"])
@pytest.mark.parametrize("kept", [True, False])
def test_an_empty_text(tmp_path: Path, cache: Path, content: str, kept: bool) -> None:
    (tmp_path / "empty.txt").write_text(content)
    with pytest.raises(TextError, match=r"empty\.txt: there is no text in it; expected at least one line"):
        TextCorpus.open(tmp_path / "empty.txt", CHARACTERS, cache if kept else None)
    assert not cache.exists()


def test_an_unreadable_text_leaves_the_old_cache(text: Path, cache: Path) -> None:
    TextCorpus.open(text, CHARACTERS, cache)
    before = cache.read_bytes()
    text.write_bytes(TEXT.encode() + b"\xff")
    with pytest.raises(TextError, match=r"text\.txt, line 41: the byte 0xff"):
        TextCorpus.open(text, CHARACTERS, cache)
    text.unlink()
    with pytest.raises(TextError, match="there is no such file"):
        TextCorpus.open(text, CHARACTERS, cache)
    assert cache.read_bytes() == before
    assert [file.name for file in cache.parent.iterdir()] == ["text.tokens"]


def test_a_full_disk(text: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TextError, match=r"text\.tokens: the tokens cannot be kept there: no space left on device"):
        TextCorpus.open(text, CHARACTERS, cache)
    assert list(cache.parent.iterdir()) == []


def test_a_place_that_cannot_be_written(text: Path) -> None:
    with pytest.raises(TextError, match="cannot be kept there: not a directory"):
        TextCorpus.open(text, CHARACTERS, text / "tokens")
    with pytest.raises(TextError, match="cannot be kept there: is a directory"):
        TextCorpus.open(text, CHARACTERS, text.parent)


def test_what_a_killed_process_left_is_swept_away_in_time(text: Path, cache: Path) -> None:
    cache.parent.mkdir()
    old, young = (cache.with_name(f".text.tokens.{name}.part") for name in ("old", "young"))
    for part in (old, young):
        part.write_bytes(b"half")
    os.utime(old, (0, 0))
    TextCorpus.open(text, CHARACTERS, cache)
    assert sorted(file.name for file in cache.parent.iterdir()) == [young.name, cache.name]


def test_little_of_a_large_text_is_in_memory(text: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", 1 << 12)
    text.write_text(TEXT * 1500)
    size = text.stat().st_size
    assert size > 1_200_000
    tracemalloc.start()
    corpus = TextCorpus.open(text, CHARACTERS, cache)
    assert len(corpus) == size
    assert tracemalloc.get_traced_memory()[1] < 300_000
    tracemalloc.stop()
    assert corpus.tokens[-20:].tolist() == numbers_of(TEXT)[-20:]
