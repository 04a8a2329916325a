"""The backward pass of PyTorch's operators, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


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


def weighted_likelihood_slope(
    gradient: Any, log_probabilities: Any, targets: Any, weights: Any, ignored: int, reduction: int
) -> Any:
    kept = targets != ignored
    known = np.where(kept, targets, 0)
    shares = np.where(kept, weights[known], 0.0)
    chosen = np.eye(log_probabilities.shape[1])[known] * shares[:, None]
    if reduction == 0:
        return -chosen * gradient[:, None]
    if reduction == 2:
        return -chosen * gradient
    slope = -chosen * gradient / np.sum(shares)
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


def squared_error_slope(gradient: Any, x: Any, target: Any, reduction: int) -> Any:
    slopes = 2.0 * (x - target) * gradient
    if reduction == 1:
        slopes = slopes / x.size
    return slopes


def attention_slope(gradient: Any, queries: Any, keys: Any, values: Any, mask: Any, scale: float, part: int) -> Any:
    scores = queries @ np.swapaxes(keys, -1, -2) * scale + mask
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = exponentials / np.sum(exponentials, axis=-1, keepdims=True)
    if part == 2:
        return np.swapaxes(weights, -1, -2) @ gradient
    weight_slope = gradient @ np.swapaxes(values, -1, -2)
    along = np.sum(weight_slope * weights, axis=-1, keepdims=True)
    score_slope = weights * (weight_slope - along)
    if part == 0:
        return score_slope @ keys * scale
    return np.swapaxes(score_slope, -1, -2) @ queries * scale


def layer_norm_gain_slope(gradient: Any, x: Any, axis: Any, over: Any, count: int, epsilon: float) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    deviation = np.sqrt(np.sum(centred**2, axis=axis, keepdims=True) / count + epsilon)
    return np.sum(gradient * (centred / deviation), axis=over)


def layer_norm_bias_slope(gradient: Any, over: Any) -> Any:
    return np.sum(gradient, axis=over)
