"""What a user does wrong, one by one: the message names the file, the line, the key, and says what to do."""

import re

import pytest

from workings import examples

START = """title = "Mine"
sentence = "the fund fell"
axes = ["person", "money"]
decimals = 3

[embeddings]
the = [0.1, 0.2]
fund = [0.3, 0.9]
fell = [0.5, 0.4]

[[section]]
name = "first"
kind = "plain-attention"

[[section]]
name = "looking"
kind = "attention"
input = "X"
W_Q = [[0, 1], [1, 0]]
"""


def read_and_run(tmp_path, text, sentence=None):
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return examples.load(path).run(sentence)


def message(tmp_path, text, sentence=None):
    with pytest.raises(examples.ExampleError) as error:
        read_and_run(tmp_path, text, sentence)
    said = str(error.value)
    assert "mine.toml" in said
    assert "\n" not in said
    assert "Traceback" not in said
    return said


def changed(old, new):
    assert old in START
    return START.replace(old, new, 1)


def test_the_file_these_tests_spoil_is_fine(tmp_path):
    assert read_and_run(tmp_path, START)["looking.weights"].value.shape == (3, 3)


# What is spoilt, by what, and what the message must have: line, key, what was found or expected, the suggestion.
SPOILT = {
    "misspelt key at the top": ('sentence = "the', 'sentense = "the',
        ["line 2", "sentense", "did you mean 'sentence'"]),
    "missing key at the top": ('title = "Mine"\n', "", ["title", "missing", "text in quotes", "add title"]),
    "misspelt key of a section": ("W_Q =", "W_q =", ["line 19", "'looking'", "W_q", "did you mean 'W_Q'"]),
    "missing name": ('name = "looking"\n', "", ["line 15", "section 2", "name", "missing"]),
    "misspelt kind key": ('kind = "attention"', 'kimd = "attention"',
        ["line 15", "'kind' is missing", "'kimd'", "kind"]),
    "unknown kind": ('kind = "attention"', 'kind = "atention"', ["line 17", "'atention'", "did you mean 'attention'"]),
    "unknown convention": ("\n[[section]]", "\n[conventions]\nnrom = 'pre'\n[[section]]",
        ["line 12", "nrom", "'norm'"]),
    "unknown choice": ("\n[[section]]", "\n[conventions]\nnorm = 'past'\n[[section]]",
        ["line 12", "'past'", '"post"', "'post'"]),
    "single brackets": ("[[section]]", "[section]", ["line 15", "[[section]]", "two brackets"]),
    "no section": (START[START.index("[[section]]") :], "", ["section", "missing"]),
    "ragged matrix": ("[[0, 1], [1, 0]]", "[[0, 1], [1]]",
        ["line 19", "W_Q", "row 2 has 1 number", "expected 2", "equally long"]),
    "ragged table": ("fund = [0.3, 0.9]", "fund = [0.3]", ["line 8", "fund", "1 number", "expected 2", "'the'"]),
    "empty row": ("the = [0.1, 0.2]", "the = []", ["line 7", "the", "0 numbers"]),
    "not a number": ("0.9", "nan", ["line 8", "fund", "nan", "finite", "mask"]),
    "infinite number": ("[[0, 1]", "[[0, -inf]", ["line 19", "W_Q", "-inf", "finite"]),
    "text for a number": ("0.9", '"0.9"', ["line 8", "fund", "'0.9'", "number"]),
    "text for a whole number": ("decimals = 3", 'decimals = "3"', ["line 4", "decimals", "'3'", "whole number"]),
    "number for a text": ('title = "Mine"', "title = 3", ["line 1", "title", "3", "text in quotes"]),
    "truth for a number": ("0.9", "true", ["line 8", "fund", "True", "number"]),
    "a matrix where a row is due": ("[0.3, 0.9]", "[[0.3, 0.9]]", ["line 8", "fund"]),
    "too few axes": ('["person", "money"]', '["person"]', ["line 3", "axes", "1 name", "expected 2"]),
    "a word with a space": ("fund =", '"big fund" =', ["line 8", "'big fund'", "spaces"]),
    "a name twice": ('name = "looking"', 'name = "first"', ["line 16", "'first'", "taken", "first_2"]),
    "a name that no address can have": ('name = "looking"', 'name = "a.b"', ["line 16", "'a.b'", "letters"]),
    "a matrix that does not fit": ("[[0, 1], [1, 0]]", "[[0, 1, 0]]",
        ["line 19", "'looking'", "W_Q", "1 × 3", "expected 2", "2 columns"]),
    "unknown input": ('input = "X"', 'input = "Firts"',
        ["line 18", "'Firts'", "no earlier value", "did you mean 'first'"]),
    "a later input": ('kind = "plain-attention"', 'kind = "plain-attention"\ninput = "looking"',
        ["line 14", "'looking'", "no earlier value", "X"]),
    "a word of the sentence that has no row": ("the fund fell", "the found fell",
        ["line 2", "sentence", "'found'", "not in the table", "did you mean 'fund'"]),
    "an empty sentence": ("the fund fell", "", ["line 2", "sentence", "empty", "for instance 'the fund fell'"]),
    "a comma in the sentence": ("the fund fell", "the fund, fell", ["'fund,'", "write fund without"]),
    "not TOML": ("fund = [0.3, 0.9]", "fund = [0.3 0.9]",
        ["line 8", "fund = [0.3 0.9]", "not TOML", "close every bracket"]),
    "a bracket never closed": ("[1, 0]]\n", "[1, 0]\n", ["line 19", "not TOML"]),
    "decimals below zero": ("decimals = 3", "decimals = -1", ["line 4", "decimals", "-1", "from 0 to 17"]),
    "a key twice": ("decimals = 3", "decimals = 3\ndecimals = 4", ["line 5", "not TOML"]),
    "a control character": ('title = "Mine"', 'title = "Mi\\u001bne"', ["line 1", "title", "U+001B", "take it out"]),
    "a control character in a word": ("fund =", '"fu\\u0007nd" =', ["line 8", "U+0007"]),
    "a character that turns the text around": ("fund =", '"fu\\u202End" =', ["line 8", "U+202E"]),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt(tmp_path, name):
    old, new, parts = SPOILT[name]
    said = message(tmp_path, changed(old, new))
    for part in parts:
        assert part in said


def test_a_number_of_heads_that_does_not_fit(tmp_path):
    text = (
        START
        + "\n[[section]]\nname = 'heads'\nkind = 'multi-head'\nW_O = [[1, 0]]\n"
        + "[[section.heads]]\nW_Q = [[1], [0]]\nW_K = [[1], [0]]\n"
    )
    said = message(tmp_path, text)
    assert "line 24" in said
    assert "W_O" in said
    assert "expected 2" in said
    assert "the heads give 2 columns" in said


def test_an_unknown_key_of_a_head(tmp_path):
    text = (
        START + "\n[[section]]\nname = 'heads'\nkind = 'multi-head'\n[[section.heads]]\nlabel = '1'\nWQ = [[1], [0]]\n"
    )
    said = message(tmp_path, text)
    assert "line 26" in said
    assert "did you mean 'W_Q'" in said


def test_queries_and_keys_of_different_widths(tmp_path):
    said = message(tmp_path, changed("[[0, 1], [1, 0]]", "[[0], [1]]"))
    assert "keys have 2 columns" in said
    assert "expected 1, as queries have" in said


def test_a_word_of_another_sentence(tmp_path):
    said = message(tmp_path, START, "the bond fell")
    assert "'bond'" in said
    assert "the, fund, fell" in said
    said = message(tmp_path, START, "the funt fell")
    assert "did you mean 'fund'" in said


def test_a_query_with_every_key_hidden_under_the_policy_error(tmp_path):
    text = changed("W_Q =", 'hidden = ["the", "fund", "fell"]\nW_Q =') + '[conventions]\nempty = "error"\n'
    said = message(tmp_path, text)
    assert "nothing to attend to" in said
    assert 'empty = "zero"' in said
    weights = read_and_run(tmp_path, text.replace('"error"', '"zero"'))["looking.weights"].value
    assert not weights.any()


def test_not_utf_8(tmp_path):
    said = message(tmp_path, START.replace("Mine", "Möine").encode("latin-1"))
    assert "byte 10" in said
    assert "0xf6" in said
    assert "UTF-8" in said


def test_a_byte_order_mark_is_no_harm(tmp_path):
    assert read_and_run(tmp_path, b"\xef\xbb\xbf" + START.encode())


def test_a_file_of_ten_megabytes(tmp_path):
    said = message(tmp_path, "#" * (10 * 1024 * 1024))
    assert "10.0 MB" in said
    assert "at most 1 MB" in said


def test_brackets_without_end(tmp_path):
    assert re.search("nested|not TOML", message(tmp_path, "title = " + "[" * 100_000))


def test_an_empty_file(tmp_path):
    assert "missing" in message(tmp_path, "")


def test_a_folder(tmp_path):
    with pytest.raises(examples.ExampleError, match="folder"):
        examples.load(tmp_path)


def test_an_unknown_name():
    with pytest.raises(examples.ExampleError, match=r"'aple'.*apple, journey.*did you mean 'apple'"):
        examples.load("aple")


def test_markup_in_a_word_is_kept_as_text(tmp_path):
    text = START.replace("fund", '"<b>[red]$x$"', 1).replace('the "<b>[red]$x$" fell', "the <b>[red]$x$ fell")
    text = text.replace("\nfund =", '\n"<b>[red]$x$" =')
    working = read_and_run(tmp_path, text)
    assert working["X"].labels[0] == ("the", "<b>[red]$x$", "fell")


def test_a_single_section_in_single_brackets(tmp_path):
    text = START[: START.index('\n[[section]]\nname = "looking"')].replace("[[section]]", "[section]")
    said = message(tmp_path, text)
    assert "line 11" in said
    assert "expected [[section]]" in said


def test_a_date(tmp_path):
    assert "put it in quotes" in message(tmp_path, changed('title = "Mine"', "title = 2026-10-12"))


def test_a_number_beyond_all_measure(tmp_path):
    assert "line 8" in message(tmp_path, changed("0.9", "9" * 400))


def test_the_message_itself_has_no_control_characters(tmp_path):
    said = message(tmp_path, changed("fund =", '"fu\\u001b[31mnd" ='))
    assert said.isprintable()
