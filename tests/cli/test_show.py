"""`workings show`: examples, scripts, one number, formats. The numbers are those that the two texts print."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """import numpy as np

X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6]])
S = X @ X.T  # how alike the words are
W = np.exp(S)
W = W / W.sum(axis=1, keepdims=True)
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(SCRIPT, encoding="utf-8")
    return "mine.py"


def test_apple_as_a_process(process):
    answer = process("show", "apple")
    assert (answer.code, answer.err) == (0, "")
    # Section 4 of the first text: Apple's weights, and its new vector.
    for number in ("0.206", "0.319", "0.247", "0.227", "0.358", "0.623"):
        assert number in answer.out
    assert "Conventions" in answer.out
    assert "\x1b" not in answer.out  # a pipe gets no colour


def test_journey_as_a_process(process):
    answer = process("show", "journey", "--decimals", "4")
    assert answer.code == 0
    for number in ("0.9544", "1.4950", "0.2379", "0.4419", "0.6515", "0.5683"):
        assert number in answer.out


def test_another_sentence(workings):
    answer = workings("show", "apple", "shares fell sharply Apple")
    rows = [line.split()[0] for line in answer.out.splitlines() if line.split()[:1] and "0." in line]
    assert rows.index("shares") < rows.index("fell")
    assert workings("show", "apple", "shares", "fell", "sharply", "Apple") == answer


def test_one_number_to_its_sources(workings):
    answer = workings("show", "apple", "--at", "projected.weights[Apple, shares]")
    assert answer.code == 0
    assert "0.20×0.10 + 1.00×1.00 = 1.02" in answer.out  # the text's own line
    assert "1.02 / √2" in answer.out
    assert answer.out.rstrip().splitlines()[-1].split("≈")[-1].split()[0] == "0.319"


def test_an_array_is_shown_as_a_table_that_says_how_to_ask_for_a_number(workings):
    answer = workings("show", "apple", "--at", "projected.weights")
    assert answer.code == 0
    assert "0.206" in answer.out  # Table 2, the row of Apple
    assert "0.319" in answer.out
    assert "--at 'projected.weights[Apple, Apple]'" in answer.out


def test_depth_counts_lines_back_from_a_number(workings):
    own = workings("show", "apple", "--at", "projected.scaled_scores[Apple, shares]", "--depth", "0")
    whole = workings("show", "apple", "--at", "projected.scaled_scores[Apple, shares]")
    assert "1.02 / √2" in own.out
    assert "0.20×0.10" not in own.out
    assert "0.20×0.10" in whole.out


def test_several_numbers(workings):
    answer = workings("show", "apple", "--at", "X[Apple, food]", "--at", "X[shares, food]")
    assert "X[Apple, food] = 1.00" in answer.out
    assert "X[shares, food] = 0.10" in answer.out


def test_script(process, script):
    answer = process("show", script)
    assert (answer.code, answer.err) == (0, "")
    assert "how alike the words are" in answer.out
    assert "1.00×0.10 + 0.20×1.00 = 0.30" in answer.out


def test_script_number(workings, script):
    answer = workings("show", script, "--at", "S[0, 1]")
    assert "S[0, 1] = 1.00×0.10 + 0.20×1.00 = 0.30" in answer.out


def test_depth_words(workings):
    sentences, steps, numbers = (workings("show", "apple", "--depth", d).out for d in ("sentences", "steps", "numbers"))
    assert len(sentences) < len(steps) < len(numbers)


def test_decimals(workings):
    assert (
        "≈ 0.72125"
        in workings("show", "apple", "--at", "projected.scaled_scores[Apple, shares]", "--decimals", "5").out
    )


def test_width_is_kept(workings):
    wide = workings("show", "journey", "--width", "60").out
    assert max(map(len, wide.splitlines())) <= 60


