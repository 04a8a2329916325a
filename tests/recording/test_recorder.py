"""What the recorder must do, one behaviour at a time; numbers are worked out by hand or by the plain run."""

from __future__ import annotations

import functools
import gc
import textwrap
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workings.recording.running import ScriptError, record_function, record_script
from workings.recording.working import Ref, Working


def script(tmp_path: Path, text: str) -> Working:
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return record_script(path)


def operations(working: Working) -> list[str]:
    return [step.operation for step in working.steps if step.operation not in ("given", "size")]


# -- what is written down -------------------------------------------


def test_integer_indices_are_places_and_make_no_step(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        """
        import numpy as np
        X = np.array([[1.0, 2.0], [3.0, 4.0]])
        total = 0.0
        for i in range(2):
            total = total + X[i, 1] * X[i][0]
        """,
    )
    assert operations(working) == ["array", "multiply", "add", "multiply", "add"]
    product = working.steps[working["total#2"].ref.step].inputs[1]
    array = working["X"].ref.step
    assert working.steps[product.step].inputs == (Ref(array, (0, 1)), Ref(array, (0, 0)))
    assert working["total"].value == 2.0 * 1.0 + 4.0 * 3.0


def test_numbers_of_a_list_keep_their_places(tmp_path: Path) -> None:
    working = script(tmp_path, "a = [1.5, 2.0]\nb = a[1] * 3\nc = [b, a[0]]\nd = sum(c)\n")
    listed = working.steps[working["d"].step.inputs[0].step]
    assert listed.operation == "list"
    assert [working.value(ref) for ref in listed.inputs] == [6.0, 1.5]
    assert working["d"].value == 7.5


def test_a_number_put_into_a_list_or_a_dictionary_has_its_line(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        """
        Y = [[1.0, 2.0], [3.0, 4.0]]
        Y[0][0] = 5.0
        x = 0.5
        Y[1][0] = x
        Y[1][1] = x * 3
        named = {}
        named["b"] = Y[0][0]
        total = sum(Y[0]) + named["b"]
        """,
    )
    shown = str(working)
    for line in ("Y₀[0] = 5.0 ", "Y₁[0] = x = 0.50", "Y₁[1] = x · 3", "named[b] = Y₀[0] = 5.00"):
        assert line in shown
    assert working["total"].value == 5.0 + 2.0 + 5.0
    assert operations(working)[:4] == ["copy", "copy", "multiply", "copy"]


def test_a_statement_carries_its_line_target_and_comment(tmp_path: Path) -> None:
    working = script(tmp_path, "x = 2.0\ny = x * 3  # three times as much\n")
    site = working["y"].step.site
    assert site is not None
    assert (site.line, site.text, site.comment, site.targets) == (2, "y = x * 3", "three times as much", ("y",))


def test_functions_are_groups_with_named_parameters(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        """
        def scale(values, k=2.0):
            doubled = values * k
            return doubled
        out = scale(1.5) + scale(2.5, k=3.0)
        """,
    )
    assert working["scale#1.values"].value == 1.5
    assert working["scale#1.k"].value == 2.0
    assert working["scale.doubled"].value == 7.5
    assert working["out"].value == 10.5
    assert working.lost == []


# -- writes -------------------------------------------


def test_steps_before_a_write_keep_their_numbers() -> None:
    def program(a: Any) -> Any:
        before = a * 1.0
        view = a[1:]
        total = view.sum()
        view += 10.0
        return before, total, a, view.sum()

    a = np.array([1.0, 2.0, 3.0])
    working = record_function(program, [a], {})
    assert working["program.before"].value.tolist() == [1.0, 2.0, 3.0]
    assert working.value(Ref(0)).tolist() == [1.0, 2.0, 3.0]  # what was passed, before it was changed
    assert working.result[1] == 5.0
    assert a.tolist() == [1.0, 12.0, 13.0]
    changed = working.replay({Ref(0): [5.0, 6.0, 7.0]}).result
    assert changed[2].tolist() == [5.0, 16.0, 17.0]
    assert changed[3] == 33.0


def test_results_changed_after_the_recording_leave_the_working_alone() -> None:
    def program(a: Any) -> Any:
        return a * 2

    a = np.array([1.0, 2.0])
    working = record_function(program, [a], {})
    working.result += 100
    a += 100
    assert working.steps[-1].value.tolist() == [2.0, 4.0]
    assert working.value(Ref(0)).tolist() == [1.0, 2.0]


