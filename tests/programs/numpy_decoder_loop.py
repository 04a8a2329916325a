"""Generation in a loop: the last row's scores, softmax, argmax, np.append of the new id (the same ids both times)."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def program(E, W_out, prompt):
    ids = prompt.copy()
    chances = []
    for _ in range(3):
        X = E[ids]
        weights = softmax(X @ X[-1] / np.sqrt(X.shape[1]))
        context = weights @ X
        probabilities = softmax(context @ W_out)
        next_id = np.argmax(probabilities)
        chances.append(probabilities[next_id])
        ids = np.append(ids, next_id)
    return ids, chances, np.log(chances).sum(), context


FIRST = {
    "E": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6]]),
    "W_out": np.array([[0.5, -0.2, 1.4], [0.3, 0.9, 1.1]]),
    "prompt": np.array([0, 1]),
}
SECOND = {
    "E": np.array([[0.7, 0.5], [0.4, 1.2], [0.6, 0.9]]),
    "W_out": np.array([[0.2, 0.6, 1.3], [-0.4, 0.1, 0.8]]),
    "prompt": np.array([1, 0]),
}
