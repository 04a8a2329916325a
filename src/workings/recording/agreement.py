"""Whether two values are one but for rounding: what is worked out again is held against what was recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

# Rounding in the narrowest number type that the arithmetic may have been done in; far from any honest difference.
_TOLERANCE = {"float64": 1e-6, "float": 1e-6, "float32": 2e-2, "int": 1e-9, "complex128": 1e-6}
_COARSE = 0.2


def tolerance(dtype: str) -> float:
    """How far apart, relative to the largest number on the way, two values of a number type may be."""
    return _TOLERANCE.get(dtype, _COARSE)


def agree(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], dtype: str) -> bool:
    """Whether two arrays are alike. What is not finite, and what is no number, is not doubted."""
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "fiuc" or other.dtype.kind not in "fiuc":
        return True
    known = np.isfinite(one) & np.isfinite(other)
    gap, size = np.abs(one[known] - other[known]), np.abs(other[known])
    return bool(np.all(gap <= tolerance(dtype) * max(1.0, float(size.max(initial=0.0)))))
