"""Composite operations written with simpler ones, over arrays. Recorded line by line when a composite step is opened."""

from __future__ import annotations

from typing import Any

import numpy as np


def mean(x: Any, axis: Any, keepdims: bool, count: int) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims)
    mean = total / count
    return mean


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


def weighted_mean(x: Any, weights: Any, axis: Any) -> Any:
    total = np.sum(x * weights, axis=axis)
    average = total / np.sum(weights, axis=axis)
    return average


def spread(x: Any, axis: Any, keepdims: bool) -> Any:
    spread = np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)
    return spread


def log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    total = np.sum(np.exp(x), axis=axis, keepdims=keepdims)
    return np.log(total)


def log_softmax(x: Any, axis: Any) -> Any:
    largest = np.max(x, axis=axis, keepdims=True)
    shifted = x - largest
    totals = np.sum(np.exp(shifted), axis=axis, keepdims=True)
    log_probabilities = shifted - np.log(totals)
    return log_probabilities


def affine(bias: Any, x: Any, weight: Any) -> Any:
    products = x @ weight
    output = products + bias
    return output


def linear(x: Any, weight: Any) -> Any:
    output = x @ weight.T
    return output


def linear_with_bias(x: Any, weight: Any, bias: Any) -> Any:
    products = x @ weight.T
    output = products + bias
    return output


def centred_and_scaled(x: Any, axis: Any, count: int, epsilon: float) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    variance = np.sum(centred**2, axis=axis, keepdims=True) / count
    normalised = centred / np.sqrt(variance + epsilon)
    return normalised


def negative_log_likelihood(log_probabilities: Any, targets: Any, ignored: int, reduction: int) -> Any:
    rows = np.arange(log_probabilities.shape[0])
    kept = targets != ignored
    picked = log_probabilities[rows, np.where(kept, targets, 0)]
    losses = np.where(kept, -picked, 0.0)
    if reduction == 0:
        return losses
    total = np.sum(losses)
    if reduction == 2:
        return total
    loss = total / np.sum(kept)
    return loss


def differences(x: Any, axis: int) -> Any:
    later = np.take(x, np.arange(1, x.shape[axis]), axis=axis)
    earlier = np.take(x, np.arange(0, x.shape[axis] - 1), axis=axis)
    return later - earlier


def softmax_slope(gradient: Any, output: Any, axis: Any) -> Any:
    weighted = gradient * output
    total = np.sum(weighted, axis=axis, keepdims=True)
    slope = weighted - output * total
    return slope


def log_softmax_slope(gradient: Any, output: Any, axis: Any) -> Any:
    total = np.sum(gradient, axis=axis, keepdims=True)
    slope = gradient - np.exp(output) * total
    return slope


def likelihood_slope(gradient: Any, log_probabilities: Any, targets: Any, ignored: int, reduction: int) -> Any:
    kept = targets != ignored
    chosen = np.eye(log_probabilities.shape[1])[np.where(kept, targets, 0)] * kept[:, None]
    if reduction == 0:
        return -chosen * gradient[:, None]
    if reduction == 2:
        return -chosen * gradient
    slope = -chosen * gradient / np.sum(kept)
    return slope


def layer_norm_slope(gradient: Any, x: Any, gain: Any, axis: Any, count: int, epsilon: float) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    deviation = np.sqrt(np.sum(centred**2, axis=axis, keepdims=True) / count + epsilon)
    normalised = centred / deviation
    scaled = gradient * gain
    along = np.sum(scaled * normalised, axis=axis, keepdims=True) / count
    level = np.sum(scaled, axis=axis, keepdims=True) / count
    slope = (scaled - level - normalised * along) / deviation
    return slope


def embedding_slope(gradient: Any, ids: Any, count: int, padding: int) -> Any:
    flat = ids.reshape(-1)
    kept = flat != padding
    chosen = np.eye(count)[flat] * kept[:, None]
    slope = chosen.T @ gradient.reshape(flat.shape[0], -1)
    return slope


def gelu_slope(gradient: Any, x: Any, erf: Any) -> Any:
    area = 0.5 * (1 + erf)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    slope = gradient * (area + x * density)
    return slope


def added_at(base: Any, rows: Any, values: Any) -> Any:
    chosen = np.eye(base.shape[0])[rows]
    added = chosen.T @ values.reshape(chosen.shape[0], -1)
    return base + added.reshape(base.shape)


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
