"""Warnings of a recorded program: the same ones as in its plain run, at the same lines, as often."""

from __future__ import annotations

import copy
import runpy
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

from workings.recording.running import ScriptError, record_script

NUMPY = """
    import warnings
    import numpy as np

    def ratio(x, y):
        return x / y

    def old():
        warnings.warn("use ratio instead", DeprecationWarning, stacklevel=2)

    zeros = np.zeros(2)
    ratio(zeros + 1, zeros)
    np.log(zeros)
    for _ in range(3):
        zeros / zeros
    huge = np.float64(1e300) * np.float64(1e300)
    zeros += np.array([1.0, 2.0]) / zeros
    empty = np.mean(np.array([]))
    old()
    warnings.warn("here")
    with np.errstate(divide="ignore"):
        1 / np.zeros(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.log(np.zeros(1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.log(np.zeros(1))
        lines = [w.lineno for w in caught]
    warnings.warn(str(lines))
"""
TORCH = """
    import torch
    import torch.nn.functional as F

    class Model(torch.nn.Module):
        def forward(self, x):
            return F.softmax(x)

    x = torch.ones(2, 2)
    Model()(x)
    y = torch.tensor(x)
    out = torch.empty(3)
    torch.add(x, x, out=out)
    r = torch.range(0, 2)
    r2 = torch.range(0, 2)
"""


def raised(run, path: Path) -> list[tuple[type, str, str, int]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # as Python begins
        warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
        run(path)
    return [(w.category, str(w.message).partition(" (Triggered")[0], w.filename, w.lineno) for w in caught]


def plain(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("text", [NUMPY, TORCH], ids=["numpy", "torch"])
def test_warnings_are_those_of_the_plain_run(tmp_path: Path, text: str) -> None:
    if text is TORCH:
        pytest.importorskip("torch")
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    expected = raised(plain, path)
    assert len(expected) > 3
    assert raised(record_script, path) == expected
    assert str(path) in {file for _, _, file, _ in expected}


def test_a_warning_made_an_error_is_raised_at_the_line(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("import numpy as np\nx = np.zeros(1)\ny = 1 / x\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module="__main__")  # as only the line of the program is in it
        with pytest.raises(ScriptError, match=r"RuntimeWarning: divide by zero .* at line 3: y = 1 / x"):
            record_script(path)


def test_filters_are_what_they_were(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("x = 1.0\n", encoding="utf-8")
    before, show = copy.copy(warnings.filters), warnings._showwarnmsg  # type: ignore[attr-defined]
    record_script(path)
    assert warnings.filters == before
    assert warnings._showwarnmsg is show  # type: ignore[attr-defined]


def test_working_a_number_out_again_does_not_warn(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("import numpy as np\nx = np.array([1.0, 70.0])\ny = np.float16(x) * 2\n", encoding="utf-8")
    working = record_script(path)
    assert str(working.at("y[1]", depth=0)) == "y[1] = 70.00×2 = 140.00"
    assert np.array_equal(working.replay({"x": [1.0, 1e6]}).value("y"), [2.0, np.inf])
