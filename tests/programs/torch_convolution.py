"""nn.Conv1d and nn.Conv2d, max and average pooling, batch normalisation in eval, flatten and a linear layer."""

import torch
import torch.nn.functional as F
from torch import nn


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 2)
        return self.fc(torch.flatten(x, 1))


def program(image, signal):
    torch.manual_seed(12)
    net = SmallNet().eval()
    text = nn.Conv1d(2, 3, kernel_size=2)
    features = text(signal)
    pooled = F.adaptive_avg_pool1d(features.relu(), 1).squeeze(-1)
    return net(image), features, pooled, features.max(dim=-1).values


FIRST = {
    "image": torch.sin(torch.arange(16.0)).reshape(1, 1, 4, 4),
    "signal": torch.cos(torch.arange(8.0)).reshape(1, 2, 4),
}
SECOND = {
    "image": torch.sin(0.6 * torch.arange(16.0) + 1.0).reshape(1, 1, 4, 4),
    "signal": torch.cos(1.4 * torch.arange(8.0) + 0.5).reshape(1, 2, 4),
}
