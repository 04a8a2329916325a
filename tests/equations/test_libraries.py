"""The same lines give the same numbers on NumPy, PyTorch and the strict reference of the array API standard."""

import subprocess
import sys
from typing import Any

import array_api_strict
import numpy
import pytest

from workings import equations

from .cases import CALLS, Call
from .support import assert_close, converted, to_numpy

EACH_CALL = [
    pytest.param(name, call, id=f"{name}-{number}")
    for name, calls in CALLS.items()
    for number, call in enumerate(calls)
]


def run(name: str, call: Call, library: str, dtype: str = "float64") -> Any:
    arguments = converted(call.arguments, library, dtype)
    options = converted(call.options, library, dtype)
    return equations.EQUATIONS[name](*arguments, **options)


def test_every_equation_is_called() -> None:
    assert set(CALLS) == set(equations.EQUATIONS)


@pytest.mark.parametrize("library", ["numpy", "array_api_strict"])
@pytest.mark.parametrize(("name", "call"), EACH_CALL)
def test_libraries_agree(name: str, call: Call, library: str) -> None:
    pytest.importorskip("torch")
    assert_close(run(name, call, library), run(name, call, "torch"))


@pytest.mark.parametrize("library", ["numpy", "torch", "array_api_strict"])
@pytest.mark.parametrize(("name", "call"), EACH_CALL)
def test_results_keep_the_dtype_and_library_of_their_operands(name: str, call: Call, library: str) -> None:
    if library == "torch":
        pytest.importorskip("torch")
    single, double = run(name, call, library, "float32"), run(name, call, library)
    results = single if isinstance(single, (tuple, list)) else [single]
    for result in results:
        assert type(result).__module__.split(".")[0] == library
        assert str(to_numpy(result).dtype) in ("float32", "int64")
    assert_close(single, double, "float32")


@pytest.mark.parametrize(("name", "call"), EACH_CALL)
def test_operands_are_not_changed(name: str, call: Call) -> None:
    before = converted(call.arguments, "array_api_strict")
    run(name, call, "numpy")
    pairs = zip(call.arguments, before, strict=True)
    for after_call, kept in pairs:
        if isinstance(after_call, numpy.ndarray):
            numpy.testing.assert_array_equal(after_call, numpy.asarray(kept))


def test_padding_mask_without_like_takes_the_default_dtype() -> None:
    mask = equations.padding_mask(numpy.array([True, False]))
    numpy.testing.assert_array_equal(mask, [[0.0, -numpy.inf]])
    assert mask.dtype == numpy.float64


def test_scalars_of_numpy_are_arrays() -> None:
    assert equations.gelu(numpy.float64(0.0)) == 0.0
    assert equations.gelu(numpy.zeros((0, 3))).shape == (0, 3)


def test_arrays_of_two_libraries_are_refused() -> None:
    with pytest.raises(TypeError, match=r"(?i)multiple namespaces"):
        equations.cosine(numpy.ones(2), array_api_strict.ones(2))
    with pytest.raises(TypeError):
        equations.softmax([1.0, 2.0])


def test_numpy_needs_no_other_library() -> None:
    program = (
        "import sys, numpy, workings.equations as eq; X = numpy.ones((2, 2)); eq.attention(X, X, X); eq.gelu(X);"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('torch', 'array_api_compat')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
