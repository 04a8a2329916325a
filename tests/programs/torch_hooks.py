"""Forward hooks that keep what layers produced, one that changes an output, and one on a gradient."""

import torch
from torch import nn


def program(x, factor):
    torch.manual_seed(13)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    kept = {}

    def keep(name):
        def hook(module, inputs, output):
            kept[name] = output.detach()

        return hook

    for name, layer in model.named_children():
        layer.register_forward_hook(keep(name))
    ablation = model[1].register_forward_hook(lambda module, inputs, output: output * factor)
    changed = model(x)
    ablation.remove()
    plain = model(x)
    plain.register_hook(lambda g: g * 2)
    plain.sum().backward()
    return changed, plain, kept, model[0].weight.grad


FIRST = {"x": torch.tensor([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]), "factor": torch.tensor([1.0, 0.0, 0.5, -1.0])}
SECOND = {"x": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45]]), "factor": torch.tensor([0.3, 1.2, 0.0, 0.8])}
