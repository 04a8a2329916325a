"""`%%workings` over a notebook cell, with a stand-in for IPython's shell."""

from __future__ import annotations

import json
import linecache
import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings import notebook


class Shell:
    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"np": np}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    wk.load_ipython_extension(shell)
    return shell


CELL = """X = np.array([[1.0, 0.2], [0.1, 1.0]])
S = X @ X.T  # how alike they are

def double(rows):
    twice = 2.0 * rows
    return twice

Y = double(S)
"""


def test_names_stay_bound_and_the_cell_is_shown(shell, capsys):
    shell.magics["workings"]("W", CELL)
    assert np.array_equal(shell.user_ns["Y"], 2.0 * (shell.user_ns["X"] @ shell.user_ns["X"].T))
    out = capsys.readouterr().out
    assert "how alike they are" in out
    assert "1.00×0.10 + 0.20×1.00 = 0.30" in out
    assert isinstance(shell.user_ns["W"], wk.Working)
    assert set(shell.user_ns) == {"np", "X", "S", "double", "Y", "W", "__builtins__"}


def test_functions_of_a_cell_are_plain_afterwards(shell):
    shell.magics["workings"]("W", CELL)
    steps = len(shell.user_ns["W"])
    exec("Z = double(np.ones(3))", shell.user_ns)  # a cell without the magic
    assert shell.user_ns["Z"].tolist() == [2.0, 2.0, 2.0]
    assert len(shell.user_ns["W"]) == steps


def test_classes_and_closures_of_a_cell(shell):
    cell = """class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by

def adder(n):
    def add(x):
        return x + n
    return add

scale, add = Scale(3.0), adder(1.0)
y = scale(add(2.0))
"""
    shell.magics["workings"]("", cell)
    assert shell.user_ns["y"] == 9.0
    exec("z = scale(add(4.0)); w = adder(5.0)(1.0)", shell.user_ns)
    assert (shell.user_ns["z"], shell.user_ns["w"]) == (15.0, 6.0)


def test_a_cell_uses_what_earlier_cells_made(shell, capsys):
    exec("A = np.array([1.0, 2.0])\ndef twice(x):\n    return x + x", shell.user_ns)
    shell.magics["workings"]("W", "B = twice(A) * 3.0\n")
    assert shell.user_ns["B"].tolist() == [6.0, 12.0]
    assert float(shell.user_ns["W"]["B"][1]) == 12.0
    capsys.readouterr()
    shell.magics["workings"]("", "C = B * 2.0\n")
    assert "12.00×2.00 = 24.00" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "given"),
    [("x = 2.0\nx * 21", 42.0), ("x = 2.0\nx * 21;", None), ("x = 2.0", None), ("'text'", "text"), ("", None)],
)
def test_a_last_line_that_is_an_expression_is_given_to_the_notebook(shell, cell, given):
    assert shell.magics["workings"]("", cell) == given
    assert set(shell.user_ns) <= {"np", "x", "__builtins__"}


def test_a_cell_that_raises(shell, capsys):
    with pytest.raises(ZeroDivisionError) as raised:
        shell.magics["workings"]("", "x = 2.0\ny = x * 3.0\nz = y / (x - x)\n")
    files = [entry.path.name if hasattr(entry.path, "name") else str(entry.path) for entry in raised.traceback]
    assert files[-2] == "notebook.py"  # after it the cell's own lines, without the recorder's
    assert files[-1].startswith("<workings cell")
    assert "2.00×3.00 = 6.00" in capsys.readouterr().out
    assert shell.user_ns["y"] == 6.0
    assert "__workings__" not in shell.user_ns


def test_a_cell_that_is_not_python(shell):
    with pytest.raises(SyntaxError):
        shell.magics["workings"]("", "x = (\n")


@pytest.mark.parametrize(
    ("line", "expected"), [("", ("steps", "")), ("W", ("steps", "W")), ("--depth numbers", ("numbers", "")),
                           ("W --depth sentences", ("sentences", "W"))]
)  # fmt: skip
def test_options(line, expected):
    assert notebook.options(line) == expected


@pytest.mark.parametrize("line", ["--depth", "--depth step", "two names", "not-a-name"])
def test_unknown_options(line):
    with pytest.raises(ValueError, match="expected %%workings"):
        notebook.options(line)


def test_in_a_notebook_the_working_is_formatted(shell, monkeypatch):
    shown: list[Any] = []
    package = types.ModuleType("IPython")
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    package.display = types.SimpleNamespace(display=lambda data, raw: shown.append(data))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    shell.magics["workings"]("", CELL)
    (data,) = shown
    assert "1.00×0.10 + 0.20×1.00 = 0.30" in data["text/plain"]  # for IPython's terminal
    frame, _, plain = data["text/html"].partition("</iframe>")
    assert frame.startswith('<iframe sandbox="allow-scripts')  # it runs, and cannot reach the notebook
    assert "allow-same-origin" not in frame
    assert "<table" in plain  # what is read where no script may run
    assert "<script" not in plain
    assert "<math" not in plain  # where a notebook is not trusted, that would be letters in a row
    assert '<code class="line">S = X Xᵀ</code>' in plain


