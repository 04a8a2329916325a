"""Decoding one token at a time with key and value buffers written in place, beside the whole sequence at once."""

import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, d, max_length=8):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.register_buffer("cache_k", torch.zeros(max_length, d), persistent=False)
        self.register_buffer("cache_v", torch.zeros(max_length, d), persistent=False)
        self.position = 0

    def forward(self, x):
        t = x.shape[0]
        start, end = self.position, self.position + t
        self.cache_k[start:end] = self.key(x)
        self.cache_v[start:end] = self.value(x)
        k, v = self.cache_k[:end], self.cache_v[:end]
        scores = self.query(x) @ k.T / k.shape[-1] ** 0.5
        hidden = torch.arange(end)[None, :] > torch.arange(start, end)[:, None]
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        self.position = end
        return weights @ v


@torch.no_grad()
def program(x):
    torch.manual_seed(9)
    attention = CachedAttention(x.shape[1])
    steps = [attention(x[:2])] + [attention(x[i : i + 1]) for i in range(2, len(x))]
    one_by_one = torch.cat(steps)
    attention.position = 0
    attention.cache_k.zero_()
    at_once = attention(x)
    return one_by_one, at_once, attention.cache_k.clone()


FIRST = {"x": torch.sin(torch.arange(12.0)).reshape(4, 3)}
SECOND = {"x": torch.cos(0.7 * torch.arange(12.0)).reshape(4, 3)}
