"""What the tests of the equations share: tolerances, repeatable numbers, and moving arguments between libraries."""

import types
from typing import Any

import numpy

from workings.equations import Activation

TOLERANCES = {"float64": 1e-12, "float32": 2e-5}
"""The largest difference allowed, both absolute and relative, by the dtype of the computation."""


def numbers(*shape: int, seed: int) -> numpy.ndarray:
    """Repeatable float64 draws from the standard normal."""
    return numpy.random.default_rng(seed).standard_normal(shape)


def to_numpy(value: Any) -> Any:
    """An array of any library as a NumPy array; groups of arrays keep their form."""
    if isinstance(value, (tuple, list)):
        return [to_numpy(item) for item in value]
    if type(value).__module__.startswith("torch"):
        return value.detach().numpy()
    return numpy.asarray(value)


def converted(value: Any, library: str, dtype: str = "float64") -> Any:
    """NumPy arrays, alone or in groups, as arrays of `library`, floating ones in `dtype`; anything else as it is."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(converted(item, library, dtype) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(converted(item, library, dtype) for item in value)
    if isinstance(value, dict):
        return {key: converted(item, library, dtype) for key, item in value.items()}
    if not isinstance(value, numpy.ndarray):
        return value
    array = value.astype(dtype) if value.dtype.kind == "f" else value
    if library == "torch":
        import torch

        return torch.asarray(array)
    if library == "array_api_strict":
        import array_api_strict

        return array_api_strict.asarray(array)
    return array


def assert_close(found: Any, expected: Any, dtype: str = "float64") -> None:
    """Compare arrays, or groups of arrays, of any libraries, within the tolerance of `dtype`."""
    found, expected = to_numpy(found), to_numpy(expected)
    if isinstance(found, list) or isinstance(expected, list):
        assert len(found) == len(expected)
        for found_item, expected_item in zip(found, expected, strict=True):
            assert_close(found_item, expected_item, dtype)
        return
    tolerance = TOLERANCES[dtype]
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, strict=False)
    assert found.shape == expected.shape


def assert_same_values_and_gradients(ours: Any, theirs: Any, *inputs: numpy.ndarray) -> None:
    """Run both functions on tensors of the same numbers; compare the results and the gradient of every input."""
    import torch

    results = []
    for function in (ours, theirs):
        leaves = [torch.asarray(array.copy()).requires_grad_() for array in inputs]
        result = function(*leaves)
        # Every place of the result gets a weight of its own, so that no two errors can cancel.
        direction = torch.asarray(numbers(*result.shape, seed=97))
        gradients = torch.autograd.grad((result * direction).sum(), leaves)
        results.append((result, gradients))
    (our_result, our_gradients), (their_result, their_gradients) = results
    assert_close(our_result, their_result)
    for position, (our_gradient, their_gradient) in enumerate(zip(our_gradients, their_gradients, strict=True)):
        try:
            assert_close(our_gradient, their_gradient)
        except AssertionError as error:
            raise AssertionError(f"gradient of input {position}: {error}") from error


def activation_named(name: str) -> Activation:
    """An activation of the equations, by the name PyTorch's layers give it."""
    from workings import equations

    activation = getattr(equations, name)
    assert isinstance(activation, types.FunctionType)
    return activation
