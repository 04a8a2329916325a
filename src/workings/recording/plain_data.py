"""Arguments and values as JSON has them, and back: everything a step can hold, and nothing that runs.

Lists, texts, booleans, whole numbers and finite floats stand as they are. Everything else is an object with one key
that says what it is: ``{"tuple": [...]}``, ``{"array": "arrays/3.npy"}``, ``{"input": 0}``.
"""

from __future__ import annotations

import builtins
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from workings.frozen import frozen
from workings.recording.operations.bound import as_array
from workings.recording.working import Ref, Room, Slot


class SavedFileError(Exception):
    """A file that is not a saved Working, or that this version does not understand. The message says which."""


@frozen
class Unsaved:
    """Stands for a thing that a file cannot hold (a function, a module), by its text."""

    text: str


@frozen
class Rows:
    """Sequences of different lengths that PyTorch held in one tensor, where there is no PyTorch."""

    rows: list[Any]
    is_nested = True

    def unbind(self) -> list[Any]:
        return self.rows


def holds_unsaved(value: Any) -> bool:
    """Whether something in an argument could not be kept in a file."""
    if isinstance(value, dict):
        return any(map(holds_unsaved, value.values()))
    return isinstance(value, Unsaved) or (isinstance(value, (list, tuple)) and any(map(holds_unsaved, value)))


_TYPES = {"bool", "int", "float", "complex", "str", "list", "tuple"}


class Writer:
    """Writes values; arrays go through ``put(name, array)``, each once."""

    def __init__(self, put: Callable[[str, np.ndarray[Any, Any]], None]) -> None:
        self._put = put
        self._known: dict[int, tuple[Any, str]] = {}
        self._count = 0

    def once(self, value: Any) -> Any:
        """Write a value that nobody else holds, and do not hold it either."""
        before = len(self._known)
        written = self.write(value)
        while len(self._known) > before:
            self._known.popitem()
        return written

    def ref(self, ref: Ref) -> list[Any]:
        return [ref.step, *ref.index]

    def write(self, value: Any) -> Any:
        match value:
            case None | bool() | str():
                return str(value) if isinstance(value, str) else value
            case np.generic():
                return self._numpy_scalar(value)
            case int():
                return int(value)
            case float():
                return float(value) if math.isfinite(value) else {"float": repr(float(value))}
            case complex():
                return {"complex": [self.write(value.real), self.write(value.imag)]}
            case list():
                return [self.write(v) for v in value]
            case tuple():
                return {"tuple": [self.write(v) for v in value]}
            case dict():
                return {"dict": [[self.write(k), self.write(v)] for k, v in value.items()]}
            case slice():
                return {"slice": [self.write(value.start), self.write(value.stop), self.write(value.step)]}
            case range():
                return {"range": [value.start, value.stop, value.step]}
            case Slot():
                return {"input": value.position}
            case Room():
                strides = None if value.strides is None else list(value.strides)
                return {"room": [list(value.shape), value.dtype, strides]}
            case Ref():
                return {"ref": self.ref(value)}
        return self._other(value)

    def _other(self, value: Any) -> Any:
        if value is Ellipsis:
            return {"ellipsis": True}
        if isinstance(value, type) and value.__name__ in _TYPES and getattr(builtins, value.__name__) is value:
            return {"type": value.__name__}
        if isinstance(value, type) and issubclass(value, np.generic) and np.dtype(value).kind in "fiubc":
            return {"numpy": value.__name__}
        if isinstance(value, np.dtype) and value.kind in "fiubc":
            return {"dtype": value.str}
        kind = type(value)
        if kind.__module__ == "torch" and kind.__name__ in ("dtype", "device", "layout", "memory_format"):
            return {"torch": [kind.__name__, str(value)]}
        if getattr(value, "is_nested", False):
            return {"nested": [self.write(row) for row in value.unbind()]}
        if hasattr(value, "detach") and hasattr(value, "dtype"):
            return {"tensor": [self._array(value), str(value.dtype).removeprefix("torch.")]}
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiubcSU":
            return {"array": self._array(value)}
        return self._text(value)

    def _numpy_scalar(self, value: np.generic) -> Any:
        if value.dtype.kind in "fiub" and value.dtype.itemsize <= 8:
            return {
                "number": [value.dtype.str, self.write(value.item())]
            }  # a float of fewer bits is exact in one of 64
        return {"scalar": self._array(np.asarray(value))} if value.dtype.kind in "fc" else self._text(value)

    def _text(self, value: Any) -> dict[str, str]:
        return {"unsaved": f"{type(value).__name__} {getattr(value, '__name__', '')}".strip()}

    def _array(self, value: Any) -> str:
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        name = f"arrays/{self._count}.npy"
        self._count += 1
        # The object is held as well as its id: an id is used again once its object is gone.
        self._known[id(value)] = (value, name)
        array = as_array(value)
        self._put(name, np.asarray(array) if type(array) is not np.ndarray else array)
        return name


