"""Softmax cross-entropy by probs[np.arange(n), y], its gradient by hand and three steps of descent."""

import numpy as np


def loss_and_gradient(W, b, X, y):
    n = X.shape[0]
    logits = X @ W + b
    logits -= logits.max(axis=1, keepdims=True)
    probs = np.exp(logits)
    probs /= probs.sum(axis=1, keepdims=True)
    loss = -np.log(probs[np.arange(n), y]).mean()
    dlogits = probs.copy()
    dlogits[range(n), y] -= 1
    dlogits /= n
    return loss, X.T @ dlogits, dlogits.sum(axis=0)


def program(W, b, X, y, rate):
    W, b = W.copy(), b.copy()
    losses = []
    for step in range(3):
        loss, dW, db = loss_and_gradient(W, b, X, y)
        losses.append(loss)
        W -= rate * dW
        b -= rate * db
    return losses, W, b, dW


FIRST = {
    "W": np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]),
    "b": np.array([0.0, 0.1, -0.1]),
    "X": np.array([[1.0, 0.2], [0.1, 1.0], [-0.3, 0.6]]),
    "y": np.array([0, 2, 1]),
    "rate": 0.5,
}
SECOND = {
    "W": np.array([[0.7, 0.2, -0.5], [-0.3, 0.8, 0.15]]),
    "b": np.array([0.25, -0.35, 0.4]),
    "X": np.array([[-0.6, 1.3], [0.9, 0.35], [1.1, -0.8]]),
    "y": np.array([1, 0, 2]),
    "rate": 0.2,
}
