"""Batched multi-head attention in np.einsum with ellipses and a causal mask by np.where."""

import numpy as np


def program(X, W_Q, W_K, W_V, W_O):
    q = np.einsum("bld,hdc->bhlc", X, W_Q)
    k = np.einsum("bld,hdc->bhlc", X, W_K)
    v = np.einsum("bld,hdc->bhlc", X, W_V)
    scores = np.einsum("bhqc,bhkc->bhqk", q, k) / np.sqrt(q.shape[-1])
    allowed = np.tril(np.ones(scores.shape[-2:], dtype=bool))
    scores = np.where(allowed, scores, -np.inf)
    scores = scores - scores.max(-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / np.einsum("...k->...", weights)[..., None]
    mixed = np.einsum("bhqk,bhkc->bhqc", weights, v)
    return np.einsum("bhqc,hcd->bqd", mixed, W_O), weights


def block(start, step, *shape):
    return np.cos(start + step * np.arange(np.prod(shape))).reshape(shape)


FIRST = {
    "X": block(0.1, 0.9, 2, 3, 4),
    "W_Q": block(0.2, 1.3, 2, 4, 2),
    "W_K": block(0.3, 0.7, 2, 4, 2),
    "W_V": block(0.4, 1.9, 2, 4, 2),
    "W_O": block(0.5, 1.1, 2, 2, 4),
}
SECOND = {
    "X": block(1.1, 0.5, 2, 3, 4),
    "W_Q": block(1.8, 0.8, 2, 4, 2),
    "W_K": block(2.3, 1.6, 2, 4, 2),
    "W_V": block(0.9, 1.2, 2, 4, 2),
    "W_O": block(1.4, 2.3, 2, 2, 4),
}
