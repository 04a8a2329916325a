"""nn.MultiheadAttention as self-attention: averaged and per-head weights, with gradients on and off."""

import torch
from torch import nn


def program(x):
    torch.manual_seed(1)
    mha = nn.MultiheadAttention(embed_dim=4, num_heads=2, batch_first=True)
    mha.eval()
    output, weights = mha(x, x, x)
    with torch.no_grad():
        quick, _ = mha(x, x, x, need_weights=False)
        each, per_head = mha(x, x, x, average_attn_weights=False)
    return output, weights, quick, each, per_head


FIRST = {"x": torch.sin(torch.arange(24.0)).reshape(2, 3, 4)}
SECOND = {"x": torch.cos(0.7 * torch.arange(24.0)).reshape(2, 3, 4)}
