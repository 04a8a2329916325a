"""Means, norms and the like: one number from many, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


def mean(x: Any, axis: Any, keepdims: bool, count: int) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims)
    mean = total / count
    return mean


def mean_of_numbers(x: Any, axis: Any, keepdims: bool) -> Any:
    total = np.nansum(x, axis=axis, keepdims=keepdims)
    count = np.sum(np.where(np.isnan(x), 0.0, 1.0), axis=axis, keepdims=keepdims)
    return total / count


def variance(x: Any, axis: Any, keepdims: bool, count: int, fewer: int) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    squares = centred**2
    variance = np.sum(squares, axis=axis, keepdims=keepdims) / (count - fewer)
    return variance


def standard_deviation(x: Any, axis: Any, keepdims: bool, count: int, fewer: int) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    squares = centred**2
    variance = np.sum(squares, axis=axis, keepdims=keepdims) / (count - fewer)
    deviation = np.sqrt(variance)
    return deviation


def euclidean_norm(x: Any, axis: Any, keepdims: bool) -> Any:
    squares = x**2
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    norm = np.sqrt(total)
    return norm


def absolute_norm(x: Any, axis: Any, keepdims: bool) -> Any:
    norm = np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    return norm


def norm_of_order(x: Any, order: float, axis: Any, keepdims: bool) -> Any:
    powers = np.abs(x) ** order
    total = np.sum(powers, axis=axis, keepdims=keepdims)
    norm = total ** (1.0 / order)
    return norm


def largest_size(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.max(np.abs(x), axis=axis, keepdims=keepdims)


def smallest_size(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.min(np.abs(x), axis=axis, keepdims=keepdims)


def weighted_mean(x: Any, weights: Any, axis: Any, shape: Any) -> Any:
    weights = weights.reshape(shape)
    total = np.sum(x * weights, axis=axis)
    average = total / np.sum(weights, axis=axis)
    return average


def mean_where(x: Any, where: Any, axis: Any, keepdims: bool) -> Any:
    total = np.sum(np.where(where, x, 0.0), axis=axis, keepdims=keepdims)
    count = np.sum(np.where(where, np.ones_like(x), 0.0), axis=axis, keepdims=keepdims)
    mean = total / count
    return mean


def variance_where(x: Any, where: Any, axis: Any, keepdims: bool, fewer: float) -> Any:
    ones = np.where(where, np.ones_like(x), 0.0)
    mean = np.sum(np.where(where, x, 0.0), axis=axis, keepdims=True) / np.sum(ones, axis=axis, keepdims=True)
    squares = np.where(where, (x - mean) ** 2, 0.0)
    count = np.sum(ones, axis=axis, keepdims=keepdims)
    variance = np.sum(squares, axis=axis, keepdims=keepdims) / (count - fewer)
    return variance


def deviation_where(x: Any, where: Any, axis: Any, keepdims: bool, fewer: float) -> Any:
    return np.sqrt(variance_where(x, where, axis, keepdims, fewer))


def variance_about(x: Any, mean: Any, axis: Any, keepdims: bool, count: int, fewer: float) -> Any:
    squares = (x - mean) ** 2
    variance = np.sum(squares, axis=axis, keepdims=keepdims) / (count - fewer)
    return variance


def deviation_about(x: Any, mean: Any, axis: Any, keepdims: bool, count: int, fewer: float) -> Any:
    return np.sqrt(variance_about(x, mean, axis, keepdims, count, fewer))


def quantiles(x: Any, below: Any, above: Any, part: Any, axis: int, flat: bool, shape: Any) -> Any:
    """A number between two neighbours of the ordered row: ``part`` of the way from the one to the other."""
    ordered = np.sort(x.reshape(-1) if flat else x, axis=axis)
    lower = np.moveaxis(np.take(ordered, below, axis=axis), axis, -1)
    upper = np.moveaxis(np.take(ordered, above, axis=axis), axis, -1)
    between = lower + part * (upper - lower)
    found = np.moveaxis(between, -1, 0).reshape(shape)
    return found


def running_log_sum_exp(x: Any, axis: int) -> Any:
    return np.log(np.cumsum(np.exp(x), axis=axis))


def spread(x: Any, axis: Any, keepdims: bool) -> Any:
    spread = np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)
    return spread


def log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    total = np.sum(np.exp(x), axis=axis, keepdims=keepdims)
    return np.log(total)


def differences(
    x: Any, axis: int, times: int, prepend: Any = None, before: Any = None, append: Any = None, after: Any = None
) -> Any:
    if before is not None:
        x = np.concatenate([np.broadcast_to(prepend, before), x], axis=axis)
    if after is not None:
        x = np.concatenate([x, np.broadcast_to(append, after)], axis=axis)
    for _ in range(times):
        later = np.take(x, np.arange(1, x.shape[axis]), axis=axis)
        earlier = np.take(x, np.arange(0, x.shape[axis] - 1), axis=axis)
        x = later - earlier
    return x
