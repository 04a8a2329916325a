"""nn.MultiheadAttention as cross-attention: key padding, an additive mask, sequence first, kdim and vdim."""

import torch
from torch import nn


def program(target, memory):
    torch.manual_seed(2)
    mha = nn.MultiheadAttention(4, 2, kdim=3, vdim=3)
    mha.eval()
    padding = torch.tensor([[False, False, True], [False, True, True]])
    shape = (target.shape[0], memory.shape[0])
    bias = torch.zeros(shape).masked_fill(torch.ones(shape).triu(2).bool(), float("-inf"))
    padded, weights = mha(target, memory, memory, key_padding_mask=padding)
    masked, _ = mha(target, memory, memory, attn_mask=bias)
    both = mha(target, memory, memory, key_padding_mask=padding, attn_mask=bias > -1e9, need_weights=False)[0]
    return padded, weights, masked, torch.nan_to_num(both)


FIRST = {
    "target": torch.sin(torch.arange(16.0)).reshape(2, 2, 4),
    "memory": torch.cos(torch.arange(18.0)).reshape(3, 2, 3),
}
SECOND = {
    "target": torch.sin(1.3 * torch.arange(16.0) + 0.4).reshape(2, 2, 4),
    "memory": torch.cos(0.6 * torch.arange(18.0) + 0.9).reshape(3, 2, 3),
}
