"""nn.ConvTranspose1d and 2d as a decoder: strides, padding, output padding, groups and dilation; a cross product."""

import torch
import torch.nn.functional as F
from torch import nn


def program(code, signal):
    torch.manual_seed(3)
    larger = nn.ConvTranspose2d(2, 2, kernel_size=3, stride=2, padding=1, output_padding=1, groups=2)
    image = larger(code).relu()
    wider = nn.ConvTranspose1d(2, 3, kernel_size=2, dilation=2, bias=False)
    spread = wider(signal)
    filled = F.conv_transpose3d(code[:, :, None], torch.ones(2, 1, 2, 1, 2) * 0.5, stride=(1, 2, 1))
    across = torch.linalg.cross(spread[0], spread[0] ** 2, dim=0)
    return image, spread, filled, across


FIRST = {
    "code": torch.sin(torch.arange(8.0)).reshape(1, 2, 2, 2),
    "signal": torch.cos(torch.arange(6.0)).reshape(1, 2, 3),
}
SECOND = {
    "code": torch.sin(0.7 * torch.arange(8.0) + 1.0).reshape(1, 2, 2, 2),
    "signal": torch.cos(1.3 * torch.arange(6.0) + 0.5).reshape(1, 2, 3),
}