class Reader:
    """Reads what a Writer wrote; arrays come from ``get(name)``, each once. Raises :class:`SavedFileError`."""

    def __init__(self, get: Callable[[str], np.ndarray[Any, Any]]) -> None:
        self._get = get
        self._known: dict[str, np.ndarray[Any, Any]] = {}
        self.steps: int | None = None

    def ref(self, data: Any) -> Ref:
        step, *index = data
        if not (isinstance(step, int) and step >= 0 and (self.steps is None or step < self.steps)):
            raise SavedFileError(f"there is no step {step!r}")
        return Ref(step, tuple(int(i) for i in index))

    def read(self, data: Any) -> Any:
        if isinstance(data, list):
            return [self.read(v) for v in data]
        if not isinstance(data, dict):
            return data
        if len(data) != 1:
            raise SavedFileError(f"found an object with the keys {sorted(data)}; expected one key")
        ((kind, inner),) = data.items()
        method = getattr(self, f"_{kind}", None) if kind in _READ else None
        if method is None:
            raise SavedFileError(f"found a value of the kind {kind!r}, which this version does not know")
        return method(inner)

    def array(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self._known:
            self._known[name] = self._get(name)
        return self._known[name]

    def _array(self, name: str) -> Any:
        return self.array(name)

    def _number(self, inner: Any) -> Any:
        dtype, value = inner
        return self._dtype(dtype).type(self.read(value))

    def _scalar(self, name: str) -> Any:
        return self.array(name)[()]

    def _tensor(self, inner: Any) -> Any:
        """An array; a tensor again where PyTorch is at hand already."""
        name, dtype = inner
        torch = sys.modules.get("torch")
        array = self.array(name)
        return array if torch is None else torch.from_numpy(array.copy()).to(getattr(torch, str(dtype)))

    def _nested(self, data: Any) -> Any:
        rows = [self.read(row) for row in data]
        torch = sys.modules.get("torch")
        if torch is None:
            return Rows(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nested tensors are announced as a prototype
            return torch.nested.nested_tensor(rows)

    def _float(self, text: str) -> float:
        return float(text)

    def _complex(self, parts: Any) -> complex:
        return complex(self.read(parts[0]), self.read(parts[1]))

    def _tuple(self, items: Any) -> tuple[Any, ...]:
        return tuple(self.read(v) for v in items)

    def _dict(self, pairs: Any) -> dict[Any, Any]:
        return {self.read(k): self.read(v) for k, v in pairs}

    def _slice(self, parts: Any) -> slice:
        return slice(*(self.read(p) for p in parts))

    def _range(self, parts: Any) -> range:
        return range(*parts)

    def _input(self, position: int) -> Slot:
        return Slot(int(position))

    def _room(self, inner: Any) -> Room:
        shape, dtype, strides = inner
        size = tuple(int(n) for n in shape)
        return Room(size, self._dtype(dtype).name, None if strides is None else tuple(int(n) for n in strides))

    def _ref(self, data: Any) -> Ref:
        return self.ref(data)

    def _ellipsis(self, _: Any) -> Any:
        return Ellipsis

    def _type(self, name: str) -> type:
        if name not in _TYPES:
            raise SavedFileError(f"found the type {name!r}; expected one of {', '.join(sorted(_TYPES))}")
        found: type = getattr(builtins, name)
        return found

    def _numpy(self, name: str) -> Any:
        return self._dtype(name).type

    def _dtype(self, text: str) -> np.dtype[Any]:
        found = np.dtype(text)
        if found.kind not in "fiubc":
            raise SavedFileError(f"found the type of number {text!r}; expected one of NumPy's numbers")
        return found

    def _torch(self, inner: Any) -> Any:
        kind, text = inner
        torch = sys.modules.get("torch")
        if torch is None:
            return Unsaved(str(text))
        if kind == "device":
            return torch.device(text)
        found = getattr(torch, str(text).removeprefix("torch."), None)
        return found if type(found).__name__ == kind else Unsaved(str(text))

    def _unsaved(self, text: str) -> Unsaved:
        return Unsaved(str(text))


_READ = {
    "array", "scalar", "number", "tensor", "nested", "float", "complex", "tuple", "dict", "slice", "range", "input",
    "ref", "room", "ellipsis", "type", "numpy", "dtype", "torch", "unsaved",
}  # fmt: skip
