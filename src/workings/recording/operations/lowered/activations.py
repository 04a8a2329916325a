"""Activations made of simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


def hard_tanh(x: Any, low: float, high: float) -> Any:
    return np.minimum(np.maximum(x, low), high)


def hard_sigmoid(x: Any) -> Any:
    return np.minimum(np.maximum(x + 3.0, 0.0), 6.0) / 6.0


def hard_swish(x: Any) -> Any:
    gate = hard_sigmoid(x)
    return x * gate


def mish(x: Any) -> Any:
    gate = np.tanh(np.log(1.0 + np.exp(x)))
    return x * gate


def threshold(x: Any, limit: float, value: float) -> Any:
    return np.where(x > limit, x, value)


def elu(x: Any, alpha: float, scale: float, input_scale: float) -> Any:
    below = alpha * (np.exp(input_scale * np.minimum(x, 0.0)) - 1.0)
    return scale * np.where(x > 0, x, below)


def celu(x: Any, alpha: float) -> Any:
    below = alpha * (np.exp(np.minimum(x, 0.0) / alpha) - 1.0)
    return np.where(x > 0, x, below)


def softplus(x: Any, beta: float, threshold: float) -> Any:
    scaled = beta * x
    curved = np.log(1.0 + np.exp(np.minimum(scaled, threshold))) / beta
    return np.where(scaled > threshold, x, curved)


def parametric_relu(x: Any, weight: Any, shape: Any) -> Any:
    return np.where(x > 0, x, weight.reshape(shape) * x)


def gated(x: Any, axis: int) -> Any:
    half = x.shape[axis] // 2
    first = np.take(x, np.arange(half), axis=axis)
    second = np.take(x, np.arange(half, 2 * half), axis=axis)
    gate = 1.0 / (1.0 + np.exp(-second))
    return first * gate


def log_sigmoid(x: Any) -> Any:
    return -np.log(1.0 + np.exp(-x))
