"""In-place methods: add_, sub_, mul_, div_, exp_, zero_, fill_, copy_, clamp_, masked_fill_, addcmul_, and aliases."""

import torch


def program(x, y):
    a = x.clone()
    alias = a
    a.add_(y).mul_(2.0)
    before = alias.sum()
    a.sub_(y, alpha=0.5)
    a.masked_fill_(a < 0, 0.0)
    b = torch.empty_like(x)
    b.copy_(a)
    b.exp_().div_(b.sum(dim=-1, keepdim=True))
    c = torch.zeros_like(x)
    c.fill_(0.25)
    c[0].zero_()
    c.addcmul_(x, y, value=0.1)
    d = x.clone().clamp_(-0.5, 0.5).neg_().abs_()
    d += y
    d *= x
    d -= 1
    d /= 2
    e = d.t()
    e.pow_(2)
    f = torch.lerp(x, y, 0.3).sqrt_().nan_to_num_(0.0)
    return a, before, b, c, d, e, f, x.clone().relu_().unsqueeze_(0)


FIRST = {
    "x": torch.tensor([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]]),
    "y": torch.tensor([[0.4, 1.1, -0.7], [0.9, -0.3, 0.1]]),
}
SECOND = {
    "x": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45]]),
    "y": torch.tensor([[1.3, -0.2, 0.9], [0.7, 0.15, -0.8]]),
}
