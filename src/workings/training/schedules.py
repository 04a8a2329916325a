"""How the learning rate goes over the steps, which count from 1. A schedule is a function of the step alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True)
class InverseSquareRoot:
    """Up in a line to `peak` at step `warmup`, then down with the square root of the step.

    Vaswani et al. (2017), equation (3), has the peak (width · warmup)^-½: see `paper`.
    """

    peak: float
    warmup: int

    def rate(self, step: int) -> float:
        return self.peak * min(step / self.warmup, math.sqrt(self.warmup / step)) if self.warmup else self.peak

    @classmethod
    def paper(cls, width: int, warmup: int = 4000) -> InverseSquareRoot:
        """The paper's own: width^-½ · min(step^-½, step · warmup^-3/2)."""
        return cls(peak=(width * warmup) ** -0.5, warmup=warmup)


@dataclass(frozen=True, kw_only=True)
class Cosine:
    """Up in a line to `peak` at step `warmup`, then down half a cosine to `floor` · peak at step `steps`."""

    peak: float
    warmup: int
    steps: int
    floor: float = 0.1

    def rate(self, step: int) -> float:
        if step < self.warmup:
            return self.peak * step / self.warmup
        share = min(1.0, (step - self.warmup) / max(1, self.steps - self.warmup))
        return self.peak * (self.floor + (1 - self.floor) * (1 + math.cos(math.pi * share)) / 2)


@dataclass(frozen=True, kw_only=True)
class Constant:
    """Up in a line to `peak` at step `warmup`, and there it stays."""

    peak: float
    warmup: int = 0

    def rate(self, step: int) -> float:
        return self.peak * min(1.0, step / self.warmup) if self.warmup else self.peak


Schedule: TypeAlias = InverseSquareRoot | Cosine | Constant
