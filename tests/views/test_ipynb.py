"""Notebooks: they are valid, and their cells run and give what was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings import notebook
from workings.examples import names

nbformat = pytest.importorskip("nbformat")
from workings.views import ipynb  # noqa: E402


def cells(text: str) -> list[str]:
    read = nbformat.reads(text, 4)
    nbformat.validate(read)
    return [cell["source"] for cell in read["cells"] if cell["cell_type"] == "code"]


def run(codes: list[str]) -> tuple[dict[str, Any], list[Any]]:
    """Runs cells as a notebook would; what stands alone on a last line is a result."""
    space: dict[str, Any] = {"__name__": "__main__"}
    results = []
    for code in codes:
        if code.startswith("%load_ext"):
            continue
        if code.startswith("%%workings"):
            head, _, body = code.partition("\n")
            space[head.split()[1]] = notebook.record_cell(body + "\n", space)[0]
            continue
        lines = code.splitlines()
        try:
            last = compile(lines[-1], "cell", "eval")
        except SyntaxError:
            exec(code, space)
            continue
        exec("\n".join(lines[:-1]), space)
        results.append(eval(last, space))
    return space, results


@pytest.mark.parametrize("name", names())
def test_an_example_runs_again(name: str) -> None:
    working = wk.example(name).run()
    space, results = run(cells(ipynb.render(working)))
    again = space["working"]
    assert [s.function for s in again.steps] == [s.function for s in working.steps]
    items = [each for each in results if hasattr(each, "address")]
    assert items
    for item in items:
        assert np.array_equal(np.asarray(item.value), np.asarray(working[item.address].value), equal_nan=True)


def test_another_sentence() -> None:
    space, _ = run(cells(ipynb.render(wk.example("apple").run("shares fell Apple"))))
    assert space["working"].labels(space["working"].find("X").step)[0] == ("shares", "fell", "Apple")


def test_an_example_file_and_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(wk.example("journey").source_text, encoding="utf-8")
    text = ipynb.render(wk.example("mine.toml").run())
    (tmp_path / "mine.toml").write_text("mine = 'still'\n", encoding="utf-8")  # the notebook brings its own along
    space, _ = run(cells(text))
    assert "all.contexts" in space["working"]
    assert (tmp_path / "mine.toml").read_text(encoding="utf-8") == "mine = 'still'\n"
    (tmp_path / "code.py").write_text(
        "import numpy as np\n\nx = np.array([1.0, 2.0])\ny = x * 2  # twice\n", encoding="utf-8"
    )
    space, results = run(cells(ipynb.render(wk.script("code.py"))))
    assert space["y"].tolist() == [2.0, 4.0]
    assert all("cell" not in str(result) for result in results)


def test_it_is_the_same_each_time() -> None:
    first, second = (ipynb.render(wk.example("apple").run()) for _ in range(2))
    assert first == second
    assert json.loads(first)["nbformat"] == 4


def test_what_cannot_be_recorded_again_is_said() -> None:
    with pytest.raises(ValueError, match="cannot be recorded again"):
        ipynb.render(wk.show(lambda x: x * 2, np.ones(2)))


@pytest.mark.parametrize("end", ["# it's", "# 'quoted'", '# """', "# a\\\\b", "# \u200b", "\n"])
def test_any_text_of_an_example_comes_back(end: str, tmp_path: Path) -> None:
    text = wk.example("journey").source_text + end
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    space, _ = run(cells(ipynb.render(wk.example(str(tmp_path / "mine.toml")).run())))
    assert space["example"].read_text(encoding="utf-8") == text
