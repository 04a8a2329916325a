"""Cross-attention with padding: a boolean mask from lengths, -1e9 by np.where, batches in a loop."""

import numpy as np


def masked_softmax(scores, mask):
    scores = np.where(mask, scores, -1e9)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return exps / exps.sum(axis=-1, keepdims=True)


def program(source, target, lengths, W_K):
    outputs = np.zeros_like(target)
    all_weights = []
    for b, length in enumerate(lengths):
        keys = source[b] @ W_K
        scores = target[b] @ keys.T / np.sqrt(keys.shape[-1])
        mask = np.arange(len(keys)) < length
        weights = masked_softmax(scores, mask[np.newaxis, :])
        outputs[b] = weights @ source[b]
        all_weights.append(weights)
    counted = (np.arange(3) < np.array(lengths)[:, None])[..., None]
    mean = (source * counted).sum(axis=1) / counted.sum(axis=1)
    return outputs, np.stack(all_weights), mean


FIRST = {
    "source": np.sin(np.arange(12.0) + 0.5).reshape(2, 3, 2),
    "target": np.cos(np.arange(8.0)).reshape(2, 2, 2),
    "lengths": [3, 2],
    "W_K": np.array([[0.5, -1.0], [0.8, 0.2]]),
}
SECOND = {
    "source": np.sin(0.7 * np.arange(12.0) + 1.5).reshape(2, 3, 2),
    "target": np.cos(1.3 * np.arange(8.0) + 0.4).reshape(2, 2, 2),
    "lengths": [2, 3],
    "W_K": np.array([[-0.3, 0.6], [1.1, 0.9]]),
}
