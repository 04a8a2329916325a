"""The formula above a value is that of the value, also where it is only a part of its line: what a call is given."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import workings as wk
from workings.reading.source_lines import argument_of
from workings.reading.walk import walk
from workings.recording.working import Working
from workings.views.document import Step
from workings.views.page import tell
from workings.views.tables import Table


@pytest.mark.parametrize(
    ("line", "name", "part"),
    [
        ("return self.norm(softmax(s) @ self.v(x))", "norm", "softmax(s) @ self.v(x)"),
        ("return norm(x=a + b, axis=1)", "norm", "a + b"),
        ("norm(attend(y * 2) + 1)", "attend", "y * 2"),
        ("return norm(a @ b, c @ d)", "norm", ""),  # which of the two it is cannot be told
        ("return norm(a @ b) + norm(c)", "norm", ""),
        ("return self.layers[0](a @ b)", "0", ""),
        ("if norm(a @ b):", "norm", ""),
        ("return norm(a)", "norm", ""),
    ],
)
def test_what_a_call_in_a_line_is_given(line: str, name: str, part: str) -> None:
    assert argument_of(line, name) == part


def formulas(working: Working) -> dict[str, str]:
    """Of every value, the formula that stands above it where it is first made; the text of its line if it has none."""
    found: dict[str, str] = {}
    for entry in walk(working).entries():
        text = entry.site.text if entry.site is not None else ""
        for value in entry.values:
            found.setdefault(value.path, entry.formula.text if entry.formula is not None else text)
    return found


def centred(x: Any) -> Any:
    return x - x.mean()


def joined(x: Any, y: Any) -> Any:
    return x * y


def test_a_function_of_ones_own() -> None:
    def model(x: Any) -> Any:
        return centred(np.exp(x) @ x)

    found = formulas(wk.show(model, np.eye(2)))
    assert found["model.centred.x"] == "e^x x"
    assert found["model.centred.result.subtract"] == "x − μ(x)"


def test_a_call_with_two_parts_shows_no_formula_of_the_whole() -> None:
    def model(x: Any) -> Any:
        return joined(x + 1, x @ x)

    found = formulas(wk.show(model, np.eye(2)))
    assert found["model.joined.y"] == ""


def test_a_result_that_nothing_else_was_given_has_the_whole_line() -> None:
    def model(x: Any) -> Any:
        return centred(x) @ x

    assert formulas(wk.show(model, np.eye(2)))["model.result.matmul"] == "centred(x) x"


def test_above_the_table_of_a_recorded_module_stands_its_own_formula() -> None:
    torch = pytest.importorskip("torch")

    class Head(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.v = torch.nn.Linear(3, 3)
            self.norm = torch.nn.LayerNorm(3)

        def forward(self, x: Any) -> Any:
            s = x @ x.T / 2
            return self.norm(s.softmax(-1) @ self.v(x))

    torch.manual_seed(0)
    head = Head().eval()
    with torch.no_grad(), wk.record(head) as working:
        head(torch.randn(2, 3))
    blocks = tell(working).blocks
    above = {table.path: step for step, table in itertools.pairwise(blocks) if isinstance(table, Table)}
    formulas = {path: step.formula.text for path, step in above.items() if isinstance(step, Step) and step.formula}
    assert formulas["norm.input"] == "softmax_row(s) v(x)"
    assert formulas["norm.output"] == "output = LayerNorm(input, weight, bias)"
    assert formulas["s"] == "s = x xᵀ / 2"
