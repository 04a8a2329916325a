"""Losses, written with simpler operations."""

from __future__ import annotations

from typing import Any

import numpy as np


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


def weighted_likelihood(log_probabilities: Any, targets: Any, weights: Any, ignored: int, reduction: int) -> Any:
    rows = np.arange(log_probabilities.shape[0])
    kept = targets != ignored
    known = np.where(kept, targets, 0)
    picked = log_probabilities[rows, known]
    shares = np.where(kept, weights[known], 0.0)
    losses = -picked * shares
    if reduction == 0:
        return losses
    total = np.sum(losses)
    if reduction == 2:
        return total
    loss = total / np.sum(shares)
    return loss


def kept_weight(targets: Any, weights: Any, ignored: int) -> Any:
    kept = targets != ignored
    return np.sum(np.where(kept, weights[np.where(kept, targets, 0)], 0.0))


def binary_likelihood(x: Any, target: Any, weight: Any, reduction: int) -> Any:
    right = target * np.maximum(np.log(x), -100.0)
    wrong = (1.0 - target) * np.maximum(np.log(1.0 - x), -100.0)
    losses = -(right + wrong) * weight
    return reduced(losses, reduction)


def kept_count(targets: Any, ignored: int) -> Any:
    kept = targets != ignored
    return np.sum(kept) * 1.0


def squared_error(x: Any, target: Any, reduction: int) -> Any:
    errors = (x - target) ** 2
    return reduced(errors, reduction)


def binary_likelihood_of_scores(x: Any, target: Any, weight: Any, positive: Any, reduction: int) -> Any:
    """``positive`` is what the answers that are 1 count."""
    size = 1.0 + (positive - 1.0) * target
    surprise = np.log(1.0 + np.exp(-np.abs(x))) + np.maximum(-x, 0.0)
    losses = ((1.0 - target) * x + size * surprise) * weight
    return reduced(losses, reduction)


def huber(x: Any, target: Any, delta: float, reduction: int) -> Any:
    gap = np.abs(x - target)
    losses = np.where(gap <= delta, 0.5 * gap**2, delta * (gap - 0.5 * delta))
    return reduced(losses, reduction)


def smooth_absolute_error(x: Any, target: Any, beta: float, reduction: int) -> Any:
    gap = np.abs(x - target)
    losses = np.where(gap < beta, 0.5 * gap**2 / beta, gap - 0.5 * beta)
    return reduced(losses, reduction)


def product_with_logarithm(x: Any, y: Any) -> Any:
    return np.where(x == 0, 0.0, x * np.log(y))


def reduced(losses: Any, reduction: int) -> Any:
    """Each loss by itself (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return losses
    total = np.sum(losses)
    if reduction == 2:
        return total
    loss = total / losses.size
    return loss
