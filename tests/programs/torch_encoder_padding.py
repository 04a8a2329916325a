"""nn.TransformerEncoder of two layers with a key padding mask, once on the fast path and once with gradients on."""

import warnings

import torch
from torch import nn


def program(x):
    torch.manual_seed(4)
    layer = nn.TransformerEncoderLayer(d_model=4, nhead=2, dim_feedforward=8, batch_first=True)
    encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(4)).eval()
    lengths = torch.tensor([3, 2])
    padding = torch.arange(x.shape[1])[None, :] >= lengths[:, None]
    slow = encoder(x, src_key_padding_mask=padding)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are announced as a prototype
        fast = encoder(x, src_key_padding_mask=padding)
    kept = (~padding).unsqueeze(-1)
    pooled = (slow * kept).sum(dim=1) / kept.sum(dim=1)
    return slow * kept, fast * kept, pooled


OPAQUE = True
FIRST = {"x": torch.sin(torch.arange(24.0)).reshape(2, 3, 4)}
SECOND = {"x": torch.cos(0.7 * torch.arange(24.0)).reshape(2, 3, 4)}
