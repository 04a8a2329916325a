"""What was chosen, token by token, and why: plain numbers that can be shown, checked and written down."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import torch

from workings.generation.choosing import Choice


@dataclass(frozen=True)
class LedgerStage:
    """The candidates after something was done to the logits.

    Attributes:
        name: what was done: "model" for nothing, then each filter with its number.
        logits: of each candidate; minus infinity for one that was taken out.
        probabilities: of each candidate among all tokens that are still in.
        kept: how many tokens of the whole vocabulary are still in.
    """

    name: str
    logits: tuple[float, ...]
    probabilities: tuple[float, ...]
    kept: int


@dataclass(frozen=True)
class LedgerEntry:
    """How one token was chosen.

    Attributes:
        candidates: token ids, the model's most probable ones first; the chosen one is always among them.
        stages: the model's logits, then those after each filter: each stage is the next one's "before".
        draw: the number from [0, 1) that decided; None where the largest logit was taken.
        low, high: the tokens that are still in, side by side in the order of their ids, fill the line from 0 to 1; the
            chosen one lies from `low` to `high`, and the draw falls there.
        chosen: the token's id.
        margin: how close the closest call was; see `workings.generation.choosing.Choice`.
    """

    candidates: tuple[int, ...]
    stages: tuple[LedgerStage, ...]
    draw: float | None
    low: float
    high: float
    chosen: int
    margin: float

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts, lists and dictionaries."""
        return dataclasses.asdict(self)


def write_entry(choice: Choice, row: int, most: int) -> LedgerEntry:
    """The entry of one row, with its `most` likeliest candidates and the chosen one."""
    model = choice.stages[0].logits[row]
    chosen = int(choice.tokens[row])
    candidates = model.topk(min(most, len(model))).indices.tolist()
    if chosen not in candidates:
        candidates[-1:] = [chosen]
    stages = []
    for name, logits, _ in choice.stages:
        probabilities = logits[row].double().softmax(dim=-1)
        stages.append(
            LedgerStage(
                name,
                tuple(logits[row][candidates].tolist()),
                tuple(probabilities[candidates].tolist()),
                int(torch.isfinite(logits[row]).sum()),
            )
        )
    return LedgerEntry(
        tuple(candidates),
        tuple(stages),
        None if choice.draws is None else float(choice.draws[row]),
        float(choice.lows[row]),
        float(choice.highs[row]),
        chosen,
        float(choice.margins[row]),
    )
