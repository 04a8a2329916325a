"""Each primitive of the page on random numbers, compared with NumPy; numbers as they are written, with Python's."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.views.live.running import changed, far, flat, run

import workings as wk
from workings.reading.numbers import column, number
from workings.recording.working import Ref
from workings.views.live.program import Program
from workings.views.live.trees import KNOWN

GENERATOR = np.random.Generator(np.random.PCG64(5))


def normal(*shape: int) -> Any:
    return GENERATOR.normal(size=shape)


def positive(*shape: int) -> Any:
    return GENERATOR.uniform(0.2, 3.0, size=shape)


def unit(*shape: int) -> Any:
    return GENERATOR.uniform(-0.95, 0.95, size=shape)


def above_one(*shape: int) -> Any:
    return GENERATOR.uniform(1.05, 4.0, size=shape)


def whole(*shape: int) -> Any:
    return GENERATOR.integers(0, 6, size=shape)


ONE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "exp": (np.exp, normal), "log": (np.log, positive), "log2": (np.log2, positive), "log10": (np.log10, positive),
    "sqrt": (np.sqrt, positive), "cbrt": (np.cbrt, normal), "sin": (np.sin, normal), "cos": (np.cos, normal),
    "tan": (np.tan, unit), "arcsin": (np.arcsin, unit), "arccos": (np.arccos, unit), "arctan": (np.arctan, normal),
    "sinh": (np.sinh, normal), "cosh": (np.cosh, normal), "tanh": (np.tanh, normal), "arcsinh": (np.arcsinh, normal),
    "arccosh": (np.arccosh, above_one), "arctanh": (np.arctanh, unit), "absolute": (np.abs, normal),
    "sign": (np.sign, normal), "floor": (np.floor, normal), "ceil": (np.ceil, normal), "rint": (np.rint, normal),
    "trunc": (np.trunc, normal), "degrees": (np.degrees, normal), "radians": (np.radians, normal),
    "rad2deg": (np.rad2deg, normal), "deg2rad": (np.deg2rad, normal), "isnan": (np.isnan, normal),
    "isinf": (np.isinf, normal), "isfinite": (np.isfinite, normal), "expm1": (np.expm1, unit),
    "log1p": (np.log1p, unit), "square": (np.square, normal), "negative": (np.negative, normal),
    "reciprocal": (np.reciprocal, positive), "exp2": (np.exp2, normal), "logical_not": (np.logical_not, normal),
    "invert": (np.invert, whole), "round": (lambda x: np.round(x, 2), normal),
}  # fmt: skip
TWO: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (np.add, normal), "subtract": (np.subtract, normal), "multiply": (np.multiply, normal),
    "divide": (np.divide, positive), "power": (np.power, positive), "arctan2": (np.arctan2, normal),
    "maximum": (np.maximum, normal), "minimum": (np.minimum, normal), "fmod": (np.fmod, normal),
    "remainder": (np.remainder, normal), "floor_divide": (np.floor_divide, normal),
    "logaddexp": (np.logaddexp, normal), "copysign": (np.copysign, normal), "heaviside": (np.heaviside, normal),
    "hypot": (np.hypot, normal), "less": (np.less, normal), "less_equal": (np.less_equal, normal),
    "greater": (np.greater, normal), "greater_equal": (np.greater_equal, normal), "equal": (np.equal, whole),
    "not_equal": (np.not_equal, whole), "logical_and": (np.logical_and, whole),
    "logical_or": (np.logical_or, whole), "logical_xor": (np.logical_xor, whole),
    "bitwise_and": (np.bitwise_and, whole), "bitwise_or": (np.bitwise_or, whole),
    "bitwise_xor": (np.bitwise_xor, whole), "left_shift": (lambda x, y: x << y, whole),
    "right_shift": (lambda x, y: x >> y, whole),
}  # fmt: skip
ARRAYS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "sum of rows": (lambda x: x.sum(axis=1), ((3, 5),)),
    "sum of all": (lambda x: x.sum(), ((3, 5),)),
    "sum of two axes": (lambda x: x.sum(axis=(0, 2), keepdims=True), ((2, 3, 4),)),
    "product": (lambda x: x.prod(axis=0), ((3, 5),)),
    "mean": (lambda x: x.mean(axis=-1), ((3, 5),)),
    "variance": (lambda x: x.var(axis=-1, ddof=1), ((3, 5),)),
    "largest": (lambda x: x.max(axis=0), ((3, 5),)),
    "smallest": (lambda x: x.min(axis=1), ((3, 5),)),
    "place of the largest": (lambda x: x.argmax(axis=1), ((3, 5),)),
    "place of the smallest": (lambda x: x.argmin(axis=0), ((3, 5),)),
    "any": (lambda x: np.any(x > 0.5, axis=0), ((3, 5),)),
    "all": (lambda x: np.all(x > -0.5, axis=0), ((3, 5),)),
    "how many": (lambda x: np.count_nonzero(x > 0, axis=1), ((3, 5),)),
    "running sum": (lambda x: np.cumsum(x, axis=1), ((3, 5),)),
    "trace": (np.trace, ((4, 4),)),
    "matrix product": (lambda x, y: x @ y, ((3, 4), (4, 5))),
    "batched product": (lambda x, y: x @ y, ((2, 3, 4), (4, 5))),
    "vector product": (lambda x, y: x @ y, ((4,), (4,))),
    "outer": (np.outer, ((3,), (4,))),
    "outer sum": (np.add.outer, ((3,), (4,))),
    "einsum": (lambda x, y: np.einsum("hld,hmd->hlm", x, y), ((2, 3, 4), (2, 5, 4))),
    "diagonal": (lambda x: np.einsum("ii->i", x), ((4, 4),)),
    "broadcast": (lambda x, y: x * y, ((3, 1, 4), (5, 1))),
    "choice": (lambda x, y: np.where(x > 0, x, y), ((3, 4), (4,))),
    "transpose": (lambda x: x.T + 0.0, ((3, 4),)),
    "rows": (lambda x: x[[2, 0, 2]] * 2, ((3, 4),)),
    "parts": (lambda x: x[1:, ::2] + x[:-1, ::2], ((3, 4),)),
    "joined": (lambda x, y: np.concatenate([x, y], axis=1) + 1, ((3, 4), (3, 2))),
    "reshaped": (lambda x: x.reshape(2, 6).sum(axis=1), ((3, 4),)),
    "sorted": (lambda x: np.sort(x, axis=-1), ((3, 4),)),
    "convolution of rows": (lambda x, y: np.convolve(x, y, "same"), ((5,), (3,))),
    "correlation": (lambda x, y: np.correlate(x, y, "full"), ((3,), (5,))),
    "cross product": (lambda x, y: np.cross(x, y, axisa=0), ((3, 4), (4, 3))),
    "softmax": (lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), ((3, 4),)),
}


def compare(kernels: Any, function: Callable[..., Any], first: list[Any], second: list[Any]) -> None:
    """Recorded on the first numbers, run by the page on the second, compared with the function itself on those."""
    working = wk.show(lambda *numbers: function(*numbers), *first)  # noqa: PLW0108
    program = Program(working)
    refs = [ref for ref in _refs(working.argument_parts) if ref is not None]
    result = working.result_parts
    assert isinstance(result, Ref)
    changes = [each for ref, value in zip(refs, second, strict=True) for each in changed(program, ref, value)]
    ((found, stale),) = run(kernels, program, changes, [result])
    assert not stale, program.nodes
    assert far(found, flat(function(*second)), 1e-3) < 1e-12


def _refs(parts: Any) -> list[Ref]:
    if isinstance(parts, Ref):
        return [parts]
    inside = parts.values() if isinstance(parts, dict) else parts
    return [ref for part in inside for ref in _refs(part)]


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(kernels: Any, name: str) -> None:
    function, draw = ONE[name]
    compare(kernels, function, [draw(4, 3)], [draw(4, 3)])


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(kernels: Any, name: str) -> None:
    function, draw = TWO[name]
    compare(kernels, function, [draw(4, 3), draw(3)], [draw(4, 3), draw(3)])


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(kernels: Any, name: str) -> None:
    function, shapes = ARRAYS[name]
    compare(kernels, function, [normal(*shape) for shape in shapes], [normal(*shape) for shape in shapes])


def test_the_error_function(kernels: Any) -> None:
    points = [-7.0, -3.2, -1.0, -1e-9, 0.0, 1e-300, 0.3, 0.9999, 2.5, 5.9, 6.1, math.inf]
    given = [str(point).replace("inf", "Infinity") for point in points]
    found = kernels.evaluate("points => points.map(x => W.FUNCTIONS.erf(Number(x)))", given)
    for point, value in zip(points, found, strict=True):
        assert value == pytest.approx(math.erf(point), rel=1e-14, abs=0), point


def test_nothing_is_promised_that_the_page_lacks(kernels: Any) -> None:
    there = kernels.evaluate("() => [Object.keys(W.FUNCTIONS), Object.keys(W.SIGNS)]")
    assert set(there[0]) >= KNOWN["functions"]
    assert set(there[1]) == KNOWN["signs"]


NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.125, 0.375, 2.5, -2.5, 0.1 + 0.2, 1 / 3, -2 / 3, 1e-5, -4.2e-7, 0.0005, 0.00049, 123456.789,
    9.99e8, 1e9, -3e12, 1e22, 0.5, 0.9999, 0.99999, 1.005, 1.0049999, 7.0000000000001, math.inf, -math.inf, math.nan,
]  # fmt: skip


@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 4, 6, 10])
def test_numbers_are_written_as_the_other_views_write_them(kernels: Any, decimals: int) -> None:
    drawn = [*NUMBERS, *(GENERATOR.normal(size=200) * 10.0 ** GENERATOR.integers(-6, 7, size=200)).tolist()]
    ask = "([values, decimals]) => values.map(x => W.numberText(Number(x), decimals))"
    found = kernels.evaluate(ask, [[repr(v).replace("inf", "Infinity").replace("nan", "NaN") for v in drawn], decimals])
    assert found == [number(value, decimals) for value in drawn]
    table = [v for v in drawn if math.isfinite(v)][-40:]
    cells = kernels.evaluate("([values, decimals]) => W.column(values, decimals)", [table, decimals])
    assert [cells] == column(np.array([table]), decimals)


def test_float32_is_written_with_the_digits_it_has(kernels: Any) -> None:
    values = np.float32([0.1, 1 / 3, 2.7182817, 1e-3, 16777216, 0.30000001])
    found = kernels.evaluate("values => values.map(x => W.numberText(x, 9, 's'))", values.astype(float).tolist())
    assert found == [number(value, 9) for value in values]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.25", 0.25),
        ("0,25", 0.25),
        ("−1", -1.0),
        ("-1.5e-3", -0.0015),
        ("1/4", 0.25),
        (" 2 ", 2.0),
        (".5", 0.5),
        ("3.", 3.0),
        ("1 000", 1000.0),
        ("- 1", -1.0),
        ("1 / 4", 0.25),
        ("-inf", -math.inf),
    ],
)
def test_typed_numbers(kernels: Any, text: str, value: float) -> None:
    assert kernels.evaluate("text => W.typed(text)", text) == value


@pytest.mark.parametrize("text", ["1e-300", "1e300", "1e-100", "1e16", "1.1e-8", "0.25", "2.25e-200"])
def test_whether_a_root_is_exact_is_said_at_once(kernels: Any, text: str) -> None:
    exact = Fraction(text)
    roots = [math.isqrt(n) for n in (exact.numerator, exact.denominator)]
    whole = roots[0] ** 2 == exact.numerator and roots[1] ** 2 == exact.denominator
    asked = [str(exact.numerator), str(exact.denominator)]
    found = kernels.evaluate("([n, d]) => W.exactCall('sqrt', [[BigInt(n), BigInt(d)]])?.map(String) ?? null", asked)
    assert found == (list(map(str, roots)) if whole else None)


@pytest.mark.parametrize(
    "text", ["", "a", "1 2 x", "1 2", "1e999", "1/0", "9" * 400, "--1", "1/", "0x10", "1e", "e5", "1,2,3"]
)
def test_what_is_no_number_is_none(kernels: Any, text: str) -> None:
    assert math.isnan(kernels.evaluate("text => W.typed(text)", text))
