"""AdamW, clipping, and the running average of the weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import torch
from torch import Tensor, nn


def adamw(
    model: nn.Module,
    *,
    decay: float = 0.01,
    betas: tuple[float, float] = (0.9, 0.98),
    epsilon: float = 1e-9,
) -> torch.optim.AdamW:
    """Fused AdamW. Loshchilov and Hutter (2019). Matrices decay; biases, gains and other vectors do not.

    The rate is set before each step, from the schedule.
    """
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in learned if p.ndim >= 2], "weight_decay": decay},
        {"params": [p for p in learned if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], lr=0.0, betas=betas, eps=epsilon, fused=True)


def gradient_norm(parameters: list[nn.Parameter]) -> float:
    """The Euclidean norm of all gradients together."""
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    return float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm)


def clip(parameters: list[nn.Parameter], norm: float, most: float | None) -> None:
    """Scale the gradients, whose norm this is, down to the norm `most` where it is larger."""
    if most is not None and norm > most:
        nn.utils.clip_grads_with_norm_(parameters, most, torch.tensor(norm))


@final
class Average:
    """A running average of the weights: after each step, ``average = decay · average + (1 - decay) · weights``.

    In the first steps less of the past is kept, (1 + step) / (10 + step), so that the start is soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self._parameters = dict(model.named_parameters())
        self.weights: dict[str, Tensor] = {name: p.detach().clone() for name, p in self._parameters.items()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the weights as they are after this step."""
        decay = min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(list(self.weights.values()), list(self._parameters.values()), 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Inside, the model has the averaged weights."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for name, parameter in self._parameters.items():
            kept = parameter.detach().clone()
            parameter.copy_(self.weights[name])
            self.weights[name].copy_(kept)
