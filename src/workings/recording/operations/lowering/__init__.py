"""Composite operations: which function made of simpler operations each of them means, and on which part of its inputs.

Opening one number of a composite needs only the row it stands in: ``rows`` says which axes of the inputs run alongside
the result, so that a softmax over a million rows is opened for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workings.recording.operations import reduction
from workings.recording.operations.bound import Bound
from workings.recording.operations.lowering import (
    activations,
    algebra,
    convolutions,
    layers,
    learning,
    normalisations,
    reductions,
)
from workings.recording.operations.lowering.plans import Index, Maker, Plan

LOWERINGS: dict[str, Maker] = (
    reductions.LOWERINGS
    | normalisations.LOWERINGS
    | activations.LOWERINGS
    | layers.LOWERINGS
    | convolutions.LOWERINGS
    | learning.LOWERINGS
    | algebra.LOWERINGS
)


def plan(bound: Bound, index: Index | None) -> Plan:
    """How to open a composite step: whole, or only what one element of its value needs."""
    return LOWERINGS[bound.operation](bound, index)


def result_labels(working: Any, step: Any, inputs: Sequence[Any]) -> Any:
    """Labels of what a composite gives: axes of the same size as the first input's, from the front, keep theirs."""
    bound = Bound(working, step)
    shape = step.shape
    blank = (None,) * len(shape)
    if step.operation in (
        "mean",
        "var",
        "std",
        "std_mean",
        "norm",
        "vector_norm",
        "ptp",
        "average",
        "logsumexp",
        "linalg_vector_norm",
    ):
        return reduction.labels(bound, list(inputs))
    if step.operation in ("addmm", "linear"):
        first = bound.operand(1 if step.operation == "addmm" else 0)
        return (*first.labels[:-1], None) if len(first.shape) == len(shape) else blank
    if step.operation == "scaled_dot_product_attention":
        return (*bound.operand(0).labels[:-1], bound.operand(2).labels[-1])
    for ref, labels in zip(step.inputs, inputs, strict=True):
        if working.steps[ref.step].shape[len(ref.index) :] == shape:
            return labels
    return blank


__all__ = ["LOWERINGS", "Plan", "plan", "result_labels"]
