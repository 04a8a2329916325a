"""Dropout in training mode and a sampled token: what was drawn cannot be worked out from the inputs."""

import torch
import torch.nn.functional as F

OPAQUE = True


def program(x, w):
    torch.manual_seed(16)
    h = F.dropout(torch.tanh(x @ w), p=0.5, training=True)
    noisy = h + 0.1 * torch.randn_like(h)
    return h.sum(), noisy.softmax(-1)


FIRST = {"x": torch.tensor([[0.5, -1.0], [0.8, 0.2]]), "w": torch.tensor([[0.3, 0.6, -0.2], [-0.4, 0.9, 0.7]])}
SECOND = {"x": torch.tensor([[-0.9, 1.4], [0.35, -1.2]]), "w": torch.tensor([[0.15, -0.6, 1.1], [0.85, 0.45, -0.3]])}
