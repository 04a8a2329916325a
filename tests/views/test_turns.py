"""Loops told turn by turn: which turns there are, what belongs to each, and which loops are too long for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.views.support import script

import workings as wk
from workings.recording.saving import load, save
from workings.recording.working import Working
from workings.views.document import Block, Heading, Loop, Over, Same, Step, Turn, Worked
from workings.views.page import tell
from workings.views.tables import Table

JOURNEY = """\
import numpy as np
inputs = np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                   [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
query = inputs[1]
scores = np.empty(6)
for i, x_i in enumerate(inputs):  # each token in turn
    scores[i] = np.dot(x_i, query)
weights = np.exp(scores) / np.exp(scores).sum()
context = np.zeros(3)
for i, x_i in enumerate(inputs):
    context += weights[i] * x_i
"""
SCORES = ["0.9544", "1.4950", "1.4754", "0.8434", "0.7070", "1.0865"]
"""The second text prints these for the query "journey"."""


def told(working: Working) -> list[Block]:
    return tell(working, turns=True).blocks


def turns(blocks: list[Block]) -> list[list[Block]]:
    """The blocks of each turn of the loops that stand in no other."""
    out: list[list[Block]] = []
    inside = False
    for block in blocks:
        if isinstance(block, Turn) and block.level == 1:
            out.append([])
            inside = True
        elif isinstance(block, Over) and block.level == 1:
            inside = False
        elif inside:
            out[-1].append(block)
    return out


def tables(blocks: list[Block]) -> list[Any]:
    return [block.array for block in blocks if isinstance(block, Table)]


def test_each_turn_of_a_python_loop_shows_its_own_numbers(tmp_path: Path) -> None:
    blocks = told(script(tmp_path, JOURNEY))
    first, second = turns(blocks)[:6], turns(blocks)[6:]
    assert [block.code for block in blocks if isinstance(block, Loop)] == ["for i, x_i in enumerate(inputs)"] * 2
    running = next(same for same in first[0] if isinstance(same, Same))
    assert running.names == (("i", "0"), ("x_i", "inputs[0]"))
    # A turn that writes one number shows that number, and nothing of the array that is still empty.
    lines = [turn[-1].lines[0] for turn in first]  # type: ignore[union-attr]
    assert [label for label, _ in lines] == [f"scores[{place}]" for place in range(6)]
    assert [f"{line.value:.4f}" for _, line in lines] == SCORES
    assert all(not tables(turn) for turn in first)
    # The whole of it stands after the loop.
    whole = next(block for block in blocks if isinstance(block, Table) and block.path == "scores")
    assert [f"{value:.4f}" for value in whole.array] == SCORES
    assert blocks.index(whole) > next(n for n, block in enumerate(blocks) if isinstance(block, Over))
    X = np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]])
    X = np.vstack([X, [[0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
    weights = np.exp(X @ X[1]) / np.exp(X @ X[1]).sum()
    sums = np.cumsum(weights[:, None] * X, axis=0)
    np.testing.assert_allclose([tables(turn)[-1] for turn in second], sums, rtol=1e-13)
    assert sums[-1].round(4).tolist() == [0.4419, 0.6515, 0.5683]


def test_other_views_tell_a_loop_by_its_last_turn(tmp_path: Path) -> None:
    blocks = tell(script(tmp_path, JOURNEY)).blocks
    assert not [block for block in blocks if isinstance(block, (Turn, Over))]
    assert [block.times for block in blocks if isinstance(block, Step) and block.path in ("scores", "context")] == [
        6,
        6,
    ]


def test_loops_in_loops_and_rows_that_they_write(tmp_path: Path) -> None:
    text = """\
import numpy as np
X = np.array([[1.0, 2.0], [3.0, 4.0]])
Y = np.zeros((2, 2))
for i in range(2):
    for j in range(2):
        Y[i] += (j + 1) * X[j]
    t = Y[i] * 2
"""
    outer = turns(told(script(tmp_path, text)))
    assert len(outer) == 2
    # X[0] + 2 X[1] = [7, 10], which is reached in two turns, in every turn of the outer loop.
    for turn in outer:
        assert [block.level for block in turn if isinstance(block, Turn)] == [2, 2]
        assert [array.tolist() for array in tables(turn)] == [[1.0, 2.0], [7.0, 10.0], [14.0, 20.0]]


def test_a_while_loop_that_calls_a_function(tmp_path: Path) -> None:
    text = """\
def halved(x):
    y = x / 2
    return y
x = 5.0
while x > 1:  # until it is small
    x = halved(x)
z = x + 1
"""
    working = script(tmp_path, text)
    blocks = told(working)
    found = turns(blocks)
    assert len(found) == 3
    lines = [line for turn in found for block in turn if isinstance(block, Worked) for _, line in block.lines]
    assert [line.value for line in lines] == [2.5, 1.25, 0.625]
    heads = [block.text for turn in found for block in turn if isinstance(block, Heading)]
    assert heads == ["halved"] * 3
    # The condition belongs to the line of the loop, which stands before its turns, and what follows is no turn.
    kinds = [type(block) for block in blocks]
    assert kinds.index(Loop) < kinds.index(Turn)
    assert isinstance(blocks[-1 - kinds[::-1].index(Over) + 1], Step)


@pytest.mark.parametrize(("count", "apart"), [(64, 64), (65, 0)])
def test_a_long_loop_is_told_by_its_last_turn(tmp_path: Path, count: int, apart: int) -> None:
    text = f"import numpy as np\nx = np.array([1.0, 2.0])\nfor n in range({count}):\n    x = x / 2\n"
    assert len(turns(told(script(tmp_path, text)))) == apart


def test_a_saved_working_keeps_its_turns(tmp_path: Path) -> None:
    working = script(tmp_path, JOURNEY)
    save(working, tmp_path / "kept.workings")
    kept = load(tmp_path / "kept.workings")
    assert kept.turns == working.turns
    assert len(kept.turns) == 12
    assert [type(block) for block in told(kept)] == [type(block) for block in told(working)]


def test_the_generation_loop_says_which_words_would_have_ended_it(tmp_path: Path) -> None:
    working = wk.example("next-token").run()
    # "end" is the fifth word; whatever the last turn chooses, there is no further one.
    assert [guard.only for guard in working.guards if guard.reason == "the word chosen"] == [(4,), (4,), ()]
    heads = [block for block in told(working) if isinstance(block, Turn)]
    assert [head.text for head in heads] == ["Turn 1: Apple", "Turn 2: Apple shares", "Turn 3: Apple shares fell"]
    assert {head.loop for head in heads} == {"The generation loop"}
    save(working, tmp_path / "kept.workings")
    assert load(tmp_path / "kept.workings").guards == working.guards