def test_a_call_with_where_and_out_keeps_what_it_does_not_touch() -> None:
    def program(x: Any, old: Any) -> Any:
        out = old.copy()
        np.log(x, out=out, where=x > 0)
        return out

    working = record_function(program, [np.array([1.0, -1.0]), np.array([7.0, 8.0])], {})
    assert working.result.tolist() == [0.0, 8.0]
    assert working.replay({Ref(1): [3.0, 4.0]}).result.tolist() == [0.0, 4.0]
    assert working.lost == []


def test_large_values_are_not_kept_and_come_again_bit_for_bit() -> None:
    def program(x: Any) -> Any:
        table = np.exp(np.outer(x, x))
        return (table / table.sum(axis=1, keepdims=True)).sum(axis=0)

    x = np.linspace(-1.0, 1.0, 512)
    working = record_function(program, [x], {})
    gc.collect()
    table = working["program.table"]
    assert not table.step.kept
    assert np.array_equal(table.value, np.exp(np.outer(x, x)))


# -- origins are never invented -------------------------------------------


def test_a_number_from_code_that_is_not_followed_is_lost_and_freezes_what_is_behind() -> None:
    def program(x: float) -> Any:
        y = eval("x * 2", {"x": x})
        return y + 1.0

    working = record_function(program, [3.0], {})
    assert working.result == 7.0
    assert [loss.kind for loss in working.lost] == ["origin not recorded"]
    replay = working.replay({Ref(0): 4.0})
    assert working.result_parts.step in replay.frozen


def test_an_opaque_pure_call_is_listed_and_can_be_run_again() -> None:
    def program(m: Any) -> Any:
        return np.linalg.eigvalsh(m)[0]

    working = record_function(program, [np.diag([2.0, 5.0])], {})
    assert [(loss.kind, loss.what) for loss in working.lost] == [("opaque", "numpy.linalg.eigvalsh")]
    assert working.replay({Ref(0): np.diag([3.0, 1.0])}).result == 1.0


def test_random_draws_are_inputs() -> None:
    def program(x: float) -> Any:
        noise = np.random.default_rng(0).normal()
        return x + noise

    working = record_function(program, [1.0], {})
    drawn = np.random.default_rng(0).normal()
    assert working.result == 1.0 + drawn
    assert working.lost == []
    assert working.replay({Ref(0): 5.0}).result == 5.0 + drawn


# -- guards -------------------------------------------


def leaky(x: float) -> float:
    if x > 0:
        return x
    return 0.5 * x


def test_a_branch_that_stays_is_replayed_and_one_that_turns_runs_the_source() -> None:
    working = record_function(leaky, [3.0], {})
    stays = working.replay({Ref(0): 4.0})
    assert (stays.result, stays.rerun) == (4.0, None)
    turns = working.replay({Ref(0): -4.0})
    assert turns.result == -2.0
    assert turns.stopped is not None
    assert turns.stopped.reason == "a condition"


def test_an_error_that_was_caught_is_guarded() -> None:
    def program(a: float, b: float) -> float:
        try:
            return a / b
        except ZeroDivisionError:
            return -a

    working = record_function(program, [3.0, 0.0], {})
    assert working.result == -3.0
    assert working.replay({Ref(0): 4.0}).result == -4.0
    assert working.replay({Ref(1): 2.0}).result == 1.5


def test_a_mask_that_passes_another_number_is_followed_or_runs_again() -> None:
    def total(v: Any) -> Any:
        return v[v > 0].sum()

    def mean(v: Any) -> Any:
        kept = v[v > 0]
        return sum(kept) / len(kept)

    v, other = np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 6.0])
    assert record_function(total, [v], {}).replay({Ref(0): other}).result == 9.0
    again = record_function(mean, [v], {}).replay({Ref(0): other})
    assert again.result == 3.0
    assert again.rerun is not None


def test_changing_a_counter_runs_the_source_again(tmp_path: Path) -> None:
    working = script(tmp_path, "values = [1.0, 2.0, 4.0]\nk = 1\npicked = values[k] * 10\n")
    assert working["picked"].value == 20.0
    assert working.replay({"k": 2})["picked"] == 40.0


def test_numbers_written_as_text_and_read_again_are_guarded() -> None:
    def program(x: float) -> float:
        return float(f"{x:.1f}") * 2

    working = record_function(program, [1.26], {})
    assert working.result == 2.6
    assert working.replay({Ref(0): 3.31}).result == 6.6


