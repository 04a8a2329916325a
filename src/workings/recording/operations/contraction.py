"""Contractions: sums of products. Every one is an einsum; a matrix product is the one everybody knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.recording.operations.bound import Bound, Operand
from workings.recording.operations.expression import Expression, Leaf, Limits, Product
from workings.recording.operations.reduction import sum_of

NAMES = {
    "matmul",
    "dot",
    "inner",
    "outer",
    "vdot",
    "tensordot",
    "einsum",
    "vecdot",
    "matvec",
    "vecmat",
    "mm",
    "bmm",
    "mv",
}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letters(bound: Bound) -> tuple[list[Operand], list[str], str]:
    """The operands and, for each and for the result, one letter for each axis; shared letters are summed over."""
    operation = bound.operation
    if operation == "einsum":
        return _einsum(bound)
    first, second = bound.operand(0), bound.operand(1)
    m, n = len(first.shape), len(second.shape)
    if operation == "tensordot":
        return [first, second], *_tensordot(bound, m, n)
    if operation == "outer":
        return [first, second], [_LETTERS[:m], _LETTERS[m : m + n]], _LETTERS[: m + n]
    if operation == "vdot":
        return [first, second], [_LETTERS[:m], _LETTERS[:n]], ""
    if operation in ("vecdot",):
        return [first, second], [_LETTERS[:m], _LETTERS[:n]], _LETTERS[: max(m, n) - 1]
    if operation == "inner" or (operation == "dot" and n == 1):
        a = _LETTERS[:m]
        b = _LETTERS[m : m + n - 1] + a[-1:] if m and n else _LETTERS[m : m + n]
        return [first, second], [a, b], (a[:-1] + b[:-1] if m and n else a + b)
    if operation == "dot":
        a = _LETTERS[:m]
        b = _LETTERS[m : m + n]
        b = b[:-2] + a[-1:] + b[-1:] if m else b
        return [first, second], [a, b], a[:-1] + b[:-2] + b[-1:] if m else b
    return [first, second], *_matmul(m, n)


def _matmul(m: int, n: int) -> tuple[list[str], str]:
    """``@``: the last axis of the first with the second-last of the second; axes before are matched from the back."""
    if m == 1 and n == 1:
        return ["k", "k"], ""
    batch = _LETTERS[: max(m, n, 2) - 2]
    a = (batch[len(batch) - (m - 2) :] if m > 2 else "") + ("xk" if m > 1 else "k")
    b = (batch[len(batch) - (n - 2) :] if n > 2 else "") + ("ky" if n > 1 else "k")
    return [a, b], batch + ("x" if m > 1 else "") + ("y" if n > 1 else "")


def _tensordot(bound: Bound, m: int, n: int) -> tuple[list[str], str]:
    axes = bound.get("axes", 2)
    if isinstance(axes, int):
        left, right = list(range(m - axes, m)), list(range(axes))
    else:
        left, right = ([a] if isinstance(a, int) else list(a) for a in axes)
    a, b = list(_LETTERS[:m]), list(_LETTERS[m : m + n])
    for i, j in zip(left, right, strict=True):
        b[j % n] = a[i % m]
    out = [x for i, x in enumerate(a) if i not in [k % m for k in left]]
    out += [x for j, x in enumerate(b) if j not in [k % n for k in right]]
    return ["".join(a), "".join(b)], "".join(out)


def _einsum(bound: Bound) -> tuple[list[Operand], list[str], str]:
    spec = bound.args[0].replace(" ", "")
    given = bound.args[1:]
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = tuple(given[0])
    operands = [o if isinstance(o, Operand) else Operand(bound.working, None, o) for o in given]
    left, arrow, out = spec.partition("->")
    parts = left.split(",")
    if "..." in left:
        free = "".join(c for c in _LETTERS.upper() if c not in spec)
        widest = max(
            len(o.shape) - len(p.replace("...", "")) for o, p in zip(operands, parts, strict=True) if "..." in p
        )
        for i, (operand, p) in enumerate(zip(operands, parts, strict=True)):
            count = len(operand.shape) - len(p.replace("...", ""))
            parts[i] = p.replace("...", free[widest - count : widest])
        out = out.replace("...", free[:widest]) if arrow else free[:widest] + out
    if not arrow:
        every = "".join(parts)
        out += "".join(sorted(c for c in set(every) if every.count(c) == 1 and c not in out))
    return operands, parts, out


def element(bound: Bound, index: tuple[int, ...], limits: Limits) -> Expression | None:
    operands, parts, out = letters(bound)
    known = dict(zip(out, index, strict=True))
    sizes: dict[str, int] = {}
    for operand, part in zip(operands, parts, strict=True):
        for letter, size in zip(part, operand.shape, strict=True):
            sizes[letter] = max(size, sizes.get(letter, 1))
    summed = [c for c in dict.fromkeys("".join(parts)) if c not in known]
    shape = tuple(sizes[c] for c in summed)
    products = np.ones(shape)
    for operand, part in zip(operands, parts, strict=True):
        products = products * _aligned(operand.array, part, known, summed, shape)

    def place(operand: Operand, part: str, inside: dict[str, int]) -> tuple[int, ...]:
        return tuple(
            0 if size == 1 else known[c] if c in known else inside[c]
            for c, size in zip(part, operand.shape, strict=True)
        )

    def leaf(position: int) -> Expression:
        inside = dict(zip(summed, (int(i) for i in np.unravel_index(position, shape)), strict=True)) if shape else {}
        factors: tuple[Leaf, ...] = tuple(o.leaf(place(o, p, inside)) for o, p in zip(operands, parts, strict=True))
        return factors[0] if len(factors) == 1 else Product(factors)

    return sum_of(products.reshape(-1), leaf, limits)


def _aligned(
    array: np.ndarray[Any, Any], part: str, known: dict[str, int], summed: list[str], shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """One operand at the known letters, its other axes in the order of the summed letters."""
    key: list[Any] = []
    kept: list[str] = []
    for letter, size in zip(part, array.shape, strict=True):
        if letter in known:
            key.append(0 if size == 1 else known[letter])
        else:
            key.append(slice(None))
            kept.append(letter)
    picked = array[tuple(key)]
    for letter in dict.fromkeys(kept):  # a letter that stands twice takes the diagonal
        while kept.count(letter) > 1:
            first = kept.index(letter)
            second = kept.index(letter, first + 1)
            picked = np.diagonal(picked, axis1=first, axis2=second)
            kept = [c for i, c in enumerate(kept) if i not in (first, second)] + [letter]
    order = [kept.index(c) for c in summed if c in kept]
    picked = np.transpose(picked, order)
    full = [sizes for c, sizes in zip(summed, shape, strict=True)]
    expanded = [slice(None) if c in kept else None for c in summed]
    del full
    return picked[tuple(expanded)] if expanded else picked


def labels(bound: Bound, inputs: list[Any]) -> Any:
    operands, parts, out = letters(bound)
    found: dict[str, tuple[str, ...]] = {}
    for operand, part in zip(operands, parts, strict=True):
        for letter, names in zip(part, operand.labels, strict=True):
            if names is not None:
                found.setdefault(letter, names)
    return tuple(found.get(c) for c in out)