def test_importing_in_a_notebook_registers_the_magic(monkeypatch):
    shell = Shell()
    package = types.ModuleType("IPython")
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    wk._in_notebook()
    assert "workings" in shell.magics


def test_a_value_shows_itself_as_a_table():
    working = wk.example("apple").run()
    text = working["projected.weights"]._repr_html_()
    assert '<td data-p="1">0.319</td>' in text
    assert '<th scope="row">Apple</th>' in text
    assert "= 0.20592" in working["projected.weights[Apple, Apple]"]._repr_html_()


def test_a_hostile_label_is_text_in_a_cell():
    hostile = "<script>alert(1)</script>"
    working = wk.show(lambda x: x * 2, np.array([1.0, 2.0]), labels={"x": ([hostile, "b"],)})
    assert hostile not in working["x"]._repr_html_()
    assert hostile not in working._repr_html_()


def test_arithmetic_and_what_if_show_themselves_as_text():
    working = wk.example("apple").run()
    line = "projected.scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02"
    shown = working["projected.scores"].arithmetic("Apple", "shares", depth=1)._repr_html_()
    assert shown.startswith("<pre style")
    assert line.partition(" ")[2] in shown
    replay = working.replay({"X[Apple]": [0.1, 1.0]})
    assert "What moved most" in replay._repr_html_()
    assert "<pre" in wk.experiment("step-as-journey").run()._repr_html_()
    assert repr(wk.example("apple")) == "<Example apple: Apple shares fell sharply>"


def test_what_is_too_large_for_the_live_page():
    working = wk.show(lambda x: x @ x, np.ones((500, 500)))
    assert working._repr_html_().startswith("<pre style")


def test_a_model_shows_where_its_heads_look():
    pytest.importorskip("torch")
    from workings.commands.model_working import working_of_run

    shown = working_of_run("shakespeare", "To be")._repr_html_()
    frame, _, plain = shown.partition("</iframe>")
    assert "What may come next" in frame
    assert "What comes next" in plain


def test_a_cell_is_not_called_by_the_name_of_its_file():
    file = "/tmp/ipykernel_7/106204338.py"
    space: dict[str, Any] = {}
    source = "def half(x):\n    return x / 2.0\n"
    exec(compile(source, file, "exec"), space)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    text = str(wk.show(space["half"], np.array([1.0, 2.0])))
    assert "function in a notebook" in text
    assert "106204338" not in text


IN_IPYTHON = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell, out = InteractiveShell.instance(), []
shell.history_manager.enabled = False
for cell in json.load(sys.stdin):
    with capture_output() as captured:
        ran = shell.run_cell(cell)
    html = [each.data.get("text/html", "") for each in captured.outputs]
    html += [shell.display_formatter.format(ran.result)[0].get("text/html", "")] * (ran.result is not None)
    out.append([html, captured.stdout, type(ran.error_in_exec or ran.error_before_exec).__name__])
json.dump(out, sys.stdout)
"""


def in_ipython(*cells: str) -> list[Any]:
    """What IPython itself makes of cells: what is shown as HTML, what is printed, the error."""
    pytest.importorskip("IPython")
    asked = [sys.executable, "-c", IN_IPYTHON]
    done = subprocess.run(asked, input=json.dumps(cells), capture_output=True, text=True, check=True, timeout=60)
    found: list[Any] = json.loads(done.stdout)
    return found


def test_in_ipython_itself():
    loaded, shown, item, raised = in_ipython(
        "import workings as wk",
        "%%workings W\nx = 2.0\ny = x * 3.0\nprint(y)\ny",
        "W['y']",
        "%%workings\nz = y / (x - x)",
    )
    assert loaded[2] == "NoneType"
    (live, *_), printed, error = shown
    assert "srcdoc" in live
    assert "2.00×3.00 = 6.00" in live.partition("</iframe>")[2]
    assert printed.startswith("6.0")
    assert printed.count("6.0") == 2  # what it prints, and what its last line gives
    assert error == "NoneType"
    assert "y = 6.0" in item[0][0]
    assert "Stopped: the cell raised ZeroDivisionError" in raised[0][0]
    assert raised[2] == "ZeroDivisionError"


def test_an_exported_notebook_runs_in_ipython(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    from workings.views import ipynb

    (tmp_path / "mine.py").write_text("import numpy as np\nX = np.eye(2) * 3.0\nY = X @ X  # squared\n")
    for working, value in ((wk.example("journey").run(), "attention"), (wk.script(tmp_path / "mine.py"), "9.00")):
        cells = [cell.source for cell in nbformat.reads(ipynb.render(working), 4).cells if cell.cell_type == "code"]
        ran = in_ipython(*cells)
        assert {error for _, _, error in ran} == {"NoneType"}
        assert any(value in html for shown, _, _ in ran for html in shown)
