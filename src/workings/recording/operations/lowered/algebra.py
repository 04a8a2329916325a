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


def cross_product(a: Any, b: Any, first: int, second: int, last: int) -> Any:
    u, v = in_space(a, first), in_space(b, second)
    crossed = u[..., [1, 2, 0]] * v[..., [2, 0, 1]] - u[..., [2, 0, 1]] * v[..., [1, 2, 0]]
    return np.moveaxis(crossed, -1, last)


def in_space(vectors: Any, axis: int) -> Any:
    """Vectors along the last axis; those in the plane have 0 as their third number."""
    moved = np.moveaxis(vectors, axis, -1)
    return moved if moved.shape[-1] == 3 else np.pad(moved, [(0, 0)] * (moved.ndim - 1) + [(0, 1)])


def cross_product_in_the_plane(a: Any, b: Any, first: int, second: int) -> Any:
    u, v = np.moveaxis(a, first, -1), np.moveaxis(b, second, -1)
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


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
