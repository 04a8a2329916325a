"""F.scaled_dot_product_attention: plain, causal, boolean and float masks, another scale, grouped keys."""

import torch
import torch.nn.functional as F


def program(q, k, v, bias):
    allowed = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    plain = F.scaled_dot_product_attention(q, k, v)
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    boolean = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    biased = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    scaled = F.scaled_dot_product_attention(q, k, v, scale=1.0)
    grouped = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True)
    flat = F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0])
    return plain, causal, boolean, biased, scaled, grouped, flat


def block(start, step):
    return torch.sin(start + step * torch.arange(12.0)).reshape(1, 2, 3, 2)


FIRST = {
    "q": block(0.1, 0.9),
    "k": block(0.2, 1.3),
    "v": block(0.3, 0.7),
    "bias": block(0.5, 0.4)[0, 0] @ torch.ones(2, 3),
}
SECOND = {
    "q": block(1.1, 0.5),
    "k": block(1.8, 0.8),
    "v": block(2.3, 1.6),
    "bias": block(0.9, 1.2)[0, 0] @ torch.ones(2, 3),
}
