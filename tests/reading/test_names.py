"""What a name in a line stands for: the value it had there, and only if the line was seen to read it."""

from __future__ import annotations

from typing import Any

import numpy as np

import workings as wk
from workings.reading.names import Names
from workings.recording.working import Ref, Working

X = np.array([[1.0, 2.0], [3.0, 4.0]])


def meant(working: Working, address: str) -> dict[str, Any]:
    """The names that the line of a value reads, with their numbers."""
    step = working.steps[working.find(address).step]
    names = Names(working).read(step.group, step.statement)
    return {name: np.asarray(working.value(ref)).tolist() for name, ref in names.items()}


def test_a_name_that_is_given_again_means_what_it_was_before():
    def shares(x: Any) -> Any:
        W = x * 2
        W = W / W.sum()
        return W

    working = wk.show(shares, X)
    assert meant(working, "shares.W") == {"W": [[2.0, 4.0], [6.0, 8.0]]}
    assert meant(working, "shares.W#1") == {"x": X.tolist()}
    step = working.steps[working.find("shares.W").step]
    assert Names(working).made(step.group, step.statement) == {"W": Ref(step.number)}


def test_names_that_change_places():
    def swapped(a: Any, b: Any) -> Any:
        y = a * b
        a, b = b, a
        z = a - 2 * b
        return y + z

    working = wk.show(swapped, np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    assert meant(working, "y") == {"a": [1.0, 2.0], "b": [10.0, 20.0]}
    assert meant(working, "z") == {"a": [10.0, 20.0], "b": [1.0, 2.0]}


def test_a_loop_reads_what_the_run_before_it_made():
    def summed(rows: Any) -> Any:
        h = rows[0] * 0
        for row in rows:
            h = h + row
        return h

    working = wk.show(summed, np.array([[1.0], [2.0], [4.0]]))
    assert meant(working, "h")["h"] == [3.0]


def test_a_call_reads_what_its_parameters_are_given():
    def doubled(rows: Any) -> Any:
        return rows * 2

    def outer(x: Any) -> Any:
        unread = x + 1
        y = doubled(x)
        return y, unread

    working = wk.show(outer, X)
    call = next(group for group in working.groups if group.name == "doubled")
    assert list(Names(working).read(call.parent or 0, call.statement)) == ["x"]


def test_the_letters_of_an_equation_are_those_of_its_call():
    working = wk.example("apple").run()
    scaled = next(group for group in working.groups if group.name == "scaled")
    names = Names(working).within(scaled.number)
    assert names["queries"] == working.find("X")
    assert names["d_k"] == working.find("scaled.d_k")
    assert "mask" not in names  # none was given
