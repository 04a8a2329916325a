"""Which value came from which step: identity, storage, versions.

Arrays are known by identity while held, and by the memory they share: a write makes a new version of the storage, and
an array that overlaps the written region is read anew from the storage's owner. Lists, dicts and objects are known by
identity, with one origin for each place in them, checked against what really stands there at every read.
"""

from __future__ import annotations

import sys
import weakref
from bisect import bisect_right, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.operations.functions import duplicate
from workings.recording.shadows import Shadows
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder


class _Constant:
    """The origin of a number that stands in the source itself, or only counts."""

    def __repr__(self) -> str:
        return "constant"


CONSTANT = _Constant()
Tag = Ref | _Constant | None  # None: origin not seen

NUMBERS = frozenset({int, float, complex, bool, np.bool_})  # shared objects: their origin travels beside them


@dataclass(slots=True, eq=False, repr=False)
class Storage:
    """A piece of memory: the array that spans it, its current version, and the arrays seen on it."""

    held: Any  # the owner of the memory, or a weak reference to it
    low: int
    high: int
    ref: Ref
    version: int = 0
    writes: list[tuple[int, np.ndarray[Any, Any]]] = field(default_factory=list)
    live: dict[int, Any] = field(default_factory=dict)  # step -> array that still holds its value

    @property
    def owner(self) -> Any:
        return _held(self.held)


@dataclass(slots=True, eq=False, repr=False)
class Seen:
    """An array object: the step whose value it held at ``version`` of its storage, and how it views its parent."""

    held: Any  # the array, or a weak reference to it
    storage: Storage
    ref: Ref
    version: int
    parent: Any = None  # the array it is a view of, or None for the owner of its memory
    view: Any = None  # the call that made it (operation, function, arguments, keywords), or the place of a row

    @property
    def array(self) -> Any:
        return _held(self.held)


