"""model(x).detach().cpu().numpy(), t.numpy(), np.asarray(t) and a copy of it, followed by NumPy arithmetic."""

import numpy as np
import torch
from torch import nn


def program(x, y):
    torch.manual_seed(20)
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    logits = model(x).detach().cpu().numpy()
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    loss = -np.log(probabilities[np.arange(len(y)), y]).mean()
    inputs = np.asarray(x)
    copied = np.asarray(x).copy()
    copied += 1
    means = inputs.mean(axis=0)
    weight = model[0].weight.detach().numpy()
    return probabilities, loss, copied, means, inputs @ weight.T, np.maximum(x.numpy(), 0)


FIRST = {"x": torch.tensor([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]), "y": np.array([0, 1, 0])}
SECOND = {"x": torch.tensor([[-0.9, 1.4], [0.35, -1.2], [0.75, 1.1]]), "y": np.array([1, 0, 0])}
