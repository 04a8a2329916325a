"""nn.TransformerDecoderLayer with memory padding, and a hand-written decoder block with named sub-layers."""

import torch
from torch import nn


class DecoderBlock(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.self_attention = nn.MultiheadAttention(d, heads, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(d, heads, batch_first=True)
        self.feed_forward = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))

    def forward(self, y, memory, mask):
        attended, _ = self.self_attention(y, y, y, attn_mask=mask)
        y = self.norms[0](y + attended)
        crossed, weights = self.cross_attention(y, memory, memory)
        y = self.norms[1](y + crossed)
        return self.norms[2](y + self.feed_forward(y)), weights


def program(target, memory):
    torch.manual_seed(14)
    mask = torch.triu(torch.ones(target.shape[1], target.shape[1], dtype=torch.bool), diagonal=1)
    padding = torch.tensor([[False, False, True]])
    library = nn.TransformerDecoderLayer(4, 2, dim_feedforward=8, batch_first=True).eval()
    block = DecoderBlock(4, 2).eval()
    with torch.no_grad():
        y, weights = block(target, memory, mask)
        z = library(target, memory, tgt_mask=mask, memory_key_padding_mask=padding)
    return y, weights, z


FIRST = {
    "target": torch.sin(torch.arange(8.0)).reshape(1, 2, 4),
    "memory": torch.cos(torch.arange(12.0)).reshape(1, 3, 4),
}
SECOND = {
    "target": torch.sin(1.3 * torch.arange(8.0) + 0.4).reshape(1, 2, 4),
    "memory": torch.cos(0.6 * torch.arange(12.0) + 0.9).reshape(1, 3, 4),
}
