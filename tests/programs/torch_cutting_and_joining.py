"""chunk, split, unbind, cat, stack, hstack, expand, repeat, permute, narrow, squeeze, flatten, roll, flip."""

import torch


def program(x, v):
    q, k, w = torch.chunk(x, 3, dim=-1)
    left, right = x.split([2, 4], dim=-1)
    rows = x.unbind(0)
    joined = torch.cat((q, k * w), dim=1)
    stacked = torch.stack([rows[0], rows[1] * 2], dim=1)
    expanded = v.unsqueeze(0).expand(2, -1) * q
    repeated = v.repeat(2, 2)
    interleaved = v.repeat_interleave(2)
    permuted = x.view(2, 3, 2).permute(2, 0, 1)
    middle = x.narrow(1, 1, 3)
    flat = permuted.flatten(1)
    rolled = torch.roll(x, shifts=1, dims=1) - x.flip(1)
    wide = torch.hstack([left, right[:, ::2]]) + torch.vstack([v, v]).repeat(1, 2)
    tail = x[..., None].squeeze(-1).movedim(0, 1)[-1]
    return joined, stacked, expanded, repeated, interleaved, permuted, middle, flat, rolled, wide, tail, x.mT @ x


FIRST = {"x": torch.sin(torch.arange(12.0)).reshape(2, 6), "v": torch.tensor([0.4, -0.9])}
SECOND = {"x": torch.cos(0.7 * torch.arange(12.0)).reshape(2, 6), "v": torch.tensor([1.3, 0.6])}
