"""`%%workings` over a notebook cell, with a stand-in for IPython's shell."""

from __future__ import annotations

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


def test_a_cell_that_raises(shell, capsys):
    with pytest.raises(ZeroDivisionError):
        shell.magics["workings"]("", "x = 2.0\ny = x * 3.0\nz = y / (x - x)\n")
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
    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    module.HTML = lambda text: ("HTML", text)  # type: ignore[attr-defined]
    module.display = shown.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    shell.magics["workings"]("", CELL)
    ((kind, text),) = shown
    assert kind == "HTML"
    frame, _, plain = text.partition("</iframe>")
    assert frame.startswith('<iframe sandbox="allow-scripts')  # it runs, and cannot reach the notebook
    assert "allow-same-origin" not in frame
    assert "<table" in plain  # what is read where no script may run
    assert "<script" not in plain


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
