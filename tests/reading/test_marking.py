"""Symbols of formulas that carry data: the right ones, and the formula reads as it did."""

from __future__ import annotations

import re

import pytest

from workings.equations import EQUATIONS, equation_of
from workings.reading.formula import formula
from workings.reading.formula.marking import equation_mathml
from workings.reading.formula.mathml import mathml


def carried(math: str) -> list[tuple[str, str]]:
    """What the symbols carry, with their letters, in order."""
    parts = re.findall(r'<mrow data-value="([^"]*)">(.*?)</mrow>', math)
    return [(value, "".join(re.findall(r">([^<]+)<", f">{inner}<"))) for value, inner in parts]


def text(math: str) -> str:
    return re.sub(r"<[^>]*>", "", math)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("S = Q @ K.T / np.sqrt(d_k)", [("made S", "S"), ("Q", "Q"), ("K", "K"), ("d_k", "dk")]),
        ("W = W / W.sum(axis=1, keepdims=True)", [("made W", "W"), ("W", "W"), ("W", "W")]),
        ("Y[i] += W[i, j] * X[j]", [("made Y", "Y"), ("Y", "Y"), ("W", "W"), ("X", "X")]),
        ("scores = np.exp(scores)", [("made scores", "scores"), ("scores", "scores")]),
        ("y = softmax(x)", [("made y", "y"), ("x", "x")]),
    ],
)
def test_names_on_the_left_are_made_and_the_others_read(line: str, expected: list[tuple[str, str]]) -> None:
    found = formula(line)
    assert found is not None
    names = ("S", "W", "Y", "Q", "K", "X", "d_k", "scores", "x", "y")
    made, read = {n: {"value": f"made {n}"} for n in names}, {n: {"value": n} for n in names}
    math = found.mathml(made, read)
    assert carried(math) == expected
    assert text(math) == text(found.mathml())


def test_what_is_carried_is_escaped() -> None:
    found = formula("y = 2 * x")
    assert found is not None
    assert 'data-value="&quot;&gt;&lt;b&gt;"' in found.mathml({}, {"x": {"value": '"><b>'}})


def test_the_letters_of_an_equation() -> None:
    latex = r"Y = \operatorname{Attention}(XW^Q, K)\, W^O + X_i + \operatorname{softmax}(K^{\mathsf T}) K'"
    symbols = {"X": {"value": "x"}, "K": {"value": "k"}, "W^Q": None, "W": {"value": "w"}, "Y": {"value": "y"}}
    math = equation_mathml(latex, symbols, lambda name: {"value": name} if name == "softmax" else None)
    # W^Q is another letter than W, and so is W^O, whatever it is; K' is not K.
    assert carried(math) == [("y", "Y"), ("x", "X"), ("k", "K"), ("x", "X"), ("softmax", "softmax"), ("k", "K")]


@pytest.mark.parametrize("name", EQUATIONS)
def test_every_equation_reads_as_it_did(name: str) -> None:
    equation = equation_of(EQUATIONS[name])
    assert equation is not None
    symbols = {letter: {"value": each} for each, letter in equation.symbols.items()}
    assert text(equation_mathml(equation.latex, symbols, lambda _: {"value": ""})) == text(mathml(equation.latex))


def test_equations_of_several_lines_are_a_table_with_a_row_for_each() -> None:
    lines = r"\begin{aligned} X' &= X + A \\ Z &= X' + F \end{aligned}"
    written = equation_mathml(lines, {}, lambda name: None)
    assert written.count("<mtr>") == 2
    assert "&</mi>" not in written
