"""Softmax written out, with tril and triu masks, cumsum, exp, sum with keepdim, and a running stable form."""

import torch


def softmax_naive(x):
    return torch.exp(x) / torch.exp(x).sum(dim=0)


def softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    e = x.exp()
    return e / e.sum(dim=dim, keepdim=True)


def online(row):
    m, total = torch.tensor(-torch.inf), torch.tensor(0.0)
    for value in row:
        new = torch.maximum(m, value)
        total = total * torch.exp(m - new) + torch.exp(value - new)
        m = new
    return torch.exp(row - m) / total


def program(scores):
    n = scores.shape[0]
    simple = torch.tril(torch.ones(n, n))
    renormalised = softmax(scores) * simple
    renormalised = renormalised / renormalised.sum(dim=-1, keepdim=True)
    masked = softmax(scores + torch.triu(torch.full((n, n), -torch.inf), diagonal=1))
    running_mean = torch.cumsum(scores, dim=0) / torch.arange(1, n + 1).unsqueeze(1)
    return softmax_naive(scores[0]), renormalised, masked, running_mean, torch.stack([online(row) for row in scores])


FIRST = {"scores": torch.tensor([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]])}
SECOND = {"scores": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45], [0.75, 1.1, -0.25]])}