def test_an_equal_set_of_numbers_is_replayed() -> None:
    def program(values: list[float]) -> int:
        return len({round(v) for v in values})

    working = record_function(program, [[1.1, 1.2, 5.0]], {})
    assert working.result == 2
    same = working.replay({Ref(0): [7.1, 7.2, 3.0]})
    assert (same.result, same.rerun) == (2, None)
    assert working.replay({Ref(0): [7.1, 8.2, 3.0]}).result == 3


# -- Python's own behaviour -------------------------------------------


def test_names_that_shadow_builtins(tmp_path: Path) -> None:
    working = script(tmp_path, "list = 3.0\ntuple = [list, 2.0]\nset = (tuple[0], 1.0)\nout = set[0] * tuple[1]\n")
    assert working["out"].value == 6.0


def test_defaults_worked_out_from_values_keep_their_origin() -> None:
    def program(x: float) -> float:
        def inner(y: float, k: float = x * 2) -> float:
            return y * k

        return inner(10.0)

    working = record_function(program, [1.5], {})
    assert working.result == 30.0
    assert working.replay({Ref(0): 2.0}).result == 40.0


def test_values_sent_into_generators_and_returned_by_them() -> None:
    def inner(x: float) -> Any:
        got = yield x
        return got * 2

    def outer(x: float) -> Any:
        back = yield from inner(x)
        yield back + x

    def program(x: float, y: float) -> Any:
        g = outer(x)
        return next(g), g.send(y)

    working = record_function(program, [1.0, 5.0], {})
    assert working.result == (1.0, 11.0)
    assert working.replay({Ref(1): 6.0}).result == (1.0, 13.0)
    assert working.lost == []


def test_cached_functions_are_called_once_and_their_results_keep_their_origin() -> None:

    def program(x: float) -> Any:
        calls = []

        @functools.cache
        def square(n: int) -> float:
            calls.append(n)
            return x * n

        return square(3) + square(3), len(calls)

    working = record_function(program, [2.0], {})
    assert working.result == (12.0, 1)
    assert working.replay({Ref(0): 5.0}).result == (30.0, 1)


def test_two_functions_on_one_line_are_told_apart() -> None:
    first, second = (lambda x: x + 1, lambda x: x * 10)
    assert record_function(second, [4.0], {}).result == 40.0
    assert operations(record_function(first, [4.0], {})) == ["add"]
    assert operations(record_function(second, [4.0], {})) == ["multiply"]


def test_a_recorded_class_is_itself_again_afterwards() -> None:
    class Thing:
        def __init__(self, x: float) -> None:
            self.x = x

        @property
        def twice(self) -> float:
            return self.x * 2

    before = dict(vars(Thing))
    assert record_function(lambda x: Thing(x).twice, [2.0], {}).result == 4.0
    assert dict(vars(Thing)) == before


def test_a_traceback_shows_the_users_own_lines(tmp_path: Path) -> None:
    text = "import numpy as np\nX = np.ones((2, 3))\nY = X @ np.ones((2, 2))\n"
    with pytest.raises(ScriptError) as caught:
        script(tmp_path, text)
    frames = traceback.extract_tb(caught.value.cause.__traceback__)
    assert any(f.filename.endswith("script.py") and f.lineno == 3 and f.line == text.splitlines()[2] for f in frames)
    assert caught.value.working["X"].value.shape == (2, 3)


def test_many_scalar_steps_stay_affordable() -> None:
    def program(x: float) -> float:
        for _ in range(5000):
            x = x * 0.999 + 0.001
        return x

    working = record_function(program, [3.0], {})
    assert operations(working).count("multiply") == 5000
    assert working.replay({Ref(0): 1.0}).result == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda v: int(v[0]) ** 30, 12**30),
        (lambda v: round(float(v[1]) / 8, 2), round(18 / 8, 2)),
        (lambda v: v.tolist()[0] ** 25, 12**25),
    ],
)
def test_numbers_that_left_arrays_are_pythons_own_on_replay(program: Any, expected: Any) -> None:
    working = record_function(program, [np.array([5, 7])], {})
    assert working.replay({Ref(0): np.array([12, 18])}).result == expected


def test_layout_in_memory_does_not_change_the_last_bit() -> None:
    def program(A: Any, B: Any) -> Any:
        buffer = np.zeros((16, 24))
        window = buffer[::2, ::3]
        window[...] = B
        old = window @ A
        window *= 2
        return old, window.T @ A, window.sum(axis=0), window.sum()

    rng = np.random.default_rng(5)
    A, B, other = (rng.normal(size=(8, 8)) for _ in range(3))
    working = record_function(program, [A, B], {})
    for found, plain in zip(working.replay({Ref(1): other}).result, program(A, other), strict=True):
        assert np.array_equal(found, plain)


