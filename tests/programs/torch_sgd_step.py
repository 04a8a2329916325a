"""torch.optim.SGD with momentum on a small classifier: zero_grad, backward and step, twice."""

import torch
import torch.nn.functional as F
from torch import nn


def program(x, y, weight, bias):
    model = nn.Linear(2, 3)
    model.load_state_dict({"weight": weight, "bias": bias})
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    before = model.weight.detach().clone()
    losses = []
    for _ in range(2):
        optimiser.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses, before, model.weight.detach(), model.bias.grad, model.state_dict()["bias"]


FIRST = {
    "x": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]),
    "y": torch.tensor([0, 2, 1]),
    "weight": torch.tensor([[0.5, -0.3], [0.2, 0.8], [-0.6, 0.4]]),
    "bias": torch.tensor([0.1, 0.0, -0.1]),
}
SECOND = {
    "x": torch.tensor([[0.35, -0.7], [1.2, 0.5], [-0.9, 0.15]]),
    "y": torch.tensor([1, 0, 2]),
    "weight": torch.tensor([[-0.2, 0.9], [1.1, 0.6], [0.45, -0.75]]),
    "bias": torch.tensor([0.25, -0.35, 0.4]),
}
