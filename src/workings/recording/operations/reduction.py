"""Reductions: one number from a row of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workings.frozen import evolve
from workings.recording.operations.bound import Bound, Operand, plain
from workings.recording.operations.expression import Apply, Expression, Leaf, Limits, Negative, Product, Sum

RULES = {
    *("sum", "max", "min", "prod", "argmax", "argmin", "any", "all", "cumsum", "cumprod", "cummax", "cummin", "trace"),
    *("amax", "amin", "nansum", "count_nonzero", "gathered", "add_at", "subtract_at", "aminmax"),
}
_RUNNING = {"cumsum": "sum", "cumprod": "prod", "cummax": "max", "cummin": "min"}


def sum_of(values: np.ndarray[Any, Any], leaf: Any, limits: Limits) -> Expression:
    """A sum of many numbers; of a long one the largest terms, in their order, and how many more.

    ``leaf(position)`` gives the term at a position of ``values``.
    """
    if not values.size:
        return Leaf(0.0)
    if values.size == 1:
        return leaf(0)  # type: ignore[no-any-return]
    if values.size <= limits.terms:
        return Sum(tuple(leaf(i) for i in range(values.size)))
    largest = np.sort(np.argsort(-np.abs(values), kind="stable")[: limits.shown])
    number = complex if values.dtype.kind == "c" else float
    rest = number(np.sum(values)) - number(np.sum(values[largest]))
    return Sum(tuple(leaf(int(i)) for i in largest), values.size - len(largest), rest)


def element(bound: Bound, index: tuple[int, ...], limits: Limits) -> Expression | None:
    operation = bound.operation
    if bound.step.output == 1 and operation in ("max", "min"):
        operation = f"arg{operation}"  # PyTorch's max along an axis also says where
    if operation == "aminmax":
        operation = "max" if bound.step.output else "min"
    operand = bound.operand(0)
    if operation == "gathered":
        return _gathered(bound, operand, index, limits)
    if operation in ("add_at", "subtract_at"):
        return _added_at(bound, index, limits)
    if isinstance(bound.args[0], (list, tuple)) and any(isinstance(a, Operand) for a in bound.args[0]):
        return _of_arguments(bound, operation, limits, bound.args[0])
    if len(bound.args) > 1 and operation in ("max", "min") and _scalars(bound):
        return _of_arguments(bound, operation, limits, bound.args)
    rank = len(operand.shape)
    if operation == "trace":
        return _traced(bound, operand, index)
    if operation in _RUNNING:
        return _running(bound, operand, index, _RUNNING[operation], limits)
    axes = bound.axes(rank)
    places = _places(operand.shape, axes, index, bound.keepdims)
    key = tuple(slice(None) if p is None else p for p in places)
    values = operand.array[key].reshape(-1)
    inner = [operand.shape[a] for a in sorted(axes)]

    def leaf(position: int) -> Leaf:
        inside = iter(np.unravel_index(position, inner))
        return operand.leaf(tuple(int(next(inside)) if p is None else p for p in places))

    counting = bound.named_operand("where")
    if counting is not None:  # NumPy may be told which numbers count
        kept = np.flatnonzero(np.broadcast_to(counting.array, operand.shape)[key])
        out = _combine(operation, values[kept], lambda place: leaf(int(kept[place])), limits, 1)
    else:
        out = _combine(operation, values, leaf, limits, len(inner))
    start = bound.named_operand("start") or bound.named_operand("initial")
    return out if start is None else _from_start(operation, start.leaf(()), out)


def _traced(bound: Bound, operand: Operand, index: tuple[int, ...]) -> Expression:
    """The sum along a diagonal: the main one, or one beside it."""
    rank, offset = len(operand.shape), int(bound.get("offset", 0))
    first, second = (int(bound.get(name, place)) % rank for place, name in enumerate(("axis1", "axis2")))
    terms = []
    for row in range(max(0, -offset), min(operand.shape[first], operand.shape[second] - offset)):
        rest = iter(index)
        at = {first: row, second: row + offset}
        terms.append(operand.leaf([at[axis] if axis in at else next(rest) for axis in range(rank)]))
    return Sum(tuple(terms)) if terms else Leaf(0.0)


def _from_start(operation: str, start: Leaf, out: Expression) -> Expression:
    """A reduction that begins with a number given to it. One that changes nothing is not shown."""
    if operation == "sum" and start.value:
        return evolve(out, terms=(start, *out.terms)) if isinstance(out, Sum) else Sum((start, out))
    if operation == "prod" and start.value != 1:
        return evolve(out, factors=(start, *out.factors)) if isinstance(out, Product) else Product((start, out))
    if operation in ("max", "min", "amax", "amin"):
        name = operation.removeprefix("a")
        if isinstance(out, Apply) and out.function == name:
            return evolve(out, arguments=(start, *out.arguments)) if out.arguments else start
        return Apply(name, (start, out))
    return out


def _gathered(bound: Bound, slope: Operand, index: tuple[int, ...], limits: Limits) -> Expression:
    """The slopes of everything one number was moved or copied to, added up."""
    here, places = plain(bound.args[1]), plain(bound.args[2])
    flat = int(np.ravel_multi_index(index, bound.step.shape)) if bound.step.shape else 0
    hits = np.argwhere(np.asarray(here) & (np.asarray(places) == flat))
    values = np.array([slope.array[tuple(h)] for h in hits])
    return sum_of(values, lambda i: slope.leaf([int(h) for h in hits[i]]), limits) if len(hits) else Leaf(0.0)


def _added_at(bound: Bound, index: tuple[int, ...], limits: Limits) -> Expression:
    """``np.add.at``: what stood there, plus every value sent to this place."""
    base, values = bound.operand(0), bound.operand(2)
    where = plain(bound.args[1])
    key = (
        tuple(np.asarray(k) if isinstance(k, list) else k for k in where)
        if isinstance(where, tuple)
        else np.asarray(where)
    )
    places = np.arange(base.array.size).reshape(base.shape)[key]
    hits = np.argwhere(places == int(np.ravel_multi_index(index, base.shape)))
    taken = bound.operation == "subtract_at"
    terms: list[Expression] = [values.broadcast_leaf(tuple(int(i) for i in h)) for h in hits]
    return Sum((base.leaf(index), *(Negative(t) if taken else t for t in terms)))


def _scalars(bound: Bound) -> bool:
    return all(o.shape == () for o in bound.operands)


def _of_arguments(bound: Bound, operation: str, limits: Limits, given: Sequence[Any]) -> Expression:
    """Python's ``max(a, b, c)`` and ``sum([a, b, c])``, on numbers that have no array around them."""
    parts = [g if isinstance(g, Operand) else Operand(bound.working, None, g) for g in given]
    values = np.array([o.array.item() for o in parts])
    return _combine(operation, values, lambda i: parts[i].leaf(()), limits, 1)


