"""Looking up embeddings three ways: np.eye(n)[ids] @ E, E[ids], and a dictionary of words to row numbers."""

import numpy as np

VOCABULARY = {"apple": 0, "shares": 1, "fell": 2, "sharply": 3}


def program(E, ids, b):
    one_hot = np.eye(len(E))[ids]
    X = one_hot @ E
    same = E[ids]
    words = "shares fell sharply".split()
    looked_up = np.stack([E[VOCABULARY[w]] for w in words])
    logits = X @ E.T + b
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    next_id = probabilities[-1].argmax()
    next_vector = E[next_id]
    named = {word: float(p) for word, p in zip(VOCABULARY, probabilities[-1])}
    return X + same, looked_up, probabilities, next_vector, named, one_hot.sum(axis=0)


FIRST = {
    "E": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]]),
    "ids": np.array([1, 2, 1]),
    "b": np.array([0.1, 0.3, -0.1, 0.2]),
}
SECOND = {
    "E": np.array([[0.7, -0.4], [0.5, 1.3], [-0.6, 0.9], [1.1, 0.35]]),
    "ids": np.array([0, 3, 1]),
    "b": np.array([-0.3, 0.4, 0.05, 0.25]),
}
