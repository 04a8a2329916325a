"""What layers compute, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.equations import attention
from workings.equations._arrays import erf
from workings.recording.operations.lowered.normalisations import normalised_tokens


def affine(bias: Any, x: Any, weight: Any) -> Any:
    products = x @ weight
    output = products + bias
    return output


def scaled_affine(bias: Any, x: Any, weight: Any, beta: float, alpha: float) -> Any:
    return beta * bias + alpha * (x @ weight)


def linear(x: Any, weight: Any) -> Any:
    output = x @ weight.T
    return output


def linear_with_bias(x: Any, weight: Any, bias: Any) -> Any:
    products = x @ weight.T
    output = products + bias
    return output


def attention_where(queries: Any, keys: Any, values: Any, seen: Any, shown: Any, scale: float | None = None) -> Any:
    """Attention with a mask of flags: true where a query sees a key."""
    mask = np.where(seen, shown, -np.inf)
    return attention(queries, keys, values, mask=mask, scale=scale)


def largest_in_windows(x: Any, window: Any, axes: Any, steps: Any, inside: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, window, axis=axes)
    chosen = windows[steps]
    return np.max(chosen, axis=inside)


def mean_in_windows(x: Any, padding: Any, window: Any, axes: Any, steps: Any, inside: Any, count: int) -> Any:
    padded = np.pad(x, padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, window, axis=axes)
    chosen = windows[steps]
    return np.sum(chosen, axis=inside) / count


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
