"""`workings explain`, `workings examples`, `workings new`."""

from __future__ import annotations

import re
import tomllib

import pytest

from workings import explain as explaining
from workings.equations import EQUATIONS


def test_an_equation_and_a_word(workings):
    out = workings("explain", "attention").out
    assert "A weighted average of the values" in out  # the word
    assert "softmax(Q Kᵀ / √d_k + M) V" in out  # the formula, to be read
    assert r"\frac{QK^{\mathsf T}}{\sqrt{d_k}}" in out  # and to be set
    assert "... t d_k" in out  # the shapes
    assert "scores = queries @ xp.matrix_transpose(keys)" in out  # the code
    assert "@equation" not in out
    assert "Scores are divided by the square root of d_k" in out  # the choices
    assert re.search(r"workings show apple +projected", out)  # who uses it
    assert "(6)(13)" in out


@pytest.mark.parametrize("name", ["(6)", "6", "equation 6", "Scaled dot-product attention", "ATTENTION"])
def test_names_of_one_equation(workings, name):
    assert "the equation `attention`" in workings("explain", name).out


def test_words_with_several_names(workings):
    assert workings("explain", "layer normalization").out == workings("explain", "Layer", "Normalisation").out
    assert "mean 0" in workings("explain", "LayerNorm").out


def test_an_operation(workings):
    out = workings("explain", "matmul").out
    assert "Rows times columns" in out
    assert "  Formula\n    A B\n  In LaTeX\n    A B\n" in out
    assert "Written as: @, numpy.matmul, matmul" in out


def test_an_operation_of_torch(workings):
    out = workings("explain", "linear").out
    assert "Every row times a matrix, plus the bias if there is one." in out
    assert "    x Wᵀ + b\n  In LaTeX\n    x W^{\\top} + b\n" in out


def test_an_equation_is_not_explained_again_as_an_operation(workings):
    assert ": an operation" not in workings("explain", "softmax").out
    assert ": an operation" in workings("explain", "norm").out  # the length of a vector, beside layer normalisation


def test_unknown_names_offer_near_ones(refused):
    assert "did you mean attention" in refused("explain", "atention")
    assert "expected an equation, an operation or a word" in refused("explain", "xyzzy")


def test_every_name_can_be_explained():
    for name in explaining.known_names():
        assert explaining.explain(name).strip(), name


def test_the_glossary_of_the_text_is_there():
    words = explaining.glossary()
    for name in (
        "embedding, token, attention, query, key, value, head, positional encoding, residual connection, "
        "layer normalisation, encoder, decoder, softmax, mask, cross-attention, temperature, teacher forcing"
    ).split(", "):
        assert name in words


def test_the_glossary_refers_to_what_exists():
    words = explaining.glossary()
    for word in words.values():
        assert set(word.equations) <= set(EQUATIONS), word.name
        assert set(word.see) <= set(words), (word.name, set(word.see) - set(words))
    names = [n for w in words.values() for n in {explaining.normal(n) for n in (w.name, *w.also)}]
    assert len(names) == len(set(names))  # no name leads to two words


def test_examples(workings):
    lines = workings("examples").out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["apple", "journey"]
    examples, models = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert all(len(line.split()) > 1 for line in examples)  # each has its title beside its name
    assert ["shakespeare" in line for line in models] == [True]


def test_new_example(process, tmp_path):
    assert process("new", "example", "mine.toml").code == 0
    tomllib.loads((tmp_path / "mine.toml").read_text(encoding="utf-8"))
    assert process("show", "mine.toml").code == 0


def test_new_example_does_not_replace(workings, refused, tmp_path):
    (tmp_path / "mine.toml").write_text("mine", encoding="utf-8")
    assert "add --force" in refused("new", "example", "mine.toml")
    assert (tmp_path / "mine.toml").read_text(encoding="utf-8") == "mine"
    assert workings("new", "example", "mine.toml", "--force").code == 0
    assert "title" in (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert "ends in .toml" in refused("new", "example", "mine.txt")


def test_it_fits_the_terminal(workings, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    said = workings("explain", "sliding window").out
    sentence = said.split("Formula")[0].splitlines()[1:]
    assert " ".join(map(str.strip, sentence)).startswith(
        "A mask that lets each token attend to near ones only, so that"
    )
    assert max(map(len, sentence)) <= 60
