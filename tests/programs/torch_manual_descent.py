"""Gradient descent by hand: w -= rate * w.grad under no_grad, grad.zero_(), three steps, losses by item()."""

import torch


def program(w, b, x, y, rate):
    w, b = w.clone().requires_grad_(), b.clone().requires_grad_()
    losses = []
    for step in range(3):
        prediction = x @ w + b
        loss = torch.mean((prediction - y) ** 2)
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad
            w.grad.zero_()
            b.grad = None
        losses.append(loss.item())
    return losses, w.detach(), b.detach(), sum(losses) / len(losses)


FIRST = {
    "w": torch.tensor([0.5, -0.3]),
    "b": torch.tensor(0.1),
    "x": torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, -0.6]]),
    "y": torch.tensor([0.9, -0.4, 0.7]),
    "rate": 0.1,
}
SECOND = {
    "w": torch.tensor([-0.8, 0.6]),
    "b": torch.tensor(0.4),
    "x": torch.tensor([[0.35, -0.7], [1.2, 0.5], [-0.9, 0.15]]),
    "y": torch.tensor([0.2, 1.1, -0.5]),
    "rate": 0.05,
}
