"""What operations mean: the arithmetic of one element, and how labels travel.

Five kinds cover everything that has an arithmetic. *Elementwise* operations make each number from the numbers in the
same place. *Reductions* make one number from a row of them. *Contractions* add up products. *Movements* make nothing:
each number was somewhere else before; where, is found by running the very same call on positions instead of numbers.
*Composites* are lowered: run again, as a recorded equation made of the others (:mod:`workings.recording.opening`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workings.recording.operations import contraction, elementwise, movement, reduction
from workings.recording.operations.bound import Bound, operation_of
from workings.recording.operations.expression import Expression, Limits
from workings.recording.operations.functions import MADE_OF_NOTHING

if TYPE_CHECKING:
    from workings.recording.working import Labels, Step, Working

_FROM_NOTHING = MADE_OF_NOTHING - {"full", "full_like", "linspace", "logspace", "meshgrid"} | {
    *("new_empty_strided", "empty_strided", "new_zeros", "new_ones", "new_empty", "scalar_tensor", "empty_permuted"),
}
# Further outputs of these are notes for the backward pass, or places, and have no arithmetic of their own.
_AUXILIARY = {
    "scaled_dot_product_attention",
    "sort",
    "topk",
    "max_pool2d_with_indices",
    "multi_head_attention",
    "dropout",
    "log_sigmoid_forward",
    "median",
}
_WHOLE = {"batch_norm", "encoder_block"}
_ORDERS = {
    *("text_length", "contains", "unravel_index", "searchsorted", "size_of", "order", "ix_"),
    "raises",
    "find",
    "count",
    "classes",
    "argsort",
    "nonzero",
    "argwhere",
    "flatnonzero",
    "searchsorted",
    "check",
    "allclose",
    "array_equal",
}


def kind(step: Step) -> str:
    """Which of the kinds a step is: given, elementwise, reduction, contraction, movement, composite, or opaque."""
    operation = operation_of(step)
    if step.output and operation in _AUXILIARY:
        return "order"
    if operation in _WHOLE and _is_aside(step, operation):
        return "opaque" if operation == "encoder_block" else "order"
    if operation in ("given", "size", "order"):
        return operation
    if operation in _FROM_NOTHING:
        return "given"
    if operation in _ORDERS:
        return "order"
    if not step.inputs and not step.arguments and operation != "opaque":
        return "given"
    if operation in elementwise.RULES:
        return "elementwise"
    if operation in reduction.RULES:
        return "reduction"
    if operation in contraction.NAMES:
        return "contraction"
    if movement.moves(step):
        return "movement"
    from workings.recording.operations.lowering import LOWERINGS  # large, and examples on paper need none of it

    if operation in LOWERINGS:
        return "composite"
    if not step.inputs and step.operation != "opaque":
        return "given"
    return "opaque"


def _is_aside(step: Step, operation: str) -> bool:
    """Running statistics of a normalisation, and results in a layout of their own (nested tensors)."""
    return len(step.shape) < 2 if operation == "batch_norm" else not step.shape


def element(working: Working, step: Step, index: Sequence[int], limits: Limits) -> Expression | None:
    """How one element of a step's value came about, in terms of its inputs' elements.

    None for what has no arithmetic of its own here: inputs, opaque calls and composites (which are opened instead).
    """
    rule = _ELEMENTS.get(kind(step))
    if rule is None:
        return None
    return rule(Bound(working, step), tuple(int(i) for i in index), limits)


def label_rule(working: Working, step: Step, inputs: list[Labels]) -> Labels:
    """The labels of a step's axes, from those of its inputs; dropped where they cannot be known."""
    blank: Labels = (None,) * len(step.shape)
    if not step.shape or (
        step.operation != "put" and not any(any(axis is not None for axis in labels) for labels in inputs)
    ):
        return blank
    rule = _LABELS.get(kind(step))
    if rule is None:
        return _same_shape(working, step, inputs)
    try:
        labels: Labels = rule(Bound(working, step), inputs)
    except (
        LookupError,
        ValueError,
        TypeError,
    ):  # a call in a form the rule does not know: no labels, rather than wrong ones
        return blank
    fits = len(labels) == len(step.shape) and all(
        a is None or len(a) == n for a, n in zip(labels, step.shape, strict=True)
    )
    return labels if fits else blank


def _same_shape(working: Working, step: Step, inputs: list[Labels]) -> Labels:
    """Composites and opaque calls: an axis of the same size as the first input's keeps its labels."""
    from workings.recording.operations.lowering import result_labels

    labels: Labels = result_labels(working, step, inputs)
    return labels


_ELEMENTS: dict[str, Callable[[Bound, tuple[int, ...], Limits], Expression | None]] = {
    "elementwise": elementwise.element,
    "reduction": reduction.element,
    "contraction": contraction.element,
    "movement": movement.element,
}
_LABELS: dict[str, Callable[[Bound, list[Any]], Any]] = {
    "elementwise": elementwise.labels,
    "reduction": reduction.labels,
    "contraction": contraction.labels,
    "movement": movement.labels,
}
