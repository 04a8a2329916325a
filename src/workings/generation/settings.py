"""How a token is chosen, in one frozen object that checks itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workings.wording import offering_names


@offering_names
@dataclass(frozen=True, kw_only=True)
class Sampling:
    """What happens to the logits before a token is drawn, in the order of the fields below.

    Attributes:
        repetition_penalty: makes the tokens of prompt and text less likely; 1 changes nothing.
        temperature: divides the logits; 0 means greedy: the largest logit is taken, and nothing is drawn.
        top_k: how many of the most probable tokens stay; all unless given.
        top_p: the most probable tokens stay that reach this probability together; all unless given.
        min_p: tokens stay that are at least this share as probable as the most probable one; all unless given.

    Raises: ValueError that names the setting, what was found and what fits.
    """

    repetition_penalty: float = 1.0
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.temperature < math.inf:
            raise ValueError(f"temperature is {self.temperature}; expected 0 (greedy) or a number above it")
        if not 0.0 < self.repetition_penalty < math.inf:
            raise ValueError(
                f"repetition_penalty is {self.repetition_penalty}; expected a number above 0 (1 changes nothing)"
            )
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top_k is {self.top_k}; expected at least 1, or no token is left")
        if self.top_p is not None and not 0.0 < self.top_p <= 1.0:
            raise ValueError(f"top_p is {self.top_p}; expected a number above 0 and at most 1")
        if self.min_p is not None and not 0.0 <= self.min_p <= 1.0:
            raise ValueError(f"min_p is {self.min_p}; expected a number from 0 to 1")

    @property
    def greedy(self) -> bool:
        """Whether the largest logit is taken, without a draw."""
        return self.temperature == 0.0


GREEDY = Sampling(temperature=0.0)
