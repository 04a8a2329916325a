"""The one place that knows array libraries differ.

Every equation asks `namespace` which library its operands belong to and then speaks the array API standard to it.
PyTorch and array-api-compat are never imported from here unless a caller's array already needed them, so that
`import workings.equations` costs little more than `import numpy`.
"""

import math
import sys
from typing import Any, TypeAlias

import numpy

Array: TypeAlias = Any
"""An array of any library that follows the array API standard.

The standard's own protocols cannot yet express operators that return "the same kind of array", so checking stops here:
the shapes and kinds that each equation expects are stated in its metadata and held by the tests.
"""

Namespace: TypeAlias = Any
"""The module of functions (`exp`, `sum`, `where`, …) that goes with an array."""


def is_numpy(array: object) -> bool:
    """Whether `array` is a NumPy array, or the scalar that NumPy makes of an array without axes."""
    return isinstance(array, (numpy.ndarray, numpy.generic))


def is_torch(array: object) -> bool:
    """Whether `array` is a PyTorch tensor; PyTorch is looked up, not imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def namespace(*arrays: Array) -> Namespace:
    """The functions of the library that all `arrays` belong to.

    Raises TypeError for arrays of different libraries, and for anything that is not an array (a list, a number).
    """
    if all(is_numpy(array) for array in arrays):
        # NumPy 2 follows the standard itself.
        return numpy
    if all(is_torch(array) for array in arrays):
        import array_api_compat.torch

        return array_api_compat.torch
    import array_api_compat

    return array_api_compat.array_namespace(*arrays)


def erf(x: Array) -> Array:
    """The error function of each element; the standard has none, and neither has NumPy."""
    if is_torch(x):
        return sys.modules["torch"].special.erf(x)
    if is_numpy(x):
        return numpy.vectorize(math.erf, otypes=[x.dtype.char])(x)
    return namespace(x).asarray(erf(numpy.asarray(x)))
