"""Windows of weights moved over numbers, and numbers spread by them, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


def convolution(x: Any, weight: Any, padding: Any, window: Any, axes: Any, steps: Any, spec: str) -> Any:
    padded = np.pad(x, padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, window, axis=axes)
    chosen = windows[steps]
    output = np.einsum(spec, chosen, weight)
    return output


def convolution_with_bias(
    x: Any, weight: Any, bias: Any, padding: Any, window: Any, axes: Any, steps: Any, spec: str
) -> Any:
    products = convolution(x, weight, padding, window, axes, steps, spec)
    output = products + bias.reshape(-1, *(1,) * len(window))
    return output


def grouped_convolution(
    x: Any, weight: Any, groups: int, padding: Any, window: Any, axes: Any, steps: Any, spec: str
) -> Any:
    inside, outside = x.shape[1] // groups, weight.shape[0] // groups
    parts = []
    for group in range(groups):
        seen = x[:, group * inside : (group + 1) * inside]
        filters = weight[group * outside : (group + 1) * outside]
        parts.append(convolution(seen, filters, padding, window, axes, steps, spec))
    output = np.concatenate(parts, axis=1)
    return output


def grouped_convolution_with_bias(
    x: Any, weight: Any, bias: Any, groups: int, padding: Any, window: Any, axes: Any, steps: Any, spec: str
) -> Any:
    products = grouped_convolution(x, weight, groups, padding, window, axes, steps, spec)
    output = products + bias.reshape(-1, *(1,) * len(window))
    return output


def transposed_convolution(
    x: Any, weight: Any, room: Any, places: Any, kept: Any, apart: Any, filters: Any, inner: Any, window: Any,
    axes: Any, steps: Any, spec: str, shape: Any, bias: Any = None,
) -> Any:  # fmt: skip
    """A convolution of the numbers a stride apart, with zeros between and around them, by the weights turned round."""
    spread = np.zeros(room, x.dtype)
    spread[places] = x[kept]
    windows = np.lib.stride_tricks.sliding_window_view(spread.reshape(apart), window, axis=axes)
    chosen = windows[steps]
    turned = np.flip(weight.reshape(filters), inner)
    products = np.einsum(spec, chosen, turned)
    output = products.reshape(shape)
    return output if bias is None else output + bias.reshape(-1, *(1,) * len(inner))


def number_reached(x: Any, weight: Any, numbers: Any, weights: Any, inner: Any, spec: str, bias: Any = None) -> Any:
    """One number of a transposed convolution: those whose windows reach it, by the weights that lie on it."""
    turned = np.flip(weight, inner)
    products = np.einsum(spec, x[numbers], turned[weights])
    return products if bias is None else products + bias


def moved_along(x: Any, weight: Any, margin: Any, turned: bool, conjugated: bool) -> Any:
    """The sums of products of a row of weights with what it lies on, at each place that it is moved to."""
    padded = np.pad(x, margin)
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[0])
    return np.einsum("pw,w->p", windows, lying(weight, turned, conjugated))


def met(x: Any, weight: Any, turned: bool, conjugated: bool) -> Any:
    """The sum of products at one of these places, where as many numbers meet as many weights."""
    return np.dot(x, lying(weight, turned, conjugated))


def lying(weight: Any, turned: bool, conjugated: bool) -> Any:
    """A row of weights as it is moved along: turned round in a convolution, conjugated in a correlation."""
    ahead = np.flip(weight) if turned else weight
    return np.conj(ahead) if conjugated else ahead
