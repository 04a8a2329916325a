"""Changes of number type: seen in the formula, said in a sentence, and in the arithmetic where a number is another."""

import numpy as np
import pytest

from workings.reading.formula import formula
from workings.reading.walk import walk
from workings.recording.operations.number_types import changes
from workings.recording.running import record_function


def lines(function, *inputs):
    working = record_function(function, list(inputs), {})
    told = [entry for entry in walk(working).entries() if not entry.given and entry.formula is not None]
    return working, [(entry.formula.text, entry.about) for entry in told]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("b = x.to(torch.bfloat16)", "b = bfloat16(x)"),
        ("b = x.bfloat16() @ W.half()", "b = bfloat16(x) float16(W)"),
        ("b = x.astype(np.float32)", "b = float32(x)"),
        ("b = np.asarray(x, dtype='float16')", "b = float16(x)"),
        ("n = x.long()", "n = int64(x)"),
        ("n = x.astype(int)", "n = int(x)"),
        ("m = x.bool()", "m = bool(x)"),
        ("b = x.double() + x.to(device)", "b = x + x"),
        ("x = torch.tensor([1.0, 2.0], dtype=torch.float16)", "x = [1.0, 2.0]"),
    ],
)
def test_a_conversion_alone(source, text):
    assert formula(source).text == text


def test_only_a_type_that_does_not_hold_the_numbers_is_written():
    assert formula("b = x.float() + y.half()", types=["float16"]).text == "b = x + float16(y)"
    assert formula("b = x.to(kind)", types=["float16"]).text == "b = float16(x)"
    assert formula("b = x.to(kind)", types=[]) is None or formula("b = x.to(kind)", types=[]).text == "b = x"


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("float64", "float32", True),
        ("float32", "float64", False),
        ("float16", "bfloat16", True),
        ("bfloat16", "float32", False),
        ("int64", "float32", False),
        ("int64", "bfloat16", True),
        ("uint8", "float16", False),
        ("float32", "int64", True),
        ("int64", "int8", True),
        ("uint8", "int16", False),
        ("int8", "uint8", True),
        ("int", "int64", False),
        ("bool", "int8", False),
        ("int64", "bool", True),
    ],
)
def test_which_types_hold_which(before, after, lost):
    assert changes(before, after) is lost


def test_numpy():
    def program(x):
        single = x.astype(np.float32)
        back = single.astype(float)
        whole = x.astype(np.int32)
        half = np.float16(x)
        return single, back, whole, half

    working, told = lines(program, np.array([1.2345678, -2.75]))
    assert told[:4] == [
        ("single = float32(x)", "Every number is rounded to float32."),
        ("back = single", ""),
        (
            "whole = int32(x)",
            "What stands after the point is cut off: every number is rounded towards zero, to int32.",
        ),
        ("half = float16(x)", "Every number is rounded to float16."),
    ]
    assert str(working.at("whole[1]", depth=0)) == "whole[1] = int(−2.75) = −2"
    assert str(working.at("half[0]", depth=0)) == "half[0] = float16(1.2346) ≈ 1.234"  # 1.234375, whose step is 2⁻¹⁰


def test_whole_numbers_of_python_do_not_wrap_around():
    def program(x):
        return np.int64(x[1]) + int(x[1])

    working, _ = lines(program, np.array([1.2, -2.75]))
    assert str(working.at("add", depth=0)) == "add = int(−2.75) + int(−2.75) = −2 − 2 = −4"


def test_torch():
    torch = pytest.importorskip("torch")

    def program(x, like):
        kind = torch.bfloat16
        rounded = x.to(kind)
        counted = torch.arange(3).float()
        same = x.type_as(like)
        cut = x.long() + 1
        return rounded, counted, same, cut

    x = torch.tensor([1.234, -2.75])
    working, told = lines(program, x, x)
    assert [text for text, _ in told][:4] == [
        "rounded = bfloat16(x)",
        "counted = (0, …, 2)",
        "same = x",
        "cut = int64(x) + 1",
    ]
    assert str(working.at("rounded[0]", depth=0)) == "rounded[0] = bfloat16(1.234) ≈ 1.2344"  # 1 + 30/128
    assert str(working.at("cut[1]", depth=0)) == "cut[1] = int(−2.75) + 1 = −2 + 1 = −1"


def test_a_recorded_module():
    torch = pytest.importorskip("torch")
    from workings import record

    model = torch.nn.Linear(2, 2)
    with torch.no_grad(), record(model) as working:
        model.half()(torch.ones(1, 2, dtype=torch.float16))
    told = {e.formula.text: e.about for e in walk(working).entries() if e.formula is not None}
    assert told["weight ← float16(weight)"] == "Every number is rounded to float16."