class Ledger(Shadows):
    """The origins of the values of one recording."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._seen: dict[int, Seen] = {}
        self._starts: list[tuple[int, int]] = []  # (low address, storage number), sorted
        self._storages: list[Storage] = []

    # -- arrays -------------------------------------------------------------------------------------------------

    def register(
        self,
        array: np.ndarray[Any, Any],
        ref: Ref,
        parent: np.ndarray[Any, Any] | None = None,
        how: tuple[Any, ...] | None = None,
    ) -> None:
        """A step has produced this array. Where it lies in known memory it is a view, read anew after writes.

        ``parent`` and ``how`` say which array it was made from and by which call, where that is one array.
        """
        if id(array) in self._seen:
            return
        if not array.flags.owndata:
            known = self._seen.get(id(parent)) if parent is not None else None
            storage = (
                known.storage if known is not None and np.may_share_memory(array, parent) else self._storage_of(array)
            )
            if storage is not None:
                if known is None or known.storage is not storage:
                    parent, how = storage.owner, None
                self._seen[id(array)] = Seen(array, storage, ref, storage.version, parent, how)
                storage.live[ref.step] = array
                return
        self.open(array, ref)

    def view(self, array: np.ndarray[Any, Any], parent: np.ndarray[Any, Any], ref: Ref, index: tuple[int, ...]) -> None:
        """A row reached by integer indices: no step of its own, only a part of its parent's value."""
        if id(array) in self._seen:
            return
        seen = self._seen[id(parent)]
        self._seen[id(array)] = Seen(array, seen.storage, ref, seen.storage.version, parent, index)

    def open(self, array: np.ndarray[Any, Any], ref: Ref) -> Seen:
        """Memory not seen before, owned by this array."""
        low, high = _span(array)
        storage = Storage(array, low, high, ref)
        number = len(self._storages)
        self._storages.append(storage)
        if high > low:
            insort(self._starts, (low, number))
        storage.live[ref.step] = array
        seen = Seen(array, storage, ref, 0)
        self._seen[id(array)] = seen
        return seen

    def watch(self, array: np.ndarray[Any, Any], ref: Ref) -> None:
        """A large array that can be computed again: known while the program holds it, and kept by nobody else."""
        if id(array) in self._seen or not array.flags.owndata:
            self.register(array, ref)
            return
        seen = self.open(array, ref)
        storage = seen.storage
        number = len(self._storages) - 1
        key = id(array)

        def gone(_: Any) -> None:
            if self._seen.get(key) is seen:
                del self._seen[key]
                self._starts.remove((storage.low, number))
            storage.live.clear()
            storage.writes.clear()

        seen.held = storage.held = storage.live[ref.step] = weakref.ref(array, gone)
        step = self._recorder.working.steps[ref.step]
        step.value, step.kept = None, False

    def settle(self) -> None:
        """The recording is over. What the program still holds may change from now on: it is copied or computed anew."""
        room = _SETTLED_BYTES
        steps = self._recorder.working.steps
        for storage in self._storages:
            for number, held in storage.live.items():
                array, step = _held(held), steps[number]
                if array is None or array.nbytes > room:
                    continue
                if array is not storage.owner and step.operation in _VIEWS:
                    step.value, step.kept = None, False
                elif _is_shared(array) or not step.kept:
                    room -= array.nbytes
                    step.value, step.kept = duplicate(array), True
        self._seen.clear()
        self._storages.clear()
        self._starts.clear()
        self.forget_all()

    def _storage_of(self, array: np.ndarray[Any, Any]) -> Storage | None:
        low, high = _span(array)
        place = bisect_right(self._starts, (high, -1)) - 1
        while place >= 0:
            storage = self._storages[self._starts[place][1]]
            if storage.high > low and storage.low < high:
                return storage
            if self._starts[place][0] < low - 2**40:
                break
            place -= 1
            if place >= 0 and self._storages[self._starts[place][1]].high <= low:
                break
        return None

    def is_stale(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether an array was written into, through another that shares its memory, since it was last read."""
        seen = self._seen.get(id(array))
        if seen is None or seen.version == seen.storage.version:
            return False
        return any(version > seen.version and _overlap(region, array) for version, region in seen.storage.writes)

    def knows(self, array: Any) -> bool:
        return id(array) in self._seen

    def varies(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether the shape of an array depends on numbers."""
        return array.dtype.kind in "fiubc" and self.read(array).step in self._recorder.working.varying

    def read(self, array: np.ndarray[Any, Any]) -> Ref:
        """The origin of what the array holds now."""
        seen = self._seen.get(id(array)) or self._adopt(array)
        storage = seen.storage
        if seen.version == storage.version:
            return seen.ref
        if not self.is_stale(array):
            return seen.ref
        if array is storage.owner:
            seen.ref = storage.ref
        else:
            seen.ref = self._view_again(seen)
        seen.version = storage.version
        return seen.ref

    def _view_again(self, seen: Seen) -> Ref:
        parent = self.read(seen.parent)
        if isinstance(seen.view, tuple) and all(isinstance(i, int) for i in seen.view):
            return Ref(parent.step, parent.index + seen.view)
        if seen.view is not None:
            operation, function, arguments, keywords = seen.view
            ref = self._recorder.step(operation, function, (parent,), arguments, keywords, value=seen.array)
        else:
            ref = self._flat(seen.array, seen.storage)
        seen.storage.live[ref.step] = seen.array
        return ref

    def _flat(self, array: np.ndarray[Any, Any], storage: Storage) -> Ref:
        owner = self._seen[id(storage.owner)]
        where = positions(array, storage.owner)
        return self._recorder.step(
            "take_flat",
            "recording.take_flat",
            (self.read(owner.array),),
            (Slot(0), where, _layout(array)),
            {},
            value=array,
        )

    def _adopt(self, array: np.ndarray[Any, Any]) -> Seen:
        """An array that no step produced: it may lie in known memory; otherwise it is new here."""
        storage = self._storage_of(array) if array.size else None
        if storage is not None and _inside(array, storage):
            ref = self._flat(array, storage)
            seen = Seen(array, storage, ref, storage.version, storage.owner, None)
            self._seen[id(array)] = seen
            storage.live[ref.step] = array
            return seen
        base = array.base
        if type(base) is np.ndarray and base.size and _same_kind(array, base):
            self._adopt(base)
            return self._adopt(array)
        ref = self._recorder.given(array)
        return self.open(array, ref)

    def reform(self, array: np.ndarray[Any, Any], ref: Ref) -> None:
        """The same object has another shape now; arrays that view it are from now on found by where they lie."""
        seen = self._seen[id(array)]
        seen.ref, seen.version, seen.view = ref, seen.storage.version, None
        if array is seen.storage.owner:
            seen.storage.ref = ref
        else:
            seen.parent = seen.storage.owner
        seen.storage.live[ref.step] = array
        for other in self._seen.values():
            if other.parent is array:
                other.parent, other.view = other.storage.owner, None

    # -- writes -------------------------------------------------------------------------------------------------

    def before_write(self, region: np.ndarray[Any, Any]) -> None:
        """Save the values that the coming write would destroy."""
        seen = self._seen.get(id(region))
        storage = seen.storage if seen is not None else self._storage_of(region)
        if storage is None:
            return
        steps = self._recorder.working.steps
        for number, held in list(storage.live.items()):
            step, array = steps[number], _held(held)
            if not _overlap(region, array):
                continue
            del storage.live[number]
            if (
                held is not array
                or step.operation in _CHEAP
                or (array is not storage.owner and step.operation in _VIEWS)
            ):
                step.value, step.kept = None, False  # cheap to compute again from what came before
            else:
                step.value = duplicate(array)

    def after_write(self, region: np.ndarray[Any, Any], content: Ref) -> None:
        """The region now holds ``content``: a new version of its storage."""
        seen = self._seen.get(id(region))
        storage = seen.storage if seen is not None else self._storage_of(region)
        if storage is None:
            return
        storage.version += 1
        if seen is not None:
            seen.ref, seen.version = content, storage.version
        owner = storage.owner
        if region is not owner:
            before = self._seen[id(owner)]
            where = positions(region, owner)
            ref = self._recorder.step(
                "put_flat",
                "recording.put_flat",
                (self._owner_ref(before), content),
                (Slot(0), Slot(1), where),
                {},
                value=owner,
            )
        else:
            ref = content
        storage.writes.append((storage.version, region))
        self._forget_old_writes(storage)
        storage.ref = ref
        owner_seen = self._seen[id(owner)]
        owner_seen.ref, owner_seen.version = ref, storage.version
        storage.live[ref.step] = owner
        if region is not owner:
            storage.live[content.step] = region

    def _owner_ref(self, owner: Seen) -> Ref:
        return owner.storage.ref

    def _forget_old_writes(self, storage: Storage) -> None:
        """Many writes: one of the whole memory stands for all of them; at worst a view is read anew needlessly."""
        if len(storage.writes) > 64:
            storage.writes = [(storage.version, storage.owner)]


_SETTLED_BYTES = 64 * 2**20  # what is copied at the end of a recording, at most
# Steps whose value a write may take away, since running them again is cheap: parts of other values, and small writes.
_CHEAP = {"put", "put_flat", "take_flat"}
_VIEWS = {
    "getitem",
    "reshape",
    "ravel",
    "transpose",
    "matrix_transpose",
    "swapaxes",
    "moveaxis",
    "expand_dims",
    "squeeze",
}


def _held(held: Any) -> Any:
    return held() if type(held) is weakref.ref else held


def _is_shared(array: np.ndarray[Any, Any]) -> bool:
    """Whether anything outside the recording can reach an array, so that it may still change."""
    inside = 6  # the step, the ledger (owner, seen, live), the caller's variable and this one
    return array.base is not None or sys.getrefcount(array) - 1 > inside


def _layout(array: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    """The strides of an array that does not lie compactly in C order."""
    return None if array.flags.c_contiguous else array.strides


def _span(array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """The addresses an array lies between."""
    if array.flags.forc:
        low = array.__array_interface__["data"][0]
        return low, low + array.nbytes
    bounds: tuple[int, int] = np.lib.array_utils.byte_bounds(array)
    return bounds


def _overlap(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    try:
        return bool(np.shares_memory(first, second, max_work=10_000))  # type: ignore[arg-type]
    except Exception:  # NumPy's TooHardError has moved between versions; too hard to tell means: assume they overlap
        return bool(np.may_share_memory(first, second))


def _inside(array: np.ndarray[Any, Any], storage: Storage) -> bool:
    low, high = _span(array)
    owner = storage.owner
    return low >= storage.low and high <= storage.high and array.dtype == owner.dtype and _regular(owner)


def _same_kind(array: np.ndarray[Any, Any], base: np.ndarray[Any, Any]) -> bool:
    return array.dtype == base.dtype and _regular(base)


def _regular(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array fills its memory without gaps, in some order of its axes."""
    low, high = _span(array)
    return high - low == array.size * array.itemsize


def positions(array: np.ndarray[Any, Any], owner: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where each element of ``array`` stands among the elements of ``owner``, counted in C order."""
    width = owner.itemsize
    offset = array.__array_interface__["data"][0] - _span(owner)[0]
    memory = np.full(array.shape, offset // width, dtype=np.int64)
    for axis, (size, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        shape = [1] * array.ndim
        shape[axis] = size
        memory = memory + (np.arange(size) * (stride // width)).reshape(shape)
    if owner.flags.c_contiguous:
        return memory
    low, high = _span(owner)
    order = np.zeros((high - low) // width, dtype=np.int64)  # memory place -> C-order place
    own = np.full(owner.shape, (owner.__array_interface__["data"][0] - _span(owner)[0]) // width)
    for axis, (size, stride) in enumerate(zip(owner.shape, owner.strides, strict=True)):
        shape = [1] * owner.ndim
        shape[axis] = size
        own = own + (np.arange(size) * (stride // width)).reshape(shape)
    order[own.reshape(-1)] = np.arange(owner.size)
    return order[memory]
