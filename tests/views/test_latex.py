"""The LaTeX view: it compiles with pdflatex, shades weights, and sets any label, as its code point if need be."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from workings.recording.running import record_script
from workings.views import latex
from workings.views.latex_text import escape

from .support import SCRIPTS, four_words, one_value

needs_pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
ODD = ["[red]x", "<b>|&_%#$", "\\{}~^", "日本語", "🍎\x1b[31m", "é\"'`-", " the", "", "α ≤ β − γ₁ x²", "ą đ ṭ"]


def compiled(tmp_path: Path, document: str) -> str:
    """What pdflatex says of a document; fails where it finds an error."""
    (tmp_path / "page.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    output = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, output[-1500:]
    return output


@needs_pdflatex
@pytest.mark.latex
@pytest.mark.parametrize("depth", ["sentences", "steps", "numbers"])
def test_it_compiles_and_fits_the_page(tmp_path: Path, depth: str) -> None:
    assert "Overfull" not in compiled(tmp_path, latex.render(four_words(), depth=depth))


@needs_pdflatex
@pytest.mark.latex
def test_a_script_compiles(tmp_path: Path) -> None:
    compiled(tmp_path, latex.render(record_script(SCRIPTS / "first_text.py")))


@needs_pdflatex
@pytest.mark.latex
def test_odd_text_compiles_wherever_it_stands(tmp_path: Path) -> None:
    working = one_value(np.arange(100.0).reshape(10, 10) / 7, (ODD, ODD))
    working.source.name = "".join(ODD)
    working.printed = "\n".join(["  \\end{document}", *ODD, ""])
    working.notes += ODD[:3]
    working.conventions.update({each: each for each in ODD if each})
    working.source.error = "stopped: 100% _bad_ {input} \\"
    compiled(tmp_path, latex.render(working))


def test_weights_are_shaded_and_the_largest_of_each_row_is_bold() -> None:
    page = latex.render(four_words())
    assert r"shares & \cellcolor[gray]{0.60}\textbf{0.361} & \cellcolor[gray]{0.78}0.202" in page


def test_the_body_alone_has_no_preamble() -> None:
    body = latex.render(four_words(), standalone=False)
    assert r"\documentclass" not in body
    assert r"\begin{document}" not in body
    assert body in latex.render(four_words())


def test_addresses_are_labels_once() -> None:
    page = latex.render(four_words())
    assert page.count(r"\label{projected.weights}") == 1
    assert page.count(r"\label{projected}") == 1


def test_equations_carry_their_numbers() -> None:
    assert r"\tag*{(6)(13)}" in latex.render(four_words())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", r"a\_b"),
        ("50%", r"50\%"),
        ("−0.5", "$-$0.5"),
        ("日", r"{\footnotesize[U+65E5]}"),
        ("é", "é"),
        ("\\", r"$\backslash$"),
        (" x", r"\textvisiblespace{}x"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    assert escape(text) == expected
