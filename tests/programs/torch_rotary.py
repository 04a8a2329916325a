"""Rotary positions by slices: a cached cos and sin, rotate-half with cat, adjacent pairs with stack and flatten."""

import torch


def rope_cache(length, d, base=10000.0):
    inverse = 1.0 / base ** (torch.arange(0, d, 2).float() / d)
    angles = torch.outer(torch.arange(length).float(), inverse)
    return angles.cos(), angles.sin()


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_halves(x, cos, sin):
    cos, sin = torch.cat([cos, cos], -1), torch.cat([sin, sin], -1)
    return x * cos + rotate_half(x) * sin


def apply_pairs(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


def program(q, k):
    cos, sin = rope_cache(q.shape[-2], q.shape[-1])
    halves = apply_halves(q, cos, sin) @ apply_halves(k, cos, sin).transpose(-1, -2)
    pairs = apply_pairs(q, cos, sin) @ apply_pairs(k, cos, sin).transpose(-1, -2)
    return halves, pairs


FIRST = {"q": torch.sin(torch.arange(12.0)).reshape(1, 3, 4), "k": torch.cos(torch.arange(12.0)).reshape(1, 3, 4)}
SECOND = {
    "q": torch.sin(1.3 * torch.arange(12.0) + 0.4).reshape(1, 3, 4),
    "k": torch.cos(0.6 * torch.arange(12.0) + 0.9).reshape(1, 3, 4),
}
