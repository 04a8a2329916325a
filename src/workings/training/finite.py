"""Where numbers stop being finite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn


def first_not_finite(objective: nn.Module, compute: Callable[[], object]) -> int | None:
    """The first module whose output is not finite while `compute` runs: its place among ``objective.modules()``.

    Args:
        objective: the module whose parts are watched.
        compute: calls it, with the numbers and the random state that led there.

    Returns: None where all outputs are finite.
    """
    found: list[int] = []
    places = {module: place for place, module in enumerate(objective.modules())}

    def look(module: nn.Module, _: Any, output: Any) -> None:
        if not found and not all(bool(tensor.isfinite().all()) for tensor in _floats(output)):
            found.append(places[module])

    hooks = [module.register_forward_hook(look) for module in places]
    try:
        with torch.no_grad():
            compute()
    finally:
        for hook in hooks:
            hook.remove()
    return found[0] if found else None


def said(objective: nn.Module, place: int) -> str:
    """A module as a reader would look for it, and which of its weights is not finite, if one is."""
    name, module = list(objective.named_modules())[place]
    if not name:
        return "the logits and their cross-entropy, all states being finite"
    bad = [n for n, p in module.named_parameters(recurse=False) if not bool(p.detach().isfinite().all())]
    return f"{name} ({type(module).__name__})" + (f", whose {bad[0]} itself is not finite" if bad else "")


def gradient_not_finite(objective: nn.Module) -> str | None:
    """The parameter, from the output backwards, whose gradient is not finite first."""
    for name, parameter in reversed(list(objective.named_parameters())):
        if parameter.grad is not None and not bool(parameter.grad.isfinite().all()):
            return name
    return None


def all_finite(objective: nn.Module) -> bool:
    """Whether all weights are finite."""
    return all(bool(parameter.detach().isfinite().all()) for parameter in objective.parameters())


def _floats(output: Any) -> Iterator[Tensor]:
    if isinstance(output, Tensor):
        if output.is_floating_point():
            yield output
    elif isinstance(output, list | tuple):
        for part in output:
            yield from _floats(part)
