"""A tokeniser's folder: what is in it, that it comes back, and what is said of a damaged one."""

import hashlib
import json
from pathlib import Path

import pytest

from workings.text import KINDS, Specials, TextError, Tokeniser

TEXT = "the quick brown fox jumps over the lazy dog; the dog sleeps\n"


def trained(kind: str) -> Tokeniser:
    return Tokeniser.train(kind, [TEXT], 280 if kind in ("bpe", "unigram") else None, Specials(others=("<mask>",)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trained("bpe").save(tmp_path / "tokeniser")
    return tmp_path / "tokeniser"


@pytest.mark.parametrize("kind", KINDS)
def test_it_comes_back(kind: str, tmp_path: Path) -> None:
    saved = trained(kind)
    saved.save(tmp_path / "a" / "b")
    loaded = Tokeniser.load(tmp_path / "a" / "b")
    assert (loaded.kind, len(loaded), loaded.specials) == (saved.kind, len(saved), saved.specials)
    assert loaded.pieces(range(len(loaded))) == saved.pieces(range(len(saved)))
    assert loaded.fingerprint == saved.fingerprint
    assert loaded.encode(TEXT + " €<end>") == saved.encode(TEXT + " €<end>")
    assert (loaded.padding, loaded.end, loaded.special("<mask>")) == (saved.padding, saved.end, saved.special("<mask>"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_folder_holds_json_and_nothing_else(kind: str, tmp_path: Path) -> None:
    trained(kind).save(tmp_path)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == ({"description.json", "tokenizer.json"} if kind in ("bpe", "unigram") else {"description.json"})
    for file in tmp_path.iterdir():
        json.loads(file.read_bytes())


def test_no_tokeniser_there(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"description\.json: no tokeniser is found: no such file"):
        Tokeniser.load(tmp_path)


@pytest.mark.parametrize("name", ["description.json", "tokenizer.json"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_file_cut_short(folder: Path, name: str, share: float) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(len(content) * share)])
    with pytest.raises(TextError, match=rf"{name}: the tokeniser is damaged: .*train it again"):
        Tokeniser.load(folder)


def test_a_file_that_is_missing(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with pytest.raises(TextError, match=r"tokenizer\.json: the tokeniser is damaged: no such file"):
        Tokeniser.load(folder)


def test_files_of_two_tokenisers(folder: Path, tmp_path: Path) -> None:
    Tokeniser.train("bpe", ["other text"], 280).save(tmp_path / "other")
    (folder / "tokenizer.json").write_bytes((tmp_path / "other" / "tokenizer.json").read_bytes())
    with pytest.raises(TextError, match=r"not the file that description\.json was written with"):
        Tokeniser.load(folder)


def test_another_format(folder: Path) -> None:
    described = json.loads((folder / "description.json").read_text())
    (folder / "description.json").write_text(json.dumps({**described, "format": 2}))
    with pytest.raises(TextError, match="a tokeniser of format 2; expected format 1"):
        Tokeniser.load(folder)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("bpe", {"kind": "wordpiece"}),
        ("bpe", {"kind": "unigram"}),
        ("bpe", {"specials": ["<a>"]}),
        ("bpe", {"specials": {"padding": "<a>", "begin": "<a>", "end": "b", "unknown": "c", "others": []}}),
        ("bpe", {"specials": {"padding": "<a>", "begin": "<b>", "end": "<c>", "unknown": "<d>", "others": []}}),
        ("word", {"words": ["the", "the"]}),
        ("word", {"words": ["two words"]}),
        ("word", {"words": [1]}),
        ("word", {"words": None}),
        ("character", {"alphabet": "aa"}),
        ("character", {"alphabet": ["ab"]}),
    ],
)
def test_contents_that_cannot_be(kind: str, change: dict[str, object], tmp_path: Path) -> None:
    trained(kind).save(tmp_path)
    described = json.loads((tmp_path / "description.json").read_text())
    (tmp_path / "description.json").write_text(json.dumps({**described, **change}))
    with pytest.raises(TextError, match="the tokeniser is damaged"):
        Tokeniser.load(tmp_path)


@pytest.mark.parametrize("change", [{"pre_tokenizer": None}, {"normalizer": {"type": "Lowercase"}}, {"model": {}}])
def test_a_library_file_that_is_not_ours(folder: Path, change: dict[str, object]) -> None:
    content = json.dumps({**json.loads((folder / "tokenizer.json").read_text()), **change}).encode()
    (folder / "tokenizer.json").write_bytes(content)
    described = json.loads((folder / "description.json").read_text())
    described["digest"] = hashlib.sha256(content).hexdigest()
    (folder / "description.json").write_text(json.dumps(described))
    with pytest.raises(TextError, match="the tokeniser is damaged"):
        Tokeniser.load(folder)


def test_a_full_disk_leaves_the_old_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = Tokeniser.load(folder).fingerprint
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TextError, match="cannot be written: no space left on device"):
        Tokeniser.train("bpe", ["other text"], 280).save(folder)
    monkeypatch.undo()
    assert Tokeniser.load(folder).fingerprint == before
    assert sorted(file.name for file in folder.iterdir()) == ["description.json", "tokenizer.json"]
