"""A causal attention module of a teaching book's kind: nn.Linear, a registered mask buffer, masked_fill_, dropout."""

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, width, head_width, longest, drop=0.1, bias=False):
        super().__init__()
        self.to_query = nn.Linear(width, head_width, bias=bias)
        self.to_key = nn.Linear(width, head_width, bias=bias)
        self.to_value = nn.Linear(width, head_width, bias=bias)
        self.drop = nn.Dropout(drop)
        future = torch.ones(longest, longest).triu(diagonal=1)
        self.register_buffer("future", future.bool())

    def forward(self, x):
        batch, length, width = x.shape
        queries, keys, values = self.to_query(x), self.to_key(x), self.to_value(x)
        scores = queries @ keys.transpose(1, 2)
        scores.masked_fill_(self.future[:length, :length], -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return self.drop(weights) @ values


def program(x):
    torch.manual_seed(17)
    attention = CausalAttention(3, 2, longest=6, drop=0.5)
    attention.eval()
    batch = torch.stack((x, x.flip(0)), dim=0)
    return attention(batch)


FIRST = {"x": torch.tensor([[0.4, 0.1, 0.9], [0.5, -0.8, 0.7], [0.6, 0.9, 0.6], [0.2, 0.6, -0.3]])}
SECOND = {"x": torch.tensor([[-0.7, 0.3, 0.5], [1.1, 0.2, -0.4], [0.15, -0.6, 0.8], [0.9, 1.3, 0.05]])}