# -- special methods by name, names of the source's own, deep and endless things -------------------------------


def test_special_methods_are_performed_as_they_are_named(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        """
        class Doubling(dict):
            def __setitem__(self, key, value):
                super().__setitem__(key, value * 2)
            def __getitem__(self, key):
                return super().__getitem__(key) + 1
        class Meta(type):
            def __call__(cls, *args):
                return super().__call__(*args)
        class Held(metaclass=Meta):
            def __init__(self, x):
                super().__init__()
                self.x = x * 2
        kept = Doubling()
        kept["a"] = 2.0
        v = kept["a"] * 3
        held = Held(3.0).x + 1
        x = 3.0
        added = x.__add__(4.0)
        taken = x.__rsub__(4.0)
        refused = x.__add__("4") is NotImplemented
        places = [1.0]
        places.__setitem__(0, 5.0)
        place = places[0] + places.__getitem__(0)
        entries = {}
        dict.__setitem__(entries, "b", x)
        entry = dict.__getitem__(entries, "b") * 2
        text = len(x.__repr__()) * 1.5
        """,
    )
    expected = {
        "v": 15.0, "held": 7.0, "added": 7.0, "taken": 1.0, "place": 10.0, "entry": 6.0, "text": 4.5,
    }  # fmt: skip
    assert {name: working[name].value for name in expected} == expected
    assert not working.lost
    assert working.replay({"x": 10.0})["entry"] == 20.0
    assert working.replay({"x": 10.0})["added"] == 14.0


def test_names_of_the_source_do_not_meet_those_of_the_rewriting(tmp_path: Path) -> None:
    working = script(
        tmp_path,
        """
        _wk = 3.0
        _wf0 = _wt1 = 2.0
        class Inside:
            def of(self, x):
                _wf1 = x * _wk
                return [n for n in locals() if n != "self"], _wf1
        names, y = Inside().of(_wf0)
        count = len(names) + y
        """,
    )
    assert working["y"].value == 6.0
    assert working["count"].value == 2 + 6.0


def test_a_script_that_calls_itself_for_ever_stops_with_what_was_recorded(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="RecursionError") as stopped:
        script(tmp_path, "def f(n):\n    return f(n + 1) + 1\nx = 2.0 * 3\nf(0)\n")
    assert stopped.value.working["x"].value == 6.0
    assert str(stopped.value.working)


@pytest.mark.parametrize("depth", [24, 60, 400])
def test_lists_nested_deep(tmp_path: Path, depth: int) -> None:
    working = script(
        tmp_path,
        f"""
        x = 1.5
        for i in range({depth}):
            x = [x]
        same = x == [x]
        for i in range({depth}):
            x = x[0]
        v = x * 2
        """,
    )
    assert working["v"].value == 3.0


def test_a_script_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\ntext = 'caf\xe9'\nx = len(text) * 2.5  # caf\xe9\n")
    working = record_script(path)
    assert working["x"].value == 10.0
    site = working["x"].step.site
    assert site is not None
    assert site.comment == "caf\u00e9"


def test_a_replaced_parameter_asks_for_gradients_when_the_source_runs_again(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    working = script(
        tmp_path,
        """
        import torch
        w = torch.tensor([0.5, -0.25], requires_grad=True)
        if w.sum() > 1:
            loss = (w ** 2).sum()
        else:
            loss = w.sum()
        loss.backward()
        g = w.grad
        with torch.no_grad():
            w -= 0.5 * g
        """,
    )
    again = working.replay({"w#1": [1.0, 3.0]})
    assert again.rerun is not None
    assert again["g"].tolist() == [2.0, 6.0]
    assert again["w#1"].tolist() == [1.0, 3.0]
    assert again["w"].tolist() == [0.0, 0.0]


def test_the_name_of_a_view_means_what_the_view_holds_at_the_end():
    def program(a):
        column = a.reshape(-1, 1)
        row = a[1:]
        a *= 2
        return column, row

    working = record_function(program, [np.array([1.0, 2.0, 3.0])], {})
    assert np.array_equal(working["column"].value, [[2.0], [4.0], [6.0]])
    assert np.array_equal(working["column#1"].value, [[1.0], [2.0], [3.0]])
    assert np.array_equal(working["row"].value, [4.0, 6.0])
