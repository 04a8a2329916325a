"""One number worked out: against lines written by hand, and every program's numbers against Python's own math."""

import copy
import math
import random

import numpy as np
import pytest
from tests.reading.evaluating import Unknown, evaluate
from tests.recording.programs import PROGRAMS, load_program

from workings.reading import arithmetic
from workings.recording.opening import open_step
from workings.recording.operations import meaning
from workings.recording.operations.expression import Limits
from workings.recording.running import record_function
from workings.recording.working import Ref

TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-1}


def attention(Q, K, V):
    S = Q @ K.T / np.sqrt(K.shape[-1])
    W = np.exp(S - S.max(axis=-1, keepdims=True))
    W = W / W.sum(axis=-1, keepdims=True)
    return W @ V


X = np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]])


def shown(function, *args, decimals=3):
    working = record_function(function, [copy.deepcopy(a) for a in args], {})
    working.decimals = decimals
    return working


def test_a_score_reads_as_the_first_text_writes_it():
    working = shown(attention, X[:, ::-1].copy(), X, X)
    lines = str(working.at("S[0, 1]")).splitlines()
    assert lines[-1] == "S[0, 1] = (0.20×0.10 + 1.00×1.00) / √2 ≈ 1.02 / 1.414 ≈ 0.721"


def test_unnamed_steps_of_a_line_stand_inside_it():
    working = shown(attention, X[:, ::-1].copy(), X, X)
    assert (
        str(working.at("W[0, 1]", depth=0)) == "W[0, 1] = 1.00 / (0.645 + 1.00 + 0.775 + 0.712) ≈ 1.00 / 3.133 ≈ 0.319"
    )


def test_a_loop_that_adds_reads_as_one_sum():
    def mix(w, X):
        y = np.zeros(2)
        for i in range(4):
            y += w[i] * X[i]
        return y

    working = shown(mix, np.array([0.4, 0.2, 0.25, 0.15]), X)
    expected = "y[1] = 0.40×0.20 + 0.20×1.00 + 0.25×0.60 + 0.15×0.50 = 0.505"
    assert str(working.at("y[1]", depth=0)) == expected


def test_a_python_loop_reads_as_one_sum_too():
    def dot(a, b):
        total = 0.0
        for x, y in zip(a, b, strict=True):
            total += x * y
        return total

    working = shown(dot, [0.5, -1.0, 2.0], [2.0, 0.25, 0.5])
    assert str(working.at("total", depth=0)) == "total = 0.50×2.00 − 1.00×0.25 + 2.00×0.50 = 1.75"


def test_a_long_sum_shows_its_largest_terms_and_counts_the_rest():
    working = shown(lambda x: x.sum(), np.r_[np.full(999_999, 1e-6), 5.0])
    text = str(working.at("sum", depth=0))
    assert "5.00" in text
    assert "(999 996 more, together" in text


def test_a_sum_of_more_steps_than_are_gathered_begins_with_what_there_was(monkeypatch):
    monkeypatch.setattr(arithmetic, "_FLAT", 3)

    def running(b):
        for _ in range(6):
            b = b + 1.0
        return b

    working = record_function(running, [1.5], {})
    assert str(working.at(working.path(len(working.steps) - 1), depth=0)).startswith(
        "b = 4.50 + 1.00 + 1.00 + 1.00 = 7.50"
    )


def test_depth_is_on_demand_however_long_the_history():
    def running(x):
        for _ in range(20_000):
            x = x * 1.0001 + 0.001
        return x

    working = shown(running, 1.0)
    assert len(working.at("x", depth=1).lines) == 2


def test_arithmetic_is_of_one_number():
    working = shown(attention, X, X, X)
    with pytest.raises(ValueError, match=r"say which of the 4 × 4 numbers, as in \[0, 1\]"):
        working.at("S")
    with pytest.raises(ValueError, match=r"say which of the 4 numbers, as in \[0\]"):
        working.at("S[1]")
    with pytest.raises(ValueError, match="there is none here"):
        shown(lambda x: x[:0] * 2.0, X).at("multiply")


def test_a_number_changed_out_of_sight_is_never_explained():
    def written_through_memory(a):
        b = a.copy()
        memory = memoryview(b)
        memory[0] = 5.0
        return b + 1.0

    working = shown(written_through_memory, np.array([1.9, 1.6]))
    line = working.at("add[0]").last
    assert line.value == 6.0
    assert line.expression is None
    assert "origin not recorded" in line.note
    assert str(working.at("add[1]")).endswith("1.60 + 1.00 = 2.60")


