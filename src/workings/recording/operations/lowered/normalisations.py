"""Softmax and the normalisations, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


def log_softmax(x: Any, axis: Any) -> Any:
    largest = np.max(x, axis=axis, keepdims=True)
    shifted = x - largest
    totals = np.sum(np.exp(shifted), axis=axis, keepdims=True)
    log_probabilities = shifted - np.log(totals)
    return log_probabilities


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


def inverse_deviation(x: Any, axis: Any, count: int, epsilon: float) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    variance = np.sum((x - mean) ** 2, axis=axis, keepdims=True) / count
    return 1.0 / np.sqrt(variance + epsilon)


def batch_norm(x: Any, gain: Any, bias: Any, mean: Any, variance: Any, epsilon: float, shape: Any) -> Any:
    centred = x - mean.reshape(shape)
    normalised = centred / np.sqrt(variance.reshape(shape) + epsilon)
    output = normalised * gain.reshape(shape) + bias.reshape(shape)
    return output


def batch_norm_in_training(x: Any, gain: Any, bias: Any, epsilon: float, shape: Any, axis: Any, count: int) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    centred = x - mean
    variance = np.sum(centred**2, axis=axis, keepdims=True) / count
    normalised = centred / np.sqrt(variance + epsilon)
    output = normalised * gain.reshape(shape) + bias.reshape(shape)
    return output


def running_mean(x: Any, kept: Any, momentum: float, axis: Any, count: int) -> Any:
    mean = np.sum(x, axis=axis) / count
    return (1.0 - momentum) * kept + momentum * mean


def running_variance(x: Any, kept: Any, momentum: float, axis: Any, count: int) -> Any:
    mean = np.sum(x, axis=axis, keepdims=True) / count
    variance = np.sum((x - mean) ** 2, axis=axis) / (count - 1)
    return (1.0 - momentum) * kept + momentum * variance


def group_norm(x: Any, gain: Any, bias: Any, epsilon: float, groups: Any, axis: Any, count: int, shape: Any) -> Any:
    grouped = x.reshape(groups)
    mean = np.sum(grouped, axis=axis, keepdims=True) / count
    centred = grouped - mean
    variance = np.sum(centred**2, axis=axis, keepdims=True) / count
    normalised = (centred / np.sqrt(variance + epsilon)).reshape(x.shape)
    output = normalised * gain.reshape(shape) + bias.reshape(shape)
    return output


def group_mean(x: Any, groups: Any, axis: Any, count: int) -> Any:
    return np.sum(x.reshape(groups), axis=axis) / count


def group_inverse_deviation(x: Any, epsilon: float, groups: Any, axis: Any, count: int) -> Any:
    grouped = x.reshape(groups)
    mean = np.sum(grouped, axis=axis, keepdims=True) / count
    variance = np.sum((grouped - mean) ** 2, axis=axis) / count
    return 1.0 / np.sqrt(variance + epsilon)


def normalised_tokens(x: Any, gain: Any, bias: Any, epsilon: float) -> Any:
    mean = np.sum(x, axis=-1, keepdims=True) / x.shape[-1]
    centred = x - mean
    variance = np.sum(centred**2, axis=-1, keepdims=True) / x.shape[-1]
    return centred / np.sqrt(variance + epsilon) * gain + bias
