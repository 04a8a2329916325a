"""Numbers that travel from a list to an array to a tensor and back to a list, with arithmetic at every stop."""

import math

import numpy as np
import torch


def program(vectors):
    lengths = {word: math.sqrt(sum(v * v for v in vector)) for word, vector in vectors.items()}
    E = np.array([[v / lengths[word] for v in vector] for word, vector in vectors.items()])
    cosines = E @ E.T
    tensor = torch.tensor(cosines, dtype=torch.float32)
    weights = torch.softmax(tensor * 3, dim=-1).tolist()
    mixed = [[sum(w * e[j] for w, e in zip(row, E)) for j in range(E.shape[1])] for row in weights]
    table = dict(zip(vectors, mixed))
    total = torch.tensor(mixed).sum().item() + float(np.sum(mixed))
    return lengths, cosines, table, total


FIRST = {"vectors": {"apple": [1.0, 0.2], "shares": [0.1, 1.0], "fell": [0.3, 0.6]}}
SECOND = {"vectors": {"apple": [0.8, -0.3], "shares": [0.4, 1.2], "fell": [-0.7, 0.9]}}
