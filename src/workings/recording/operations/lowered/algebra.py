"""Linear algebra, distances and evenly spaced numbers, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


def added_at(base: Any, values: Any, where: Any) -> Any:
    out = base.copy()
    np.add.at(out, where, values)
    return out


def first_added_at(base: Any, values: Any, where: Any, first: Any) -> Any:
    return added_at(base, values[first], where)


def multiples_added_at(base: Any, values: Any, where: Any, factor: Any) -> Any:
    return added_at(base, factor * values, where)


def kronecker(a: Any, b: Any, spec: str, shape: Any) -> Any:
    products = np.einsum(spec, a, b)
    return products.reshape(shape)


def polynomial(p: Any, x: Any) -> Any:
    """Horner's rule: the highest power first."""
    value = p[0] + 0 * x
    for place in range(1, p.shape[0]):
        value = value * x + p[place]
    return value


def evenly_spaced(start: Any, stop: Any, count: int) -> Any:
    step = (stop - start) / (count - 1)
    return start + np.arange(count) * step


def solution(a: Any, b: Any) -> Any:
    """Gauss and Jordan's elimination, the largest pivot first."""
    size = a.shape[0]
    left = a.astype(float)
    right = b.astype(float)
    for column in range(size):
        pivot = column + np.argmax(np.abs(left[column:, column]))
        if pivot != column:
            left[[column, pivot]] = left[[pivot, column]]
            right[[column, pivot]] = right[[pivot, column]]
        right[column] = right[column] / left[column, column]
        left[column] = left[column] / left[column, column]
        for row in range(size):
            if row != column:
                right[row] = right[row] - left[row, column] * right[column]
                left[row] = left[row] - left[row, column] * left[column]
    return right


def inverse(a: Any) -> Any:
    return solution(a, np.eye(a.shape[0]))


def determinant(a: Any) -> Any:
    """Elimination to a triangle; the product of its diagonal."""
    size = a.shape[0]
    left = a.astype(float)
    sign = 1.0
    for column in range(size - 1):
        pivot = column + np.argmax(np.abs(left[column:, column]))
        if pivot != column:
            left[[column, pivot]] = left[[pivot, column]]
            sign = -sign
        for row in range(column + 1, size):
            left[row] = left[row] - left[row, column] / left[column, column] * left[column]
    return sign * np.prod(np.diag(left))


def distance(a: Any, b: Any) -> Any:
    return np.sqrt(np.sum((a - b) ** 2))


def distances(a: Any, b: Any) -> Any:
    differences = a[..., :, None, :] - b[..., None, :, :]
    return np.sqrt(np.sum(differences**2, axis=-1))