def test_a_number_beside_one_that_was_written_keeps_its_arithmetic():
    def written(a):
        v = a + 1.0
        v[1, 1] = -1
        v[0][v[0] > 4] = 0
        return v

    working = shown(written, np.array([[1.5, 4.0], [2.0, 3.0]]))
    assert str(working.at("v[1, 0]")).endswith("2.00 + 1.00 = 3.00")
    assert str(working.at("v[0, 0]")).endswith("1.50 + 1.00 = 2.50")
    assert str(working.at("v[1, 1]")) == "v[1, 1] = −1.00"
    assert str(working.at("v[0, 1]")) == "v[0, 1] = 0.00"


def test_what_is_no_number_is_left_out_of_a_sum_that_leaves_it_out():
    def totals(a):
        total = np.nansum(a)
        middle = np.nanmean(a)
        return total, middle

    working = shown(totals, np.array([1.0, np.nan, 3.0]))
    assert str(working.at("total")) == "total = 1.00 + 3.00 = 4.00"
    assert str(working.at("middle")).splitlines()[-1].endswith("= 4.00 / 2.00 = 2.00")


def test_complex_numbers_stand_in_brackets():
    working = shown(lambda z: z[0] * z[1], np.array([1 + 2j, 3 - 1j]))
    assert str(working.at("multiply", depth=0)).endswith("(1.00 + 2.00i)×(3.00 − 1.00i) = 5.00 + 5.00i")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_arithmetic_of_every_step_gives_its_value(name):
    """Three elements of every step of every program, worked out from the shown leaves by Python's math."""
    program = load_program(name)
    working = record_function(program.program, [], copy.deepcopy(program.FIRST))
    draw = random.Random(0)
    checked = 0
    for step in working.steps:
        if meaning.kind(step) in ("given", "size", "order", "opaque") or 0 in step.shape:
            continue
        for _ in range(3):
            index = tuple(draw.randrange(n) for n in step.shape)
            try:
                found = worked_out(working, step, index)
            except Unknown:
                continue
            assert agrees(found, working.element(Ref(step.number, index)), step.dtype), (step, index, found)
            checked += 1
    assert checked or getattr(program, "OPAQUE", False)


def worked_out(working, step, index):
    if meaning.kind(step) == "composite":
        opened = open_step(working, step.number, index)
        return opened.working.element(opened.output)
    expression = meaning.element(working, step, index, Limits())
    assert expression is not None
    return evaluate(expression)


def agrees(found, value, dtype):
    if isinstance(value, float) and math.isnan(value):
        return math.isnan(found)
    if dtype.startswith(("int", "uint")) and dtype != "int":  # integers of a fixed width wrap around
        return (int(found) - value) % 2 ** int(dtype.lstrip("uint")) == 0
    return found == value or abs(found - value) <= TOLERANCE.get(dtype, 1e-9) * max(1.0, abs(value))


def test_a_logarithm_to_a_base_is_written_with_it():
    def logs(x):
        a = math.log(x, 2)
        b = math.log(x, 10)
        c = math.log(x, 3)
        return a, b, c

    working = shown(logs, 8.0)
    assert str(working.at("a")) == "a = log₂(8.00) = 3.00"
    assert str(working.at("b")) == "b = log₁₀(8.00) ≈ 0.903"
    assert str(working.at("c")) == "c = ln(8.00) / ln(3) ≈ 1.893"


def test_a_number_that_its_type_cannot_hold_becomes_another():
    def wrapped(a, b):
        u = a + b
        v = ~a
        return u, v

    working = shown(wrapped, np.array([250], dtype=np.uint8), np.array([10], dtype=np.uint8))
    assert str(working.at("u[0]")) == "u[0] = 250 + 10 → 4  (260, wrapped around in uint8)"
    assert str(working.at("v[0]")) == "v[0] = not(250) → 5  (−251, wrapped around in uint8)"


def test_a_minus_stands_before_what_it_turns():
    def turned(k, x, v):
        F = -(k * x)
        g = -(k + 1)
        h = -(v**2)
        return F, g, h

    working = shown(turned, 2.0, 1.5, np.array([1.0, 3.0]))
    assert str(working.at("F")) == "F = −2.00×1.50 = −3.00"
    assert str(working.at("g")) == "g = −(2.00 + 1) = −3.00"
    assert str(working.at("h[1]")) == "h[1] = −3.00² = −9.00"


def test_what_is_opened_for_one_row_does_not_pass_for_the_first():
    """Of the rows [1, 2] and [4, 7] the second has the norm √65."""

    def norms(x):
        return np.linalg.norm(x, axis=1)

    working = record_function(norms, [np.array([[1.0, 2.0], [4.0, 7.0]])], {})
    path = working.path(working.result_parts.step)
    second, first = (str(working.at(f"{path}[{row}]")).splitlines()[-2] for row in (1, 0))
    assert second.endswith("norm[1].total[0] = 16.00 + 49.00 = 65.00")
    assert first.endswith("total[0] = 1.00 + 4.00 = 5.00")
