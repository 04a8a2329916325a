"""What the recorder does to values on a program's behalf (writes, reads, searches), each as a function of its inputs.

None of them changes what it is given: a replay runs them on other values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.operations.registry import resolve


def room(shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None) -> Any:
    """Memory for an array, in C order or with the strides given: results can depend on them in the last bit."""
    kind = np.dtype(dtype)
    if strides is None or 0 in shape:
        return np.zeros(shape, kind)
    reach = [stride * (size - 1) for stride, size in zip(strides, shape, strict=True)]
    raw = np.zeros(sum(map(abs, reach)) + kind.itemsize, np.uint8)
    return np.ndarray(shape, kind, raw.data, sum(-r for r in reach if r < 0), strides)


def duplicate(array: Any) -> Any:
    """A copy with the same layout in memory."""
    if not isinstance(array, np.ndarray):
        return array
    if array.flags.forc or array.dtype.hasobject:
        return array.copy(order="K")
    out = room(array.shape, array.dtype, array.strides)
    out[...] = array
    return out


def without_change(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The value an in-place operator leaves, without leaving it anywhere: what a replay runs."""

    def call(left: Any, right: Any) -> Any:
        return change(duplicate(left), right)

    return call


def put(base: Any, value: Any, index: Any) -> Any:
    """What ``base[index] = value`` leaves."""
    if hasattr(base, "clone"):
        out = base.detach().clone()
    else:
        out = duplicate(base)
    out[index] = value
    return out


def put_flat(base: Any, value: Any, positions: Any) -> Any:
    """``base`` with the elements at flat ``positions``, counted in C order, replaced by those of ``value``."""
    if hasattr(base, "clone"):
        changed = base.detach().clone()
        changed.view(-1)[positions.reshape(-1)] = value.reshape(-1)
        return changed
    out = duplicate(base)
    out.flat[np.asarray(positions).reshape(-1)] = np.asarray(value).reshape(-1)
    return out


def filled_where(base: Any, mask: Any, values: Any) -> Any:
    """An array with its hidden places filled, in the array's own number type."""
    base = np.asarray(base)
    return np.where(mask, np.asarray(values, base.dtype), base)


def take_flat(base: Any, positions: Any, strides: tuple[int, ...] | None = None) -> Any:
    """The elements of ``base`` at flat ``positions``, in the shape of ``positions``."""
    if hasattr(base, "clone"):
        return base.reshape(-1)[positions]
    taken = np.asarray(base).reshape(-1)[positions]
    if strides is None:
        return taken
    out = room(taken.shape, taken.dtype, strides)
    out[...] = taken
    return out


def contains(container: Any, item: Any) -> bool:
    """``item in container`` for numbers."""
    return bool(item in container)


def raises(function: str, kind: str, arguments: Any, keywords: Any) -> bool:
    """Whether a call raises an error of this kind."""
    call = resolve(function)
    if call is None:
        return True
    try:
        with np.errstate(all="ignore"):
            call(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__ == kind
    return False


def along_axis(shape: tuple[int, ...], axis: int, *results: Any) -> Any:
    """What ``np.apply_along_axis`` makes of the results of its function, one for each row."""
    first = np.asanyarray(results[0])
    buffer = np.zeros(shape + first.shape, first.dtype)
    for place, result in zip(np.ndindex(*shape), results, strict=True):
        buffer[(*place, ...)] = result
    outer, every = len(shape), list(range(buffer.ndim))
    return np.transpose(buffer, every[:axis] + every[outer:] + every[axis:outer])


def stack_plain(*items: Any) -> Any:
    """The numbers of a Python list, nested or not, as an array of the same shape."""
    return np.array(list(items))


def to_dtype_of(value: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """A value as it is after being written into an array of another shape or number type."""
    return np.broadcast_to(np.asarray(value), shape).astype(dtype)


def same(value: Any) -> Any:
    """A number that is put somewhere else."""
    return value


def getitem(base: Any, index: Any) -> Any:
    return base[index]


def plain_sum(items: Any, start: Any = 0) -> Any:
    return sum(items, start)


def multi_max(*items: Any) -> Any:
    return max(items)


def multi_min(*items: Any) -> Any:
    return min(items)


def argsort_plain(*keys: Any, reverse: bool = False) -> tuple[int, ...]:
    """The order in which sorted() would put items with these keys."""
    return tuple(sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse))


def argmax_plain(*keys: Any) -> int:
    """Which item max() would choose by these keys."""
    return max(range(len(keys)), key=keys.__getitem__)


def argmin_plain(*keys: Any) -> int:
    """Which item min() would choose by these keys."""
    return min(range(len(keys)), key=keys.__getitem__)


def find(wanted: Any, *items: Any) -> int | None:
    """The first place where a number stands among others."""
    return next((place for place, item in enumerate(items) if item == wanted), None)


def count(wanted: Any, *items: Any) -> int:
    """How often a number stands among others."""
    return sum(1 for item in items if item == wanted)


def classes(*items: Any) -> tuple[int, ...]:
    """For each number the first place where an equal one stands: two lists with the same answer make like sets."""
    return tuple(items.index(item) for item in items)


def text_length(parts: Any, *values: Any) -> int:
    """How long a text is that is put together from literal pieces and (conversion, format) of one value each."""
    waiting = iter(values)
    return sum(len(p if type(p) is str else _formatted(next(waiting), *p)) for p in parts)


def _formatted(value: Any, conversion: int, spec: str) -> str:
    converts: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    convert = converts.get(conversion)
    return format(value if convert is None else convert(value), spec)


def part_of_number(name: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        return getattr(value, name)

    return call


def set_flat(base: Any, index: Any, value: Any) -> Any:
    """What ``base.flat[index] = value`` leaves."""
    out = duplicate(base)
    out.flat[index] = value
    return out


def tolist(array: Any) -> Any:
    """The numbers of an array, on their way to becoming Python's own."""
    return np.asarray(array, dtype=float) if array.dtype.kind == "f" else np.array(array)


def total(*items: Any) -> Any:
    """Python's sum() over arrays: they are added one after another."""
    return sum(items)


def size(array: Any, axis: int) -> int:
    """How many entries an array has along an axis."""
    return int(array.shape[axis])


def changed(change: Callable[..., Any]) -> Callable[..., Any]:
    """The array that an in-place NumPy call leaves, without changing the one it was given."""

    def call(base: Any, *args: Any, **kwargs: Any) -> Any:
        out = duplicate(base)
        change(out, *args, **kwargs)
        return out

    return call
