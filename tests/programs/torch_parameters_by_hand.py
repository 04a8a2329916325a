"""A self-attention module whose weights are nn.Parameter matrices given as arguments, x @ W without nn.Linear."""

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, W_query, W_key, W_value):
        super().__init__()
        self.wq, self.wk, self.wv = (nn.Parameter(w) for w in (W_query, W_key, W_value))

    def forward(self, x):
        q, k, v = x @ self.wq, x @ self.wk, x @ self.wv
        scores = q @ k.T
        return torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1) @ v


def program(x, W_query, W_key, W_value):
    attention = SelfAttention(W_query, W_key, W_value)
    heads = nn.ModuleList([attention, SelfAttention(W_key, W_query, W_value)])
    y = torch.cat([head(x) for head in heads], dim=-1)
    sizes = {name: p.numel() for name, p in attention.named_parameters()}
    return y, y.detach().round(decimals=3), sum(sizes.values())


FIRST = {
    "x": torch.tensor([[0.4, 0.1, 0.9], [0.5, -0.8, 0.7]]),
    "W_query": torch.tensor([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]),
    "W_key": torch.tensor([[0.3, 0.6], [-0.4, 0.9], [0.1, -0.5]]),
    "W_value": torch.tensor([[1.1, 0.2], [0.6, -0.7], [-0.3, 0.8]]),
}
SECOND = {
    "x": torch.tensor([[-0.7, 0.3, 0.5], [1.1, 0.2, -0.4]]),
    "W_query": torch.tensor([[-0.9, 1.4], [0.35, -1.2], [0.75, 1.1]]),
    "W_key": torch.tensor([[0.15, -0.6], [0.85, 0.45], [-0.2, 0.55]]),
    "W_value": torch.tensor([[0.4, -0.8], [1.3, 0.25], [0.95, -0.35]]),
}
