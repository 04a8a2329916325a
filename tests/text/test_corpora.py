"""Texts, pairs and labelled texts as numbers, and what is said of files that do not hold them."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from workings.text import LabelledCorpus, ParallelCorpus, TextCorpus, TextError, Tokeniser, Windows
from workings.text.parallel import parting

ENGLISH = ["A man rides.", "Two dogs run in the snow.", "A child sleeps."]
GERMAN = ["Ein Mann reitet.", "Zwei Hunde laufen im Schnee.", "Ein Kind schläft."]
TOKENISER = Tokeniser.train("bpe", ENGLISH + GERMAN, 300)


def lines(path: Path, rows: list[str], zipped: bool = False) -> Path:
    content = "".join(row + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if zipped else content)
    return path


# One text


def test_a_split_is_two_views() -> None:
    corpus = TextCorpus.of(["abcdefghij"], Tokeniser.train("character", ["abcdefghij"], spelled=False))
    first, rest = corpus.split(0.7)
    assert (first.tokens.tolist(), rest.tokens.tolist()) == ([0, 1, 2, 3, 4, 5, 6], [7, 8, 9])
    assert np.shares_memory(first.tokens, corpus.tokens)
    assert len({corpus.digest(), first.digest(), rest.digest()}) == 3
    with pytest.raises(TextError, match="a first part of 1; expected a share between 0 and 1"):
        corpus.split(1)


def test_too_small_a_part_is_named(tmp_path: Path) -> None:
    """Of ten characters a tenth is one, and the rest nine."""
    path = tmp_path / "text.txt"
    path.write_text("abcdefghij")
    whole = TextCorpus.open(path, Tokeniser.train("character", ["abcdefghij"], spelled=False))
    first, last = whole.split(0.9)
    with pytest.raises(TextError, match=r"^the last 0\.1 of .*text\.txt: a corpus of 1 token; expected at least 2"):
        Windows(last, 4)
    with pytest.raises(TextError, match=r"^the first 0\.9 of .*text\.txt: a corpus of 9 tokens; expected more"):
        Windows(first, 9).draw(np.random.default_rng(1))


def test_characters_and_words_of_a_part_are_counted() -> None:
    text = "Zwei Hunde  laufen\nim Schnee. " * 9000
    corpus = TextCorpus.of([text], TOKENISER)
    assert "".join(corpus.text()) == text
    assert corpus.characters() == len(text)
    assert corpus.words() == len(text.split()) == 45_000


# Pairs


@pytest.mark.parametrize("zipped", [False, True])
def test_two_files(tmp_path: Path, zipped: bool) -> None:
    source, target = lines(tmp_path / "en", ENGLISH, zipped), lines(tmp_path / "de", GERMAN, zipped)
    corpus = ParallelCorpus.read(source, target, TOKENISER)
    assert [TOKENISER.decode(corpus.source[place]) for place in range(3)] == ENGLISH
    assert [TOKENISER.decode(corpus.target[place]) for place in range(3)] == GERMAN


def test_one_file_of_two_columns(tmp_path: Path) -> None:
    path = lines(tmp_path / "pairs.tsv", [f"{one}\t{other}" for one, other in zip(ENGLISH, GERMAN, strict=True)])
    words = Tokeniser.train("word", GERMAN)
    corpus = ParallelCorpus.read(path, None, TOKENISER, words)
    assert TOKENISER.decode(corpus.source[1]) == ENGLISH[1]
    assert words.decode(corpus.target[1]) == "Zwei Hunde laufen im Schnee ."


def test_blank_and_long_pairs_are_left_out_and_counted(tmp_path: Path) -> None:
    characters = Tokeniser.train("character", ["abcd"])
    source = lines(tmp_path / "a", ["abc", "", "a", "abcd", "ab", "  "])
    target = lines(tmp_path / "b", ["ab", "a", "abcd", "a", " ", "a"])
    corpus = ParallelCorpus.read(source, target, characters, longest=4)
    assert (len(corpus), corpus.empty, corpus.too_long) == (1, 3, 2)
    assert corpus.source[0].tolist() == [0, 1, 2]  # three characters and the end: four
    with pytest.raises(TextError, match=r"no sentence pairs, but 3 blank and 3 too long; .*allow longer"):
        ParallelCorpus.read(source, target, characters, longest=2)
    empty = lines(tmp_path / "c", [])
    with pytest.raises(TextError, match="no sentence pairs, but 0 blank"):
        ParallelCorpus.read(empty, empty, characters)


def test_different_numbers_of_lines_say_where(tmp_path: Path) -> None:
    source, target = lines(tmp_path / "train.en", ENGLISH), lines(tmp_path / "train.de", GERMAN[:2])
    expected = (
        r"train\.en, line 3: 'A child sleeps\.' has no partner: of 3 lines here train\.de has 2; "
        r"expected as many lines in both; complete train\.de"
    )
    with pytest.raises(TextError, match=expected):
        ParallelCorpus.read(source, target, TOKENISER)
    with pytest.raises(TextError, match=expected):
        ParallelCorpus.read(target, source, TOKENISER)


@pytest.mark.parametrize("missing", [0, 137, 250])
@pytest.mark.parametrize("lost", [1, 3])
def test_where_lines_part_is_found_by_their_lengths(tmp_path: Path, missing: int, lost: int) -> None:
    generator = np.random.default_rng(5)
    lengths = generator.integers(5, 80, 300)
    source = ["x" * int(length) for length in lengths]
    target = ["y" * int(length * 1.2 + generator.integers(-2, 3)) for length in lengths]
    del target[missing : missing + lost]
    found = parting(lengths, np.array([len(line) for line in target]))
    assert found is not None
    assert abs(found - missing) <= 1
    with pytest.raises(TextError, match=rf"the two part near line {found + 1}: 'x+…?' beside 'y+…?'"):
        ParallelCorpus.read(lines(tmp_path / "a", source), lines(tmp_path / "b", target), TOKENISER)


def test_lines_missing_at_the_end_part_nowhere_else() -> None:
    lengths = np.random.default_rng(5).integers(5, 80, 300)
    assert parting(lengths, lengths[:-2]) is None
    assert parting(lengths, lengths[:0]) is None


@pytest.mark.parametrize(("row", "columns"), [("one", "1 column"), ("a\tb\tc", "3 columns")])
def test_columns_that_are_not_two(tmp_path: Path, row: str, columns: str) -> None:
    path = lines(tmp_path / "pairs.tsv", ["a\tb", row])
    with pytest.raises(TextError, match=rf"pairs\.tsv, line 2: {columns} in '.*'; expected 2: source, a tab, target"):
        ParallelCorpus.read(path, None, TOKENISER)


# Labelled texts

REVIEWS = [("a fine film", "good"), ("dull", "bad"), ("no, thanks", "bad"), ("splendid", "good")]


def check(corpus: LabelledCorpus) -> None:
    assert corpus.names == ("bad", "good")
    assert corpus.labels.tolist() == [1, 0, 0, 1]
    assert [TOKENISER.decode(corpus.texts[place]) for place in range(4)] == [text for text, _ in REVIEWS]
    assert corpus.histogram() == {"bad": 2, "good": 2}


def test_columns_and_named_columns(tmp_path: Path) -> None:
    rows = [f"{text}\t{label}" for text, label in REVIEWS]
    check(LabelledCorpus.read(lines(tmp_path / "a.tsv", rows, zipped=True), TOKENISER))
    check(LabelledCorpus.read(lines(tmp_path / "b.tsv", ["Sentence\tLabel", *rows, ""]), TOKENISER))
    named = ["id\tlabel\ttext", *(f"7\t{label}\t{text}" for text, label in REVIEWS)]
    check(LabelledCorpus.read(lines(tmp_path / "c.tsv", named), TOKENISER))


def test_json_lines(tmp_path: Path) -> None:
    rows = [f'{{"text": "{text}", "id": 1, "label": "{label}"}}' for text, label in REVIEWS]
    check(LabelledCorpus.read(lines(tmp_path / "a.jsonl", rows), TOKENISER))
    rows = [f'{{"sentence": "\\u00e4", "label": {label}}}' for label in ("1", "0", "1", "0")]
    corpus = LabelledCorpus.read(lines(tmp_path / "b.jsonl", rows), TOKENISER)
    assert (corpus.names, corpus.labels.tolist()) == (("0", "1"), [1, 0, 1, 0])
    assert TOKENISER.decode(corpus.texts[0]) == "ä"


def test_labels_of_training_are_those_of_testing(tmp_path: Path) -> None:
    corpus = LabelledCorpus.read(lines(tmp_path / "test.tsv", ["fine\tgood"]), TOKENISER, ("bad", "good"))
    assert corpus.labels.tolist() == [1]
    with pytest.raises(TextError, match=r"line 2: the label 'god'; expected 'bad' or 'good'; did you mean 'good'"):
        LabelledCorpus.read(lines(tmp_path / "test.tsv", ["fine\tgood", "fine\tgod"]), TOKENISER, ("bad", "good"))


def test_labels_seen_once_are_said(tmp_path: Path) -> None:
    rows = [f"{text}\t{label}" for text, label in [*REVIEWS, ("nice", "godo")]]
    with pytest.raises(TextError, match=r"1 of 3 labels is seen once: 'godo' \(.*a\.tsv, line 5\); .*'good'"):
        LabelledCorpus.read(lines(tmp_path / "a.tsv", rows), TOKENISER)
    turned = [f"{label}\t{text}" for text, label in REVIEWS]
    with pytest.raises(TextError, match=r"4 of 4 labels are seen once: .*, …; .*are the two columns swapped\?"):
        LabelledCorpus.read(lines(tmp_path / "b.tsv", turned), TOKENISER)
    with pytest.raises(TextError, match=r"line 1: the label 'a fine film'; .*its text is a label: are the two columns"):
        LabelledCorpus.read(lines(tmp_path / "b.tsv", turned), TOKENISER, ("bad", "good"))
    named = ["label\ttext", *turned]
    assert LabelledCorpus.read(lines(tmp_path / "d.tsv", named), TOKENISER).histogram() == {"bad": 2, "good": 2}
    with pytest.raises(TextError, match=r"line 1: the only label is 'good'; expected at least two"):
        LabelledCorpus.read(lines(tmp_path / "c.tsv", ["a\tgood", "b\tgood"]), TOKENISER)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], r"a: there are no labelled texts in it"),
        (["fine\tgood", "fine good"], r"a, line 2: 1 column in 'fine good'; expected 2: text, label"),
        (["fine\tgood", "fine\t"], r"a, line 2: 'fine' has no label"),
        (["fine\tgood\tx"], r"a, line 1: 3 columns"),
        (['{"text": "a", "label": 1', ""], r"a, line 1: a line that is no JSON"),
        (['{"text": "a", "lable": 1}'], r"a, line 1: an object with the keys 'text', 'lable'; expected 'text' and"),
        (['{"text": 3, "label": 1}'], r"a, line 1: text '3', label 1; expected a string, and a string or number"),
        (['{"text": "a", "label": null}'], r"a, line 1: text 'a', label None"),
        (['{"text": "a", "label": ' + "[" * 100_000], r"a, line 1: (JSON nested too deeply|a line that is no JSON)"),
    ],
)
def test_lines_that_hold_no_labelled_text(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(TextError, match=said):
        LabelledCorpus.read(lines(tmp_path / "a", rows), TOKENISER)


def test_long_texts_are_cut_and_counted(tmp_path: Path) -> None:
    characters = Tokeniser.train("character", ["abcd"])
    corpus = LabelledCorpus.read(lines(tmp_path / "a", ["abcd\tx", "ab\tx", "abc\ty", "a\ty"]), characters, longest=4)
    assert corpus.texts.lengths.tolist() == [2, 2, 2, 1]  # with begin and end: four
    assert corpus.truncated == 2


# Parts of them


def test_a_part_held_out(tmp_path: Path) -> None:
    pairs = [(f"{number} ride", f"{number} reiten") for number in range(50)]
    corpus = ParallelCorpus.of(pairs, TOKENISER)
    rest, part = corpus.held_out(0.2, seed=3)
    assert (len(rest), len(part)) == (40, 10)
    decoded = [
        (TOKENISER.decode(one.source[place]), TOKENISER.decode(one.target[place]))
        for one in (rest, part)
        for place in range(len(one))
    ]
    assert sorted(decoded) == sorted(pairs)
    assert decoded != pairs
    assert corpus.held_out(0.2, seed=3)[1].digest() == part.digest()
    assert corpus.held_out(0.2, seed=4)[1].digest() != part.digest()
    labelled = LabelledCorpus.read(lines(tmp_path / "a", [f"{n}\t{n % 2}" for n in range(50)]), TOKENISER)
    rest_of_labelled, part_of_labelled = labelled.held_out(0.5, seed=3)
    for one in (rest_of_labelled, part_of_labelled):
        for place in range(25):
            assert int(TOKENISER.decode(one.texts[place])) % 2 == one.labels[place]
    with pytest.raises(TextError, match=r"^a share of 0\.001 of 50 examples is 0"):
        corpus.held_out(0.001, seed=3)
    with pytest.raises(TextError, match=r"^.*a: a share of 0\.001 of 50 examples is 0"):
        labelled.held_out(0.001, seed=3)
