"""Multi-head attention by view and transpose, contiguous, an output projection and a causal mask."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        k = k.view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        v = v.view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * self.d_head**-0.5
        causal = torch.tril(torch.ones(T, T)).view(1, 1, T, T)
        att = att.masked_fill(causal == 0, float("-inf"))
        att = att.softmax(dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.out(y), att


@torch.no_grad()
def program(x):
    torch.manual_seed(0)
    model = MultiHeadAttention(4, 2).eval()
    y, att = model(x)
    return y, att, att.mean(dim=1)


FIRST = {"x": torch.sin(torch.arange(24.0)).reshape(2, 3, 4)}
SECOND = {"x": torch.cos(0.7 * torch.arange(24.0)).reshape(2, 3, 4)}
