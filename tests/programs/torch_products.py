"""Every way to multiply: @, mm, bmm, mv, matmul, baddbmm, addmm, F.linear, outer, inner, tensordot, bilinear."""

import torch
import torch.nn.functional as F


def program(A, B, x):
    stack = torch.stack([A, B])
    return {
        "at": A @ B,
        "mm": torch.mm(A, B),
        "mv": A.mv(x),
        "bmm": torch.bmm(stack, stack.transpose(1, 2)),
        "addmm": torch.addmm(x, A, B, beta=0.5, alpha=2.0),
        "baddbmm": torch.baddbmm(stack, stack, stack),
        "linear": F.linear(A, B, x),
        "bare": F.linear(x, A),
        "outer": torch.outer(x, x),
        "inner": torch.inner(A, B),
        "tensordot": torch.tensordot(A, stack, dims=([1], [1])),
        "dot": x.dot(x),
        "batched": stack @ x,
        "cosine": F.cosine_similarity(A, B, dim=-1),
        "normal": F.normalize(A, dim=-1),
        "power": A.matrix_power(2),
        "bilinear": F.bilinear(A, B, stack, x),
        "distance": torch.cdist(A, B),
    }


OPAQUE = True
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
