"""Composite operations written with simpler ones, over arrays; recorded line by line when a step is opened."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.equations._arrays import erf


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


def centred_scaled_and_shifted(x: Any, gain: Any, bias: Any, axis: Any, count: int, epsilon: float) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    variance = np.sum(centred**2, axis=axis, keepdims=True) / count
    normalised = centred / np.sqrt(variance + epsilon)
    output = gain * normalised + bias
    return output


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


def added_at(base: Any, values: Any, where: Any) -> Any:
    out = base.copy()
    np.add.at(out, where, values)
    return out


def evenly_spaced(start: Any, stop: Any, count: int) -> Any:
    step = (stop - start) / (count - 1)
    return start + np.arange(count) * step


def scaled_affine(bias: Any, x: Any, weight: Any, beta: float, alpha: float) -> Any:
    return beta * bias + alpha * (x @ weight)


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


def squared_error(x: Any, target: Any, reduction: int) -> Any:
    errors = (x - target) ** 2
    if reduction == 0:
        return errors
    total = np.sum(errors)
    if reduction == 2:
        return total
    loss = total / errors.size
    return loss


def squared_error_slope(gradient: Any, x: Any, target: Any, reduction: int) -> Any:
    slopes = 2.0 * (x - target) * gradient
    if reduction == 1:
        slopes = slopes / x.size
    return slopes


def kept_count(targets: Any, ignored: int) -> Any:
    kept = targets != ignored
    return np.sum(kept) * 1.0


def inverse_deviation(x: Any, axis: Any, count: int, epsilon: float) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    variance = np.sum((x - mean) ** 2, axis=axis, keepdims=True) / count
    return 1.0 / np.sqrt(variance + epsilon)


def batch_norm(x: Any, gain: Any, bias: Any, mean: Any, variance: Any, epsilon: float) -> Any:
    normalised = (x - mean) / np.sqrt(variance + epsilon)
    output = normalised * gain + bias
    return output


def convolution(x: Any, weight: Any, padding: Any, window: Any, axes: Any, steps: Any, spec: str) -> Any:
    padded = np.pad(x, padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, window, axis=axes)
    chosen = windows[steps]
    output = np.einsum(spec, chosen, weight)
    return output


def convolution_with_bias(
    x: Any, weight: Any, bias: Any, padding: Any, window: Any, axes: Any, steps: Any, spec: str
) -> Any:
    padded = np.pad(x, padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, window, axis=axes)
    chosen = windows[steps]
    products = np.einsum(spec, chosen, weight)
    output = products + bias
    return output


def largest_in_windows(x: Any, window: Any, axes: Any, steps: Any, inside: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, window, axis=axes)
    chosen = windows[steps]
    return np.max(chosen, axis=inside)


def distances(a: Any, b: Any) -> Any:
    differences = a[..., :, None, :] - b[..., None, :, :]
    return np.sqrt(np.sum(differences**2, axis=-1))


def attention_slope(gradient: Any, queries: Any, keys: Any, values: Any, hidden: Any, scale: float, part: int) -> Any:
    scores = queries @ np.swapaxes(keys, -1, -2) * scale + hidden
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


def self_attention(x: Any, W_in: Any, b_in: Any, W_out: Any, b_out: Any, hidden: Any, heads: int) -> Any:
    length, width = x.shape[-2], x.shape[-1]
    projected = x @ W_in.T + b_in
    split = projected.reshape(*x.shape[:-1], 3, heads, width // heads)
    queries = np.moveaxis(split[..., 0, :, :], -2, -3)
    keys = np.moveaxis(split[..., 1, :, :], -2, -3)
    values = np.moveaxis(split[..., 2, :, :], -2, -3)
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width // heads) + hidden
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = exponentials / np.sum(exponentials, axis=-1, keepdims=True)
    mixed = np.moveaxis(weights @ values, -3, -2)
    concatenated = mixed.reshape(*x.shape[:-2], length, width)
    output = concatenated @ W_out.T + b_out
    return output


def normalised_tokens(x: Any, gain: Any, bias: Any, epsilon: float) -> Any:
    mean = np.sum(x, axis=-1, keepdims=True) / x.shape[-1]
    centred = x - mean
    variance = np.sum(centred**2, axis=-1, keepdims=True) / x.shape[-1]
    return centred / np.sqrt(variance + epsilon) * gain + bias


def inner_network(x: Any, W1: Any, b1: Any, W2: Any, b2: Any, gelu: bool) -> Any:
    inner = x @ W1.T + b1
    hidden = 0.5 * inner * (1.0 + erf(inner / np.sqrt(2.0))) if gelu else np.maximum(inner, 0.0)
    return hidden @ W2.T + b2


def encoder_block(
    x: Any, W_in: Any, b_in: Any, W_out: Any, b_out: Any, g1: Any, n1: Any, g2: Any, n2: Any, W1: Any, b1: Any, W2: Any,
    b2: Any, hidden: Any, heads: int, epsilon: float, gelu: bool, norm_first: bool,
) -> Any:  # fmt: skip
    if norm_first:
        attended = x + self_attention(normalised_tokens(x, g1, n1, epsilon), W_in, b_in, W_out, b_out, hidden, heads)
        return attended + inner_network(normalised_tokens(attended, g2, n2, epsilon), W1, b1, W2, b2, gelu)
    attended = normalised_tokens(x + self_attention(x, W_in, b_in, W_out, b_out, hidden, heads), g1, n1, epsilon)
    return normalised_tokens(attended + inner_network(attended, W1, b1, W2, b2, gelu), g2, n2, epsilon)
