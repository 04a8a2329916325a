"""Training that branches on a tensor's value: a step is halved until the loss falls, more often on the second input."""

import torch

BRANCHES = True


def program(w, x, y, rate):
    w = w.clone().requires_grad_()
    halvings = 0
    for _ in range(3):
        loss = ((x @ w - y) ** 2).sum()
        (gradient,) = torch.autograd.grad(loss, w)
        step = rate
        with torch.no_grad():
            while ((x @ (w - step * gradient) - y) ** 2).sum() > loss:
                step /= 2
                halvings += 1
            w -= step * gradient
        if gradient.norm() < 0.5:
            break
    return w.detach(), loss.detach(), halvings


FIRST = {
    "w": torch.tensor([0.5, -0.3]),
    "x": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]),
    "y": torch.tensor([0.9, -0.4, 0.7]),
    "rate": 0.25,
}
SECOND = {
    "w": torch.tensor([-0.8, 0.6]),
    "x": torch.tensor([[1.35, -0.7], [1.2, 1.5], [-0.9, 0.15]]),
    "y": torch.tensor([0.2, 1.1, -0.5]),
    "rate": 1.5,
}
