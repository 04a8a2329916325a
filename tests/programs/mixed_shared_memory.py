"""torch.from_numpy shares memory: changes on one side are read on the other, in both directions; clones do not."""

import numpy as np
import torch


def program(X, shift):
    array = X.copy()
    tensor = torch.from_numpy(array)
    apart = torch.tensor(array)
    array[0] += shift
    seen = tensor.sum(dim=1)
    tensor.mul_(2)
    tensor[1, 1] = shift[0]
    back = tensor.numpy()
    back[:, 0] -= 1.0
    view = torch.from_numpy(array[1])
    view.add_(0.5)
    return array, tensor, apart @ tensor.T, seen, np.exp(back).sum()


FIRST = {"X": np.array([[0.5, -1.0], [0.8, 0.2]]), "shift": np.array([0.3, 0.6])}
SECOND = {"X": np.array([[-0.9, 1.4], [0.35, -1.2]]), "shift": np.array([1.1, -0.4])}