def _places(shape: tuple[int, ...], axes: tuple[int, ...], index: tuple[int, ...], keepdims: bool) -> list[int | None]:
    outer = iter(index)
    places: list[int | None] = []
    for axis in range(len(shape)):
        if axis in axes:
            places.append(None)
            if keepdims:
                next(outer)
        else:
            places.append(next(outer))
    return places


def _combine(operation: str, values: np.ndarray[Any, Any], leaf: Any, limits: Limits, rank: int) -> Expression:
    if operation == "nansum":  # what is no number is left out
        kept = np.flatnonzero(~np.isnan(values))
        return sum_of(values[kept], lambda i: leaf(int(kept[i])), limits) if kept.size else Leaf(0.0)
    if operation == "sum":
        return sum_of(values, leaf, limits)
    if operation == "count_nonzero":
        return Apply(
            "count", tuple(leaf(i) for i in range(min(values.size, limits.terms))), max(0, values.size - limits.terms)
        )
    if operation == "prod" and not values.size:
        return Leaf(1.0)
    if operation == "prod":
        if values.size <= limits.terms:
            return Product(tuple(leaf(i) for i in range(values.size)))
        shown = limits.shown
        return Product(tuple(leaf(i) for i in range(shown)), values.size - shown, float(np.prod(values[shown:])))
    name = {"amax": "max", "amin": "min"}.get(operation, operation)
    if values.size <= limits.terms:
        return Apply(name, tuple(leaf(i) for i in range(values.size)))
    sign = -1 if name in ("max", "argmax", "any") else 1
    order = np.argsort(sign * values.astype(float), kind="stable")[: limits.shown]
    return Apply(name, tuple(leaf(int(i)) for i in np.sort(order)), values.size - limits.shown)


def _running(bound: Bound, operand: Operand, index: tuple[int, ...], what: str, limits: Limits) -> Expression:
    axis = bound.axes(len(operand.shape))
    if len(axis) != 1:  # NumPy's cumulative functions flatten when no axis is given
        flat = int(index[0]) + 1
        values = operand.array.reshape(-1)[:flat]

        def flat_leaf(position: int) -> Leaf:
            return operand.leaf([int(i) for i in np.unravel_index(position, operand.shape)])

        return _combine(what, values, flat_leaf, limits, 1)
    along = axis[0]
    key: list[Any] = list(index)
    key[along] = slice(0, index[along] + 1)
    values = operand.array[tuple(key)]

    def leaf(position: int) -> Leaf:
        return operand.leaf([position if a == along else i for a, i in enumerate(index)])

    return _combine(what, values, leaf, limits, 1)


def labels(bound: Bound, inputs: list[Any]) -> Any:
    if bound.operation == "gathered":
        return (None,) * len(bound.step.shape)
    operand = bound.operand(0)
    if bound.operation in _RUNNING:
        return operand.labels
    axes = bound.axes(len(operand.shape))
    kept = []
    for axis, names in enumerate(operand.labels):
        if axis not in axes:
            kept.append(names)
        elif bound.keepdims:
            kept.append(None)
    return tuple(kept)


__all__ = ["RULES", "element", "labels", "sum_of"]
