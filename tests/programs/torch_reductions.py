"""Reductions: sum, mean, var with and without Bessel, std, max with indices, amax, min, prod, norm, logsumexp, any."""

import torch


def program(x):
    best, where = torch.max(x, dim=1)
    low = x.min(dim=0)
    variance, average = torch.var_mean(x, dim=-1, correction=0)
    return {
        "sum": x.sum(),
        "rows": x.sum(dim=1),
        "keep": x.sum(-1, keepdim=True),
        "mean": x.mean(0),
        "var": x.var(dim=1),
        "population": x.var(dim=1, unbiased=False),
        "std": x.std(),
        "best": best,
        "where": x[0, where],
        "low": low.values,
        "amax": x.amax(dim=(0, 1)),
        "prod": x.prod(dim=0),
        "norm": x.norm(dim=-1),
        "linalg": torch.linalg.norm(x),
        "logsumexp": x.logsumexp(dim=1),
        "cumprod": x.cumprod(dim=1),
        "variance": variance,
        "average": average,
        "any": (x > 1).any(dim=1),
        "count": (x > 0).sum(),
        "trace": x[:, :2].trace(),
        "median": x.median(dim=1).values,
        "vector": torch.linalg.vector_norm(x, ord=1, dim=0),
        "abs": x.abs().max(),
        "sorted": x.sort(dim=0)[0],
    }


OPAQUE = True
FIRST = {"x": torch.tensor([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6]])}
SECOND = {"x": torch.tensor([[-0.9, 1.4, 0.6], [0.35, -1.2, 0.45]])}
