"""Equations as lines of text, against how a person types them."""

import pytest

from workings.equations import EQUATIONS, equation_of
from workings.reading.walk import walk
from workings.recording.operations import meaning
from workings.views.plain import plain, plain_lines

from .support import script


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{a + b}{2}", "(a + b) / 2"),
        (r"\frac{1}{d}\sum_{k=1}^{d} x_k", "(1 / d) Σ_{k=1}^d x_k"),
        (r"S = QK^{\mathsf T}", "S = Q Kᵀ"),
        (r"\sqrt{\sigma^2 + \epsilon}", "√(σ² + ε)"),
        (r"\operatorname{FFN}(\vec{x}) = W_2 \max(0, W_1\vec{x} + \vec{b}_1)", "FFN(x) = W₂ max(0, W₁x + b₁)"),
        (r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}", "M_ij = { 0 if j ≤ i; −∞ if j > i }"),
        (r"\hat{v} = \operatorname*{arg\,max}_v z_v", "v̂ = arg max_v z_v"),
    ],
)
def test_a_formula_on_one_line(latex: str, expected: str) -> None:
    assert plain(latex) == expected


def test_aligned_rows_and_separate_formulas_have_lines_of_their_own() -> None:
    assert plain_lines(r"\begin{aligned} a &= b \\ c &= d \end{aligned}") == ["a = b", "c = d"]
    assert plain_lines(r"a = b, \qquad c = d") == ["a = b", "c = d"]


@pytest.mark.parametrize("name", list(EQUATIONS))
def test_every_equation_is_plain_text(name: str) -> None:
    description = equation_of(EQUATIONS[name])
    assert description is not None
    text = plain(description.latex)
    assert "\\" not in text
    assert "&" not in text
    assert all(character.isprintable() for character in text)
    assert text.count("(") == text.count(")")


def test_running_variables_are_not_what_a_line_makes(tmp_path):
    working = script(
        tmp_path,
        "class Head:\n    def __init__(self, seed):\n        self.weight = seed * 0.5\n\n"
        "def columns(B):\n    return [[sum(column) for column in zip(*B)] for _ in range(2)]\n\n"
        "heads = [Head(i) for i in range(2)]\nC = columns([[1.0, 2.0], [3.0, 4.0]])\n",
    )
    entries = list(walk(working).entries())
    heads = [e for e in entries if e.site is not None and e.site.text.startswith("heads")]
    assert heads == []
    returned = [e for e in entries if e.site is not None and e.site.text.startswith("return [[")]
    assert all(v.name != "column" for e in returned for v in e.values)
    page = str(working)
    assert "__init__" in page


def test_a_call_that_is_not_opened_is_not_said_to_be_followed(tmp_path):
    working = script(tmp_path, "import numpy as np\nA = np.eye(2) * 2.0\nvalues, vectors = np.linalg.eig(A)\n")
    assert any(meaning.kind(step) == "opaque" for step in working.steps)
    assert [loss.kind for loss in working.lost] == ["opaque", "opaque"]
    assert "Every number was followed" not in str(working)


def test_a_call_whose_form_is_not_worked_out_is_not_said_to_be_followed(tmp_path):
    pytest.importorskip("torch")
    working = script(
        tmp_path,
        "import numpy as np\nimport torch\nA = np.eye(2) * 2.0\nsize = np.linalg.norm(A, 'nuc')\n"
        "other = torch.linalg.matrix_norm(torch.tensor(A), 'nuc')\n",
    )
    assert {step.dtype for step in working.steps if step.operation == "norm"} == {"float64"}
    listed = str(working).partition("Not followed")[2]
    assert "numpy.linalg.norm, line 4" in listed
    assert "aten._linalg_svd.default, line 5" in listed
    assert "Every number was followed" not in str(working)
