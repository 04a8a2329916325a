"""x[i] = ..., x[mask] = ..., x[rows, columns] = ..., x[:, 1] += ..., index_put_, index_fill_, scatter_."""

import torch


def program(x, values):
    y = torch.zeros(3, 3)
    y[0] = x[1]
    y[1, :2] = values
    y[2][0] = x[0, 0] * 2
    y[:, 1] += 1.0
    y[torch.tensor([0, 2]), torch.tensor([2, 1])] = values
    z = x.clone()
    z[z > 0.5] = -1.0
    z[z < -0.5] *= 2
    z[-1] -= z[0]
    z[..., -1] = values.sum()
    z.index_put_((torch.tensor([0, 0]), torch.tensor([1, 1])), values, accumulate=True)
    z.index_fill_(1, torch.tensor([2]), 0.5)
    w = torch.zeros(2, 4).scatter_(1, torch.tensor([[0], [3]]), x[:, :1])
    w.scatter_add_(1, torch.tensor([[1, 1], [0, 2]]), x[:, 1:])
    w[:, [0, 1]] = w[:, [1, 0]]
    w.diagonal().add_(values)
    w[:, ::2] = 0.1 * x[:, :2]
    return y, z, w


FIRST = {"x": torch.tensor([[0.7, -1.0, 0.3], [0.8, 0.2, -0.6]]), "values": torch.tensor([0.9, -0.4])}
SECOND = {"x": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45]]), "values": torch.tensor([-0.15, 1.6])}
