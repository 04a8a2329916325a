"""torch.autograd.grad with create_graph: a derivative of a derivative, a Jacobian row by row, a detached path."""

import torch


def program(x, W):
    x = x.clone().requires_grad_()
    y = (x**3).sum() + torch.sin(x).prod()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    out = torch.tanh(W @ x)
    jacobian = torch.stack([torch.autograd.grad(out[i], x, retain_graph=True)[0] for i in range(len(out))])
    stopped = (x.detach() * x).sum()
    (half,) = torch.autograd.grad(stopped, x)
    return first.detach(), second, jacobian, half


FIRST = {"x": torch.tensor([0.5, -1.0, 0.3]), "W": torch.tensor([[0.3, 0.6, -0.2], [-0.4, 0.9, 0.7]])}
SECOND = {"x": torch.tensor([0.9, 0.4, -0.7]), "W": torch.tensor([[0.15, -0.6, 1.1], [0.85, 0.45, -0.3]])}
