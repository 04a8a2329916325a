"""nn.Sequential with Linear, GELU, ReLU, Tanh, Softmax and Flatten; layers reached by index and in a loop."""

import torch
from torch import nn


def program(x):
    torch.manual_seed(7)
    feed_forward = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
    classifier = nn.Sequential(nn.Flatten(), nn.Linear(8, 3), nn.ReLU(), nn.Linear(3, 2), nn.Softmax(dim=1))
    tanh_gelu = nn.GELU(approximate="tanh")
    hidden = x + feed_forward(x)
    after_each = []
    h = x
    for layer in feed_forward:
        h = layer(h)
        after_each.append(h)
    probabilities = classifier(hidden)
    other = torch.sigmoid(feed_forward[0](x)) * nn.SiLU()(feed_forward[0](x))
    return hidden, after_each, probabilities, tanh_gelu(x), other, nn.LeakyReLU(0.1)(x), torch.tanh(x)


FIRST = {"x": torch.sin(torch.arange(16.0)).reshape(2, 2, 4)}
SECOND = {"x": torch.cos(0.7 * torch.arange(16.0)).reshape(2, 2, 4)}
