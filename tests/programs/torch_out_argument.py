"""torch functions that write into out=, tuples of outputs written, and lists of tensors changed together."""

import torch


def program(A, B, x):
    buffer = torch.empty(2, 2)
    torch.matmul(A, B, out=buffer)
    product = buffer.clone()
    torch.add(buffer, 1.0, out=buffer)
    torch.softmax(buffer, dim=-1, out=buffer)
    values, places = torch.empty(2), torch.empty(2, dtype=torch.long)
    torch.max(A, dim=1, out=(values, places))
    rows = torch.zeros(3, 2)
    torch.mul(A[0], x, out=rows[1])
    torch.exp(x, out=rows[2])
    stacked = torch.empty(2, 2)
    torch.stack([x, A[1]], out=stacked)
    group = [A.clone(), B.clone()]
    torch._foreach_mul_(group, 2.0)
    torch._foreach_add_(group, [B, A])
    return product, buffer, values, rows, stacked, group


FIRST = {
    "A": torch.tensor([[0.5, -1.0], [0.8, 0.2]]),
    "B": torch.tensor([[1.3, 0.4], [-0.7, 0.9]]),
    "x": torch.tensor([0.6, -0.3]),
}
SECOND = {
    "A": torch.tensor([[-0.6, 0.35], [1.2, 0.9]]),
    "B": torch.tensor([[0.1, -1.4], [0.55, 0.25]]),
    "x": torch.tensor([-0.85, 1.5]),
}