@pytest.mark.parametrize(
    ("ending", "sign"), [("txt", "Conventions"), ("md", "|"), ("tex", r"\begin{document}"), ("json", "{")]
)
def test_formats_by_the_ending_of_the_file(workings, tmp_path, ending, sign):
    assert workings("show", "journey", "-o", f"out.{ending}") == (0, "", "")
    written = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    assert sign in written
    assert workings("show", "journey", "--format", ending).out == written


def test_json_of_a_number(workings):
    answer = workings("show", "apple", "--at", "projected.scores[Apple, shares]", "--format", "json")
    (entry,) = json.loads(answer.out)["arithmetic"]
    assert entry["value"] == pytest.approx(1.02, abs=1e-15)
    assert entry["lines"][-1]["text"].endswith("0.20×0.10 + 1.00×1.00 = 1.02")


@pytest.mark.parametrize(("format", "sign"), [("md", "$$"), ("tex", r"\begin{document}")])
def test_documents_of_a_number(workings, format, sign):
    answer = workings("show", "apple", "--at", "projected.scores[Apple, shares]", "--format", format)
    assert sign in answer.out
    assert r"1.02" in answer.out


@pytest.mark.latex
def test_the_latex_of_a_number_compiles(workings, tmp_path):
    import shutil

    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex")
    workings("show", "apple", "--at", "projected.weights[Apple, shares]", "-o", "number.tex")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "number.tex"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()[-2000:]


def test_a_saved_working_is_shown_as_it_was(workings, tmp_path):
    import workings as wk

    wk.example("journey").run().save(tmp_path / "journey.workings")
    assert workings("show", "journey.workings", "--at", "X[step, 0]") == workings(
        "show", "journey", "--at", "X[step, 0]"
    )


def test_the_command_does_not_load_torch_or_matplotlib():
    code = (
        "import sys\nfrom workings.cli import main\nmain(['show', 'apple'])\n"
        "print(sorted({'torch', 'matplotlib', 'pydantic', 'jinja2'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_a_reader_that_stops_early_is_no_mistake(tmp_path):
    shell = f"'{sys.executable}' -m workings show apple | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
    assert "apple" in done.stdout


def test_a_screen_without_the_signs_gets_their_codes(process):
    answer = process(
        "show", "apple", "--at", "projected.scores[Apple, shares]", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert answer.code == 0
    assert r"0.20\xd70.10" in answer.out


def test_deep_recursion_is_shown_in_seconds(workings, tmp_path):
    text = """import numpy as np

def deeper(n, x):
    y = x * 0.5
    if n == 0:
        return y
    z = deeper(n - 1, y)
    return z + 1.0

r = deeper(120, np.array([1.0, 2.0]))
"""
    (tmp_path / "deep.py").write_text(text, encoding="utf-8")
    start = time.process_time()
    answer = workings("show", "deep.py")
    assert answer.code == 0
    assert time.process_time() - start < 15  # most of a minute where every address is compared with every other


def test_empty_arrays(workings, tmp_path):
    text = "import numpy as np\na = np.array([])\nv = a.sum() + 0.5\nw = a.prod() * 3.0\n"
    text += "c = np.zeros((2, 0)) @ np.ones((0, 2))\nd = c.sum(axis=0)\n"
    (tmp_path / "empty.py").write_text(text, encoding="utf-8")
    assert workings("show", "empty.py").code == 0
    assert workings("show", "empty.py", "--at", "v").out.rstrip().split("= ")[-1].startswith("0.50")
    assert workings("show", "empty.py", "--at", "w").out.rstrip().split("= ")[-1].startswith("3.00")


def test_json_of_a_call_that_writes_into_an_array(workings, tmp_path):
    text = "import numpy as np\ns = np.ones((2, 3))\nnp.exp(s, out=s)\n"
    (tmp_path / "into.py").write_text(text, encoding="utf-8")
    steps = json.loads(workings("show", "into.py", "--format", "json").out)["steps"]
    (into,) = [step["parameters"]["out"]["new"] for step in steps if "out" in step["parameters"]]
    assert (into["shape"], into["dtype"]) == ([2, 3], "float64")
