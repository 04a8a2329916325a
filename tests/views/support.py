"""Workings put together by hand, and how the tests look at a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.cells import cell_len

from workings import equations
from workings.recording.program import Program
from workings.recording.running import record_script
from workings.recording.working import Source, Working

TOKENS = ["Apple", "shares", "fell", "sharply"]
AXES = ["food", "finance"]
EMBEDDINGS = [[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]]
SCRIPTS = Path(__file__).parent.parent / "scripts"


@cache
def four_words() -> Working:
    """The first text's four words: plain attention, and attention with the axes swapped for the queries."""
    program = Program(Source("example", "four words", "four.toml"))
    rows = program.given("X", EMBEDDINGS, (TOKENS, AXES), note="rows of the table")
    with program.group("plain", title="A weighted average", section="3", equation="plain_attention"):
        program.call(equations.plain_attention, rows, names=("output", "weights"))
    with program.group("projected", title="Queries, keys and values", section="4", equation="attention"):
        swap = program.given("W_Q", [[0.0, 1.0], [1.0, 0.0]])
        queries = program.call(np.matmul, rows, swap, names="queries")
        program.call(equations.attention, queries, rows, rows, names=("output", "weights"))
    working = program.finish()
    working.decimals = 3
    working.conventions["scale"] = "scores divided by √d_k"
    return working


def one_value(value: Any, labels: Sequence[Sequence[str] | None] | None = None, name: str = "V") -> Working:
    """A Working that holds a single given value."""
    program = Program(Source("example", "one value"))
    program.given(name, np.asarray(value), labels)
    return program.finish()


def script(tmp_path: Path, text: str) -> Working:
    """What is recorded of a script."""
    path = tmp_path / "script.py"
    path.write_text(text, encoding="utf-8")
    return record_script(path)


def widest(page: str) -> int:
    """The display width of the widest line."""
    return max(map(cell_len, page.split("\n")))


def rows_after(page: str, mark: str, count: int) -> list[list[str]]:
    """The words of the ``count`` lines below the first line that contains ``mark``."""
    lines = page.split("\n")
    start = next(n for n, line in enumerate(lines) if mark in line)
    return [line.split() for line in lines[start + 1 : start + 1 + count]]


def numbers_in(row: list[str]) -> list[str]:
    """The words of a line that begin like a number."""
    return [word for word in row if word.lstrip("−")[:1].isdigit()]
