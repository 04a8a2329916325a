"""nn.TransformerEncoderLayer in eval, post-norm with ReLU and pre-norm with GELU, with a causal mask."""

import torch
from torch import nn


def program(x):
    torch.manual_seed(3)
    post = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, batch_first=True)
    pre = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, activation="gelu", norm_first=True, batch_first=True)
    post.eval()
    pre.eval()
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
    trained = post(x)
    with torch.no_grad():
        quick = post(x)
        causal = post(x, src_mask=mask, is_causal=True)
        before = pre(x, src_mask=mask)
    return trained, quick, causal, before


FIRST = {"x": torch.sin(torch.arange(24.0)).reshape(2, 3, 4)}
SECOND = {"x": torch.cos(0.7 * torch.arange(24.0)).reshape(2, 3, 4)}
