"""What can be seen to be wrong before the first step, in seconds: of the data, of the model, of the memory.

Nothing here changes the model or what is drawn later.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from workings.text.batches import Batch, Labelled, Pairs, Windows
from workings.training.listeners import Finding
from workings.training.memory import available, estimate, said_bytes
from workings.training.objective import Objective, states_of
from workings.training.optimiser import adamw, clip, gradient_norm
from workings.training.prepared import Prepared
from workings.transformer.models import EncoderOnly

_ROWS, _POSITIONS = 4, 48
"""How much of a batch is looked at."""
_STEPS, _SECONDS = 60, 15.0
"""How long a batch may take to be learned by heart."""
_EXACT = 30_000_000
"""Models up to so many parameters are checked in float64."""


def preflight(prepared: Prepared, objective: Objective, device: torch.device) -> Iterator[Finding]:
    """Check data, model and memory, one after the other.

    Args:
        prepared: what is trained on.
        objective: the model at its start; it is left as it is.
        device: where it will be trained.
    """
    yield from _data(prepared)
    batch = _some(prepared)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(0)
        yield _start(objective, batch)
        exact = _copy(objective, torch.float64 if objective.model.parameter_count() <= _EXACT else torch.float32)
        if not isinstance(objective.model, EncoderOnly):
            yield _later_tokens(exact, batch)
        yield _padding(exact, batch)
        yield _by_heart(objective, batch)
        yield _memory(prepared, objective, device)


def _data(prepared: Prepared) -> Iterator[Finding]:
    examples = prepared.training
    everything = examples.draw(None)
    yield Finding("training data", True, _lengths(prepared, everything))
    held = prepared.validation.draw(None)
    yield Finding(
        "validation data", True, f"{len(held):,} {_kind(prepared)}, {prepared.validation.counted(held):,} targets"
    )
    for note in prepared.notes:
        yield Finding("left out", False, note)
    if isinstance(examples, Labelled):
        yield _labels(examples)


def _kind(prepared: Prepared) -> str:
    match prepared.training:
        case Pairs():
            return "pairs"
        case Windows():
            return "windows"
    return "texts"


def _lengths(prepared: Prepared, everything: NDArray[np.int64]) -> str:
    sizes = prepared.training.sizes(everything).max(axis=1)
    return (
        f"{len(everything):,} {_kind(prepared)}, {prepared.training.counted(everything):,} targets, "
        f"{len(prepared.tokenisers.target):,} words in the vocabulary; lengths {sizes.min():,} to {sizes.max():,}, "
        f"median {int(np.median(sizes)):,}; {len(prepared.batches()):,} batches an epoch"
    )


def _labels(examples: Labelled) -> Finding:
    counts = examples.corpus.histogram()
    most = max(counts.values()) / sum(counts.values())
    listed = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    return Finding("labels", most < 0.9, f"{listed}; always saying the most frequent is right in {most:.1%}")


def _some(prepared: Prepared) -> Batch:
    """A few rows of unequal lengths, and a few of their positions."""
    batch = next(iter(prepared.batches()))
    order = torch.argsort(batch.lengths)
    rows = order[torch.linspace(0, len(order) - 1, min(_ROWS, len(order))).long()]
    return _cut(batch, rows, _POSITIONS)


def _cut(batch: Batch, rows: Tensor, positions: int) -> Batch:
    def part(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor[rows] if tensor.ndim == 1 else tensor[rows, :positions]

    targets, labels = part(batch.targets), part(batch.labels)
    count = len(rows) if targets is None else int((targets >= 0).sum())
    lengths, sources = batch.lengths[rows].clamp(max=positions), part(batch.source_lengths)
    return replace(
        batch,
        inputs=batch.inputs[rows, :positions],
        lengths=lengths,
        targets=targets,
        source=part(batch.source),
        source_lengths=None if sources is None else sources.clamp(max=positions),
        labels=labels,
        tokens=count,
        all_tokens=count,
    )


def _copy(objective: Objective, dtype: torch.dtype) -> Objective:
    """A copy without dropout and smoothing."""
    return deepcopy(objective).to("cpu", dtype).eval()


@torch.no_grad()
def _start(objective: Objective, batch: Batch) -> Finding:
    copy = _copy(objective, torch.float32)
    loss = _loss(copy, batch).item()
    count = len(objective.model.output_weight)
    expected = math.log(count)
    said = f"{loss:.3f}; ln {count:,} = {expected:.3f} is the loss of knowing nothing"
    if math.isfinite(loss) and abs(loss - expected) <= 0.15 * expected + 0.1:
        return Finding("initial loss", True, said)
    if batch.labels is None and _repeats(copy, batch):
        return Finding("initial loss", True, f"{said}; tied embeddings that are scaled start by repeating each token")
    return Finding("initial loss", False, f"{said}: the weights start too large, or targets are wrong")


def _repeats(objective: Objective, batch: Batch) -> bool:
    """Whether the likeliest word is the one just read, nearly everywhere."""
    likeliest = objective.model.logits(states_of(objective.model, batch)).argmax(dim=-1)
    real = torch.arange(batch.inputs.shape[1]) < batch.lengths[:, None]
    return bool((likeliest == batch.inputs)[real].float().mean() > 0.9)


def _loss(objective: Objective, batch: Batch) -> Tensor:
    loss: Tensor = objective(batch)[0] / batch.all_tokens
    return loss


@torch.no_grad()
def _later_tokens(objective: Objective, batch: Batch) -> Finding:
    """Outputs before a place, when the tokens from there on are others."""
    place = max(1, int(batch.lengths.max()) // 2)
    other = batch.inputs.clone()
    other[:, place:] = (other[:, place:] + 1) % objective.model.config.vocabulary
    before = states_of(objective.model, batch)[:, :place]
    after = states_of(objective.model, replace(batch, inputs=other))[:, :place]
    moved = _difference(before, after, batch.lengths.clamp(max=place))
    if moved <= _tolerance(before):
        return Finding("later tokens", True, "an output never depends on one")
    why = "the config says causal = false" if not objective.model.config.causal else "the model is wrong"
    return Finding("later tokens", False, f"outputs depend on them (by {moved:.2g}): {why}; it will not write sense")


@torch.no_grad()
def _padding(objective: Objective, batch: Batch) -> Finding:
    """Outputs of each row alone, and beside longer rows, with noise in the padding."""
    model, batch = objective.model, _unequal(batch, objective.model.config.vocabulary)
    together = states_of(model, batch)
    worst = 0.0
    for row in range(batch.rows):
        length = int(batch.lengths[row])
        alone = states_of(model, _only(batch, row))
        worst = max(worst, float((alone[0] - together[row, :length]).abs().max()))
    if worst <= _tolerance(together):
        return Finding("padding", True, "it changes nothing")
    return Finding("padding", False, f"it changes outputs by {worst:.2g}: the model is wrong")


def _unequal(batch: Batch, vocabulary: int) -> Batch:
    """The rows, each one token shorter than it would be before the next, with noise in the padding."""

    def shorter(tokens: Tensor, lengths: Tensor, limit: int) -> tuple[Tensor, Tensor]:
        lengths = (lengths - torch.arange(len(lengths))).clamp(min=1)
        real = torch.arange(tokens.shape[1]) < lengths[:, None]
        return torch.where(real, tokens, torch.randint(0, limit, tokens.shape)), lengths

    inputs, lengths = shorter(batch.inputs, batch.lengths, vocabulary)
    if batch.source is None or batch.source_lengths is None:
        return replace(batch, inputs=inputs, lengths=lengths)
    source, source_lengths = shorter(batch.source, batch.source_lengths, int(batch.source.max()) + 1)
    return replace(batch, inputs=inputs, lengths=lengths, source=source, source_lengths=source_lengths)


def _only(batch: Batch, row: int) -> Batch:
    """One row without padding."""
    only = _cut(batch, torch.tensor([row]), int(batch.lengths[row]))
    if batch.source is None or batch.source_lengths is None:
        return only
    length = int(batch.source_lengths[row])
    return replace(
        only, source=batch.source[row : row + 1, :length], source_lengths=batch.source_lengths[row : row + 1]
    )


def _difference(one: Tensor, other: Tensor, lengths: Tensor) -> float:
    real = torch.arange(one.shape[1]) < lengths[:, None]
    return float((one - other)[real].abs().max())


def _tolerance(states: Tensor) -> float:
    return (1e-9 if states.dtype == torch.float64 else 1e-3) * max(1.0, float(states.abs().max()))


def _by_heart(objective: Objective, batch: Batch) -> Finding:
    """A few steps on one small batch: its loss must fall by half."""
    copy = _copy(objective, torch.float32)
    optimiser = adamw(copy, decay=0.0, epsilon=1e-8)
    learned = [p for group in optimiser.param_groups for p in group["params"]]
    for group in optimiser.param_groups:
        group["lr"] = min(5e-3, 0.5 / objective.model.config.width)
    first = last = math.inf
    began, steps = time.monotonic(), 0
    while steps < _STEPS and time.monotonic() - began < _SECONDS and not last < 0.1 * first:
        optimiser.zero_grad()
        loss = _loss(copy, batch)
        torch.autograd.backward(loss)
        clip(learned, gradient_norm(learned), 1.0)
        optimiser.step()
        last, steps = loss.item(), steps + 1
        first = last if steps == 1 else first
    said = f"the loss of {batch.all_tokens:,} targets goes from {first:.3f} to {last:.3f} in {steps} steps"
    if last <= 0.5 * first:
        return Finding("one batch learned by heart", True, said)
    if steps < _STEPS and last < first:
        return Finding("one batch learned by heart", True, f"{said}, and falls; there was no time for more")
    return Finding("one batch learned by heart", False, f"{said}: the model or its targets are wrong")


def _memory(prepared: Prepared, objective: Objective, device: torch.device) -> Finding:
    needed = estimate(prepared, objective)
    there = available(device)
    fine = there is None or needed < there
    said = f"about {said_bytes(needed)}" + ("" if there is None else f" of {said_bytes(there)}")
    return Finding("memory", fine, said if fine else f"{said}: use smaller batches, or a smaller model")
