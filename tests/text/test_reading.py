"""Files as text: line ends, gzip, folders, and what is said of files that are none."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.text import TextError, Tokeniser, read_lines, read_text, reading

# Characters that str.splitlines takes for line ends and that are none here.
TEXT = "one\ntwo\r\n\nthree\x0bfour\x85five\u2028six\rseven\x1ceight\nlast, without an end"
LINES = ["one", "two", "", "three\x0bfour\x85five\u2028six\rseven\x1ceight", "last, without an end"]


@pytest.mark.parametrize("zipped", [False, True])
def test_lines(tmp_path: Path, zipped: bool) -> None:
    content = TEXT.encode()
    path = tmp_path / "text"  # gzip is known by its content, not by its name
    path.write_bytes(gzip.compress(content) if zipped else content)
    assert list(read_lines(path)) == LINES
    assert "".join(read_text(path)) == TEXT


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbfone\ntwo")
    assert list(read_lines(tmp_path / "text")) == ["one", "two"]
    assert "".join(read_text(tmp_path / "text")) == "one\ntwo"


def test_a_folder_in_the_order_of_names(tmp_path: Path) -> None:
    for name, line in {"b.txt": "2", "a/z.txt": "1", "c.gz": "3", ".hidden": "no", ".git/x": "no"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(gzip.compress(line.encode()) if name.endswith("gz") else line.encode())
    assert list(read_lines(tmp_path)) == ["1", "2", "3"]


def test_parts_end_where_no_piece_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", 7)
    path = tmp_path / "text"
    tokeniser = Tokeniser.train("bpe", ["a  bb\n\n cc \t dd.\n.. e漢 " * 3], 290)

    @settings(deadline=None)
    @given(st.text(st.sampled_from(list(" \n\t\r\x1c\xa0ab.漢🙂'")), min_size=20, max_size=80))
    def same(text: str) -> None:
        path.write_bytes(text.encode())
        parts = list(read_text(path))
        assert "".join(parts) == text
        assert [number for part in parts for number in tokeniser.encode(part)] == tokeniser.encode(text)

    same()
    path.write_text("words of a text " * 100)
    assert max(map(len, read_text(path))) < 20


def test_text_without_a_space_is_parted_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", 16)
    monkeypatch.setattr(reading, "_LONGEST_CHUNK", 64)
    (tmp_path / "text").write_text("漢" * 1000)
    parts = list(read_text(tmp_path / "text"))
    assert "".join(parts) == "漢" * 1000
    assert max(map(len, parts)) <= 64 + 16


@pytest.mark.parametrize("read", [read_lines, read_text])
@pytest.mark.parametrize("chunk", [4, 1 << 20])
def test_bytes_that_are_not_utf8(read, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", chunk)
    (tmp_path / "bad.txt").write_bytes("one\ntwo €\nth".encode() + "é".encode("latin-1") + b"e\n")
    with pytest.raises(TextError, match=r"bad\.txt, line 3: the byte 0xe9, .*; expected UTF-8; convert it"):
        list(read(tmp_path / "bad.txt"))
    (tmp_path / "bad.txt").write_bytes("one\n漢".encode()[:-1])
    with pytest.raises(TextError, match=r"line 2: the byte 0xe6, .*unexpected end of data"):
        list(read(tmp_path / "bad.txt"))
    (tmp_path / "bad.txt").write_bytes("one\n".encode("utf-16"))
    with pytest.raises(TextError, match="line 1: a file in UTF-16; expected UTF-8"):
        list(read(tmp_path / "bad.txt"))


@pytest.mark.parametrize("read", [read_lines, read_text])
def test_damaged_gzip(read, tmp_path: Path) -> None:
    content = bytearray(gzip.compress(TEXT.encode() * 100))
    (tmp_path / "short.gz").write_bytes(content[:-20])
    with pytest.raises(TextError, match=r"short\.gz: the gzip file is damaged"):
        list(read(tmp_path / "short.gz"))
    content[40] ^= 255
    (tmp_path / "changed.gz").write_bytes(content)
    with pytest.raises(TextError, match=r"changed\.gz: the gzip file is damaged|not UTF-8"):
        list(read(tmp_path / "changed.gz"))


def test_no_such_file_offers_a_near_one(tmp_path: Path) -> None:
    (tmp_path / "train.en").write_text("x")
    with pytest.raises(TextError, match=r"trian\.en: there is no such file; .*did you mean 'train\.en'"):
        list(read_lines(tmp_path / "trian.en"))
    with pytest.raises(TextError, match="there is no such file"):
        list(read_text(tmp_path / "no" / "folder"))


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="a folder without files"):
        list(read_lines(tmp_path))
