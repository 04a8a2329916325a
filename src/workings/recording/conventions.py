"""The choices in a recording that change numbers, read from its steps: what stands on the conventions card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from workings.recording.operations.bound import Bound
from workings.recording.working import Slot

if TYPE_CHECKING:
    from workings.recording.working import Step, Working


def read_conventions(working: Working) -> dict[str, str]:
    """What the steps of a recording say about its conventions; nothing for a choice that was never met."""
    found: dict[str, list[str]] = {}
    alike: set[tuple[str, str, str]] = set()  # a model makes the same call in every layer
    for step in working.steps:
        if step.operation in _RULES:
            key = (step.function, _settings(step), str(step.keywords)) if step.function.startswith("aten.") else None
        else:
            key = ("", step.dtype, "" if step.shape else "number")
        if key is not None:
            if key in alike:
                continue
            alike.add(key)
        for name, value in _of_step(working, step):
            values = found.setdefault(name, [])
            if value not in values:
                values.append(value)
    return {name: ", ".join(values) for name, values in found.items()}


def _settings(step: Step) -> str:
    return str([a for a in step.arguments if type(a) is not Slot])


def _of_step(working: Working, step: Step) -> Iterator[tuple[str, str]]:
    if step.shape and step.dtype.startswith(("float", "bfloat", "complex")):
        yield "number type", step.dtype
    rule = _RULES.get(step.operation)
    if rule is not None:
        yield from rule(Bound(working, step))


def _variance(bound: Bound) -> Iterator[tuple[str, str]]:
    default = 1 if bound.step.function.startswith("aten.") else 0
    fewer = int(bound.get("ddof", default))
    yield "variance divisor", "n" if fewer == 0 else f"n − {fewer}"


def _layer_norm(bound: Bound) -> Iterator[tuple[str, str]]:
    yield "layer normalisation", f"variance over n, ε = {bound.get('epsilon', 1e-5):g} inside the root"


def _softmax(bound: Bound) -> Iterator[tuple[str, str]]:
    axis = bound.axes(len(bound.operand(0).shape))
    last = len(bound.operand(0).shape) - 1
    yield "softmax", "over the last axis, row by row" if axis == (last,) else f"over axis {axis[0] if axis else 0}"


def _attention(bound: Bound) -> Iterator[tuple[str, str]]:
    scale = bound.get("scale")
    yield "attention scale", "1/√d_k" if scale is None else f"{float(scale):g}"
    if bound.get("causal", False):
        yield "mask", "causal: a token sees itself and what stands before it; hidden weights are exactly 0"
    elif bound.get("mask") is not None:
        yield "mask", "given, added to the scores"


def _gelu(bound: Bound) -> Iterator[tuple[str, str]]:
    yield "GELU", "by tanh" if bound.get("approximate", "none") == "tanh" else "by erf"


def _loss(bound: Bound) -> Iterator[tuple[str, str]]:
    """Every loss says for itself how it puts its numbers together; that of tokens or classes is *the* loss."""
    name, each = _LOSSES[bound.operation]
    how = (f"one for each {each}", f"mean over the {each}s", f"sum over the {each}s")[int(bound.get("reduction", 1))]
    weighted = bound.get("weight") is not None
    yield name, f"{how}, weighted" if weighted else how


_LOSSES = {
    "nll_loss": ("loss", "position"),
    "mse_loss": ("squared error", "number"),
    "binary_cross_entropy": ("binary cross-entropy", "number"),
    "binary_cross_entropy_with_logits": ("binary cross-entropy", "number"),
    "huber_loss": ("Huber loss", "number"),
    "smooth_l1_loss": ("smooth absolute error", "number"),
}


def _dropout(bound: Bound) -> Iterator[tuple[str, str]]:
    yield "dropout", f"active, with probability {bound.get('p', 0.5):g}"


_RULES: dict[str, Callable[[Bound], Iterator[tuple[str, str]]]] = {
    "var": _variance,
    "std": _variance,
    "layer_norm": _layer_norm,
    "softmax": _softmax,
    "scaled_dot_product_attention": _attention,
    "gelu": _gelu,
    **dict.fromkeys(_LOSSES, _loss),
    "native_dropout": _dropout,
}
