"""A block in the style of recent models: RMSNorm by rsqrt, SwiGLU, grouped keys by repeat_interleave, pre-norm."""

import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.full((dim,), 1.2))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Block(nn.Module):
    def __init__(self, dim=4, heads=2):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)
        self.wq, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(2))
        self.wk, self.wv = (nn.Linear(dim, dim // heads, bias=False) for _ in range(2))
        self.w1, self.w3 = nn.Linear(dim, 6, bias=False), nn.Linear(dim, 6, bias=False)
        self.w2 = nn.Linear(6, dim, bias=False)

    def attention(self, x):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.heads, -1).transpose(1, 2)
        k = self.wk(x).view(b, t, 1, -1).transpose(1, 2).repeat_interleave(self.heads, dim=1)
        v = self.wv(x).view(b, t, 1, -1).transpose(1, 2).repeat_interleave(self.heads, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(b, t, -1))

    def forward(self, x):
        h = x + self.attention(self.attention_norm(x))
        n = self.ffn_norm(h)
        return h + self.w2(F.silu(self.w1(n)) * self.w3(n))


def program(x):
    torch.manual_seed(8)
    layers = nn.ModuleList(Block() for _ in range(2)).eval()
    for layer in layers:
        x = layer(x)
    return x


FIRST = {"x": torch.sin(torch.arange(24.0)).reshape(2, 3, 4)}
SECOND = {"x": torch.cos(0.7 * torch.arange(24.0)).reshape(2, 3, 4)}
