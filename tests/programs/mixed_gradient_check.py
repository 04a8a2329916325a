"""A gradient written in NumPy beside the one backward gives, for a softmax layer, and their difference."""

import numpy as np
import torch


def numpy_gradient(W, X, targets):
    logits = X @ W
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities = e / e.sum(axis=1, keepdims=True)
    delta = probabilities - np.eye(W.shape[1])[targets]
    return X.T @ delta / len(X)


def program(W, X, targets):
    mine = numpy_gradient(W, X, targets)
    weight = torch.tensor(W, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(torch.from_numpy(X) @ weight, torch.from_numpy(targets))
    loss.backward()
    theirs = weight.grad.numpy()
    updated = W - 0.1 * theirs
    return mine, theirs, np.allclose(mine, theirs), updated, loss.item()


FIRST = {
    "W": np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]),
    "X": np.array([[1.0, 0.2], [0.1, 1.0], [-0.3, 0.6]]),
    "targets": np.array([0, 2, 1]),
}
SECOND = {
    "W": np.array([[0.7, 0.2, -0.5], [-0.3, 0.8, 0.15]]),
    "X": np.array([[-0.6, 1.3], [0.9, 0.35], [1.1, -0.8]]),
    "targets": np.array([1, 0, 2]),
}
