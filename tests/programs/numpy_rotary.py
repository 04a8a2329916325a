"""Rotary positions by slices: adjacent pairs written with x[..., ::2], and halves joined by concatenate."""

import numpy as np


def angles(length, d, base):
    inverse = 1.0 / base ** (np.arange(0, d, 2) / d)
    return np.outer(np.arange(length), inverse)


def rotate_pairs(x, theta):
    out = np.empty_like(x)
    even, odd = x[..., ::2], x[..., 1::2]
    out[..., ::2] = even * np.cos(theta) - odd * np.sin(theta)
    out[..., 1::2] = even * np.sin(theta) + odd * np.cos(theta)
    return out


def rotate_halves(x, theta):
    half = x.shape[-1] // 2
    turned = np.concatenate([-x[:, half:], x[:, :half]], axis=-1)
    return x * np.cos(np.tile(theta, 2)) + turned * np.sin(np.tile(theta, 2))


def program(Q, K, base):
    theta = angles(len(Q), Q.shape[1], base)
    scores = rotate_pairs(Q, theta) @ rotate_pairs(K, theta).T
    other = rotate_halves(Q, theta) @ rotate_halves(K, theta).T
    return scores, other


FIRST = {
    "Q": np.array([[0.5, -1.0, 0.3, 0.8], [0.2, -0.6, 1.2, 0.7], [0.1, 0.9, -0.4, 1.1]]),
    "K": np.array([[1.3, 0.4, -0.7, 0.6], [-0.9, 0.25, 0.75, 0.35], [0.45, 1.5, 0.15, -0.2]]),
    "base": 10000.0,
}
SECOND = {
    "Q": np.array([[-0.8, 0.6, 1.4, 0.1], [0.7, 1.2, -0.3, 0.55], [1.6, -0.5, 0.9, -1.0]]),
    "K": np.array([[0.2, 1.1, 0.85, -0.4], [0.65, -0.15, 1.3, 0.95], [-1.2, 0.3, 0.5, 0.05]]),
    "base": 100.0,
}
