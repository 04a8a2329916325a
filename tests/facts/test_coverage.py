"""The page of coverage: up to date, every command of it runs, and every test it names is there."""

import ast
import contextlib
import importlib.util
import io
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from workings.cli import main
from workings.equations import EQUATIONS, equation_of

ROOT = Path(__file__).parents[2]


def generator():
    """docs/coverage.py as a module."""
    spec = importlib.util.spec_from_file_location("coverage_page", ROOT / "docs" / "coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


COVERAGE = generator()
ROWS = [row for text in COVERAGE.texts().values() for row in COVERAGE.rows(text)]
NEED_TORCH = ("second_text.py", "experiment leak", "experiment heads", "shakespeare", "bible-en-es", "paper-base")
SHOWN = [row for row in ROWS if row.due == "show"]


def test_the_page_is_up_to_date():
    assert COVERAGE.main(["--check"]) == 0, "write it with: python docs/coverage.py"


def test_every_entry_stands_in_one_part_of_its_text():
    for name, text in COVERAGE.texts().items():
        for row in COVERAGE.rows(text):
            assert COVERAGE.part_of(name, row)


def test_every_due_is_known():
    assert {row.due for row in ROWS} <= {"show", *COVERAGE.TO_COME}


def test_what_is_shown_has_a_command_and_a_test():
    assert [row.id for row in SHOWN if not (row.command and row.test)] == []


def test_what_is_to_come_has_no_command_yet():
    assert [row.id for row in ROWS if row.due != "show" and row.command] == []


@cache
def names_in(file: str) -> set[str]:
    """The tests of a file by their ids, without their parameters."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return {name for name in found if name.rpartition("::")[2].startswith("test")}


@pytest.mark.parametrize("test", sorted({row.test for row in ROWS if row.test}))
def test_the_test_is_there(test):
    file, _, name = test.partition("::")
    assert name in names_in(file)


@pytest.mark.parametrize("command", sorted({row.command for row in SHOWN}))
def test_the_command_runs(command, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    program, *arguments = shlex.split(command)
    assert program == "workings"
    if "-o" in arguments:  # what it writes goes beside the tests, not into the repository
        place = arguments.index("-o") + 1
        arguments[place] = str(tmp_path / arguments[place])
    if any(name in command for name in NEED_TORCH):
        pytest.importorskip("torch")
    output, errors, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code or 0
    assert (code, errors.getvalue()) == (0, "")
    assert output.getvalue().strip()


def test_every_numbered_equation_of_the_first_text_is_one_of_ours_or_given():
    """(2) and (7) are matrices of the example: their numbers are among the printed ones."""
    ours = {number for function in EQUATIONS.values() for number in equation_of(function).number}
    assert ours == {number for number in range(1, 16) if number not in (2, 7)}
    listed = {row.id for row in ROWS if row.id.startswith("equation-")}
    assert listed == {f"equation-{number}" for number in range(1, 16)}
    assert {"matrix-2", "matrix-7.W_Q", "matrix-7.queries"} <= {row.id for row in ROWS}
