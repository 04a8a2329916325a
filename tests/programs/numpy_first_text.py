"""The first text's twelve lines of attention, its two matrices given as arguments."""

import numpy as np


def attention(Q, K, V, mask=None):
    """Scaled dot-product attention, one line per step of section 4."""
    d_k = K.shape[-1]
    S = Q @ K.T / np.sqrt(d_k)  # scores, scaled
    if mask is not None:
        S = S + mask  # -inf above the diagonal
    W = np.exp(S - S.max(axis=-1, keepdims=True))
    W = W / W.sum(axis=-1, keepdims=True)  # softmax, row by row
    return W @ V, W  # mix of the values, and the weights


def program(X, W_Q):
    Y, W = attention(X @ W_Q, X, X)
    return Y, W, W[0].round(3), Y[0].round(3)


FIRST = {
    "X": np.array([[1.0, 0.2], [0.1, 1.0], [0.3, 0.6], [0.2, 0.5]]),
    "W_Q": np.array([[0.0, 1.0], [1.0, 0.0]]),
}
SECOND = {
    "X": np.array([[0.4, -0.9], [1.2, 0.3], [-0.7, 0.8], [0.5, 1.1]]),
    "W_Q": np.array([[0.6, -0.8], [0.7, 0.2]]),
}
