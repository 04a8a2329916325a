"""An autograd Function with its own backward, used in a loss beside the library's form."""

import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        gate = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, gate)
        ctx.beta = beta
        return x * gate

    @staticmethod
    def backward(ctx, upstream):
        x, gate = ctx.saved_tensors
        return upstream * (gate + ctx.beta * x * gate * (1 - gate)), None


def program(x, w, beta):
    x = x.clone().requires_grad_()
    y = Swish.apply(x, beta)
    (w * y).sum().backward()
    mine = x.grad.clone()
    x.grad.zero_()
    (w * torch.nn.functional.silu(x * beta) / beta).sum().backward()
    return y.detach(), mine, x.grad


FIRST = {"x": torch.tensor([0.5, -1.0, 0.3]), "w": torch.tensor([0.4, 1.1, -0.7]), "beta": 1.5}
SECOND = {"x": torch.tensor([-0.9, 1.4, 0.6]), "w": torch.tensor([1.3, -0.2, 0.9]), "beta": 0.8}
