"""Fused attention in float64 beside the same attention written out, and the gradients of both."""

import math

import torch
import torch.nn.functional as F


def eager(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    hidden = torch.triu(torch.ones_like(scores, dtype=torch.bool), diagonal=1)
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    return torch.matmul(F.softmax(scores, dim=-1), v)


def program(q, k, v):
    q, k, v = (t.clone().requires_grad_() for t in (q, k, v))
    fused = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    written = eager(q, k, v)
    fused.pow(2).sum().backward()
    fused_grad = q.grad.clone()
    q.grad = None
    written.pow(2).sum().backward()
    return fused.detach(), written.detach(), fused_grad, q.grad, torch.allclose(fused, written)


def block(start, step):
    return torch.sin(start + step * torch.arange(12.0, dtype=torch.float64)).reshape(1, 2, 3, 2)


FIRST = {"q": block(0.1, 0.9), "k": block(0.2, 1.3), "v": block(0.3, 0.7)}
SECOND = {"q": block(1.1, 0.5), "k": block(1.8, 0.8), "v": block(2.3, 1.6)}
