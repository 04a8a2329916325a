"""Windows on a storage: where a tensor lies in its memory, whether two overlap, and where one stands in another."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from workings.recording.ledger import _overlap, positions

Window = tuple[Any, tuple[int, ...], tuple[int, ...], torch.dtype]  # offset, shape, strides, number type
Index = tuple[int | slice, ...]

_STRIDED = torch.strided
NAMES: dict[torch.dtype, str] = {}


def dtype_name(dtype: torch.dtype) -> str:
    name = NAMES.get(dtype)
    if name is None:
        name = NAMES[dtype] = str(dtype).removeprefix("torch.")
    return name


def window(tensor: torch.Tensor) -> Window:
    return tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype


_TYPES = {1: "|u1", 2: "<u2", 4: "<u4", 8: "<u8", 16: "<c16"}


class _Twin:
    """A window as NumPy describes it, at a made-up address: for asking about places, never for reading."""

    def __init__(self, place: Window) -> None:
        offset, shape, strides, dtype = place
        width = dtype.itemsize
        self.__array_interface__ = {
            "data": (2**12 + offset * width, True), "shape": tuple(shape), "typestr": _TYPES[width], "version": 3,
            "strides": tuple(s * width for s in strides),
        }  # fmt: skip


def _twin(place: Window) -> np.ndarray[Any, Any]:
    return np.asarray(_Twin(place))


def _apart(first: Window, second: Window) -> bool:
    """Whether two windows have nothing in common, as far as their ends tell."""

    def ends(place: Window) -> tuple[int, int]:
        offset, shape, strides, dtype = place
        if 0 in shape:
            return 0, 0
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1
        return offset * dtype.itemsize, last * dtype.itemsize

    (a, b), (c, d) = ends(first), ends(second)
    return b <= c or d <= a


def overlap(first: Window, second: Window) -> bool:
    if first == second:
        return True
    return not _apart(first, second) and _overlap(_twin(first), _twin(second))


def positions_in(place: Window, root: Window) -> np.ndarray[Any, Any] | None:
    """Where the elements of a window stand in the whole; None where some lie outside it."""
    if place[3].itemsize != root[3].itemsize:
        return None
    twin, whole = _twin(place), _twin(root)
    low, high = np.lib.array_utils.byte_bounds(whole)
    if high - low != whole.size * whole.itemsize:
        return None
    inner = np.lib.array_utils.byte_bounds(twin)
    return positions(twin, whole) if inner[0] >= low and inner[1] <= high else None


def plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a window on a storage (and not nested or sparse)."""
    return tensor.layout is torch.strided and not tensor.is_nested


def place_in(index: Index | None, base: str, args: tuple[Any, ...], shape: tuple[int, ...]) -> Index | None:
    """The place of a selected row or block in the whole, from the place of what it was selected from."""
    if index is None or base not in ("select", "slice"):
        return None
    open_axes = [i for i, s in enumerate(index) if isinstance(s, slice)]
    axis = args[1] if len(args) > 1 else 0
    if len(open_axes) != len(shape):
        return None
    axis %= len(shape)
    old = index[open_axes[axis]]
    assert isinstance(old, slice)
    size = shape[axis]
    if base == "select":
        new: int | slice = old.start + (args[2] % size) * old.step
    else:
        start, stop, step = slice(*[args[i] if len(args) > i else None for i in (2, 3, 4)]).indices(size)
        new = slice(old.start + start * old.step, old.start + max(start, stop) * old.step, old.step * step)
        if old.step != 1:
            last = old.start + (max(len(range(start, stop, step)) - 1, 0) * step + start) * old.step
            new = slice(new.start, last + 1, new.step)
    return (*index[: open_axes[axis]], new, *index[open_axes[axis] + 1 :])
