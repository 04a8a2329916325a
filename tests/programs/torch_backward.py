"""backward through attention: .grad of inputs and weights, gradients adding up over two calls, retain_grad."""

import torch


def program(X, W, target):
    X = X.clone().requires_grad_(True)
    W = W.clone().requires_grad_(True)
    scores = X @ W @ X.T
    scores.retain_grad()
    weights = torch.softmax(scores, dim=-1)
    out = weights @ X
    loss = ((out - target) ** 2).mean()
    loss.backward(retain_graph=True)
    once = W.grad.clone()
    loss.backward()
    return loss.detach(), once, W.grad, X.grad, scores.grad


FIRST = {
    "X": torch.tensor([[0.5, -1.0], [0.8, 0.2], [1.2, 0.7]]),
    "W": torch.tensor([[0.3, 0.6], [-0.4, 0.9]]),
    "target": torch.tensor([[0.1, 0.2], [0.4, -0.3], [0.6, 0.9]]),
}
SECOND = {
    "X": torch.tensor([[-0.9, 1.4], [0.35, -1.2], [0.75, 1.1]]),
    "W": torch.tensor([[0.15, -0.6], [0.85, 0.45]]),
    "target": torch.tensor([[0.7, -0.5], [0.25, 0.65], [-0.1, 1.3]]),
}
