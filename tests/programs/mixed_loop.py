"""A loop that uses both libraries on each row: NumPy scores, torch softmax, a NumPy matrix filled row by row."""

import numpy as np
import torch
import torch.nn.functional as F


def program(X, W):
    n = len(X)
    scores = np.zeros((n, n), dtype=np.float32)
    outputs = []
    for i in range(n):
        for j in range(n):
            scores[i, j] = float(X[i] @ W @ X[j])
        weights = F.softmax(torch.from_numpy(scores[i]), dim=0)
        mixed = torch.zeros(X.shape[1])
        for w, x in zip(weights, X):
            mixed += w * torch.as_tensor(x, dtype=torch.float32)
        outputs.append(mixed)
    Y = torch.stack(outputs)
    return scores, Y, np.linalg.norm(Y.numpy(), axis=1)


FIRST = {"X": np.array([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]), "W": np.array([[0.3, 0.6], [-0.4, 0.9]])}
SECOND = {"X": np.array([[-0.9, 1.4], [0.35, -1.2], [0.75, 1.1]]), "W": np.array([[0.15, -0.6], [0.85, 0.45]])}
