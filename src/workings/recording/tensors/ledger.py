"""Which tensor holds the value of which step: by the memory it lies in and its place there, not by the Python object.

A tensor is a window on a storage. Storages are known by PyTorch's own weak references, which keep their number from
being used again and their memory free to go. A write makes a new version of the storage; another window that overlaps
what was written is read anew, from the whole, by the operator that once made it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from workings.recording.tensors.awaited import Parameters
from workings.recording.tensors.memories import Memory, View
from workings.recording.tensors.windows import NAMES, Index, Window, dtype_name, overlap, plain, positions_in, window
from workings.recording.working import Ref, Slot, Step

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder

_STRIDED = torch.strided
_FREE = torch.UntypedStorage._free_weak_ref
_COPY = 2**20  # a value about to be destroyed is copied up to this size, and computed again above it


class TensorLedger:
    """The origins of the tensors of one recording."""

    small = 2 * 2**20  # bytes of values that are kept whatever they are

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.memories: dict[int, Memory] = {}
        self.parameters = Parameters(self)
        self._waiting = self.parameters.waiting
        self._spares: dict[int, Callable[[], Ref]] = {}
        # PyTorch's own weak references to storages, as it hands them out: while one is held, no other storage gets the
        # same number, and the memory itself is free to go. (A StorageWeakRef for each costs ten times as much.)
        self._weak: list[int] = []
        self._others: dict[int, tuple[Any, Ref]] = {}  # tensors without plain storage (nested ones), by identity
        self.originals: dict[
            int, Any
        ] = {}  # step -> weak reference to the program's tensor that its value was kept from
        self.kept_bytes = 0
        self.lost = True  # whether a tensor nobody was seen to make counts as one whose origin was lost

    def __del__(self) -> None:
        self._unwatch()

    def _unwatch(self) -> None:
        for number in self._weak:
            _FREE(number)  # type: ignore[no-untyped-call]
        self._weak.clear()

    def forget_all(self) -> None:
        """The recording is over."""
        for known in (self.memories, self.parameters, self._spares, self._others, self.originals):
            known.clear()
        self._unwatch()

    def watch(self, storage: Any) -> None:
        """No other storage gets this one's number from now on."""
        self._weak.append(storage._weak_ref())

    # -- reading ------------------------------------------------------------------------------------------------

    def memory(self, tensor: torch.Tensor) -> Memory | None:
        """What is known of the storage a tensor lies in; None for one not seen, or a tensor without plain storage."""
        if tensor.is_nested or tensor.layout is not _STRIDED:
            return None
        return self.memories.get(tensor.untyped_storage()._cdata)

    def set_aside(self, tensor: torch.Tensor, step: Callable[[], Ref]) -> None:
        """An output that may never be used: its step is written when it is."""
        if plain(tensor):
            storage = tensor.untyped_storage()
            self.watch(storage)
            self._spares[storage._cdata] = step

    def knows(self, tensor: torch.Tensor) -> bool:
        """Whether the origin of a tensor was seen."""
        if not plain(tensor):
            known = self._others.get(id(tensor))
            return known is not None and known[0]() is tensor
        number = tensor.untyped_storage()._cdata
        return number in self.memories or number in self._spares

    def owns(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor spans its memory. (One made in inference mode does not know whose window it is.)"""
        if tensor._base is not None:
            return False
        memory = self.memory(tensor)
        return memory is None or memory.root == window(tensor)

    def at_hand(self, tensor: torch.Tensor) -> Ref | None:
        """The origin of what a tensor holds, where nothing needs to be done to know it."""
        if tensor.layout is not _STRIDED or tensor.is_nested:
            return None
        memory = self.memories.get(tensor.untyped_storage()._cdata)
        if memory is None or memory.link is not None:
            return None
        view = memory.views.get((tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype))
        return view.ref if view is not None and view.version == memory.version else None

    def read(self, tensor: torch.Tensor, lost: bool | None = None, note: str = "") -> Ref:
        """The origin of what a tensor holds now. One that was never seen is given."""
        waiting = self._waiting.pop(id(tensor), None)
        if waiting is not None:
            return self.parameters.used(waiting)
        memory = None
        if tensor.layout is _STRIDED and not tensor.is_nested:
            memory = self.memories.get(tensor.untyped_storage()._cdata)
        if memory is None:
            lost = self.lost if lost is None else lost
            if not plain(tensor):
                known = self._others.get(id(tensor))
                if known is not None and known[0]() is tensor:
                    return known[1]
                return self._give(tensor, lost, note)
            spare = self._spares.pop(tensor.untyped_storage()._cdata, None)
            if spare is not None:
                self.register(tensor, spare())
                return self.read(tensor)
            base = tensor._base
            if base is not None and plain(base) and base.untyped_storage()._cdata == tensor.untyped_storage()._cdata:
                memory = self._open(base, self._give(base, lost, note))
            else:
                return self._open_given(tensor, lost, note)
        if memory.link is not None:
            memory.link.pull()
        place = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        view = memory.views.get(place)
        if view is not None and view.version == memory.version:
            return view.ref
        current = self._current(memory, place)
        if current is None:
            return self._region(memory, tensor, place, self.lost if lost is None else lost, note)
        if view is not None and current.step not in memory.live and not current.index:
            self.keep(current, tensor)
        return current

    def _open_given(self, tensor: torch.Tensor, lost: bool, note: str) -> Ref:
        ref = self._give(tensor, lost, note)
        self._open(tensor, ref)
        return ref

    def _current(self, memory: Memory, place: Window) -> Ref | None:
        """The value of a known window at the present version; None for a window not known."""
        view = memory.views.get(place)
        if view is None:
            return None
        if view.version == memory.version:
            return view.ref
        stale = any(version > view.version and overlap(written, place) for version, written in memory.writes)
        if stale and place != memory.root:
            again = self._again(memory, view, place)
            if again is None:
                return None
            view.ref = again
        view.version = memory.version
        return view.ref

    def _again(self, memory: Memory, view: View, place: Window) -> Ref | None:
        parent = self._current(memory, view.parent) if view.parent is not None else None
        if parent is None or view.how is None:
            return None
        if isinstance(view.how[0], int):
            return Ref(parent.step, parent.index + view.how)
        operation, function, arguments, keywords, output = view.how
        return self.step_at(operation, function, (parent,), arguments, keywords, place, output)

    def step_at(
        self, operation: str, function: str, inputs: tuple[Ref, ...], arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        place: Window, output: int | None = None,
    ) -> Ref:  # fmt: skip
        """Write down a step of which only the place of its value is known here."""
        ref = self.recorder.step(operation, function, inputs, arguments, keywords, value=None, output=output)
        self._measure(ref, place)
        return ref

    def _region(self, memory: Memory, tensor: torch.Tensor, place: Window, lost: bool, note: str) -> Ref:
        """A window nobody was seen to open: the elements it shows, taken from the whole."""
        where = positions_in(place, memory.root)
        root = self._current(memory, memory.root)
        if where is None or root is None:
            ref = self._give(tensor, lost, note)
        else:
            ref = self.recorder.step("take_flat", "recording.take_flat", (root,), (Slot(0), where), {}, value=None)
            self._measure(ref, place)
        memory.views[place] = View(ref, memory.version, memory.root)
        self.keep(ref, tensor)
        return ref

    def _give(self, tensor: torch.Tensor, lost: bool, note: str) -> Ref:
        if lost or tensor.is_nested:
            ref = self.recorder.given(None if tensor.is_nested else tensor, lost=lost, note=note)
        else:
            ref = self.step("given", "", (), (), {}, tensor, None, note)
        step = self.recorder.working.steps[ref.step]
        step.value, step.kept = tensor.detach(), True
        self.originals[ref.step] = weakref.ref(tensor)
        if not plain(tensor):
            self._others[id(tensor)] = (weakref.ref(tensor), ref)
        return ref

    def _measure(self, ref: Ref, place: Window) -> None:
        step = self.recorder.working.steps[ref.step]
        step.shape, step.dtype, step.kept = tuple(place[1]), dtype_name(place[3]), False

    def step(
        self, operation: str, function: str, inputs: tuple[Ref, ...], arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        tensor: torch.Tensor, output: int | None = None, note: str = "",
    ) -> Ref:  # fmt: skip
        """Write down a step whose value is a tensor; what is kept of it is decided when the tensor is registered."""
        recorder = self.recorder
        frame = recorder.current
        steps = recorder.working.steps
        number = len(steps)
        step = Step(number, operation, function, inputs, arguments, keywords, frame.group, frame.statement, frame.site)
        step.output, step.note = output, note
        step.shape = () if tensor.is_nested else tuple(tensor.shape)
        dtype = tensor.dtype
        step.dtype = NAMES.get(dtype) or dtype_name(dtype)
        steps.append(step)
        if inputs and operation != "given":
            fixed, counters = recorder.fixed, recorder.counters
            constant = True
            for known in inputs:
                if known.step not in fixed:
                    if known.step not in counters:
                        return Ref(number)
                    constant = False
            (fixed if constant else counters).add(number)
        return Ref(number)

    # -- new tensors --------------------------------------------------------------------------------------------

    def _open(self, tensor: torch.Tensor, ref: Ref) -> Memory:
        storage = tensor.untyped_storage()
        place = window(tensor)
        view = View(ref, 0)
        self.watch(storage)
        memory = Memory(place, {place: view}, storage.nbytes())
        self.memories[storage._cdata] = memory
        if not ref.index:
            step = self.recorder.working.steps[ref.step]
            if step.kept:
                memory.live[ref.step] = place
        return memory

    def register_fresh(self, tensor: torch.Tensor, storage: Any, ref: Ref) -> None:
        """A step has just produced this tensor, alone in new memory: what ``register`` does, for the common case."""
        place = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        size = storage.nbytes()
        self.watch(storage)
        memory = Memory(place, {place: View(ref, 0)}, size)
        self.memories[storage._cdata] = memory
        own = tensor.nbytes
        if size <= 2 * own + 1024:
            if self.kept_bytes + size <= self.small:
                self.kept_bytes += size
                memory.counted = True
                self._hold(ref, tensor, memory, place)
        elif self.kept_bytes + own <= self.small:
            self._keep(ref, tensor, memory, place)

    def register(self, tensor: torch.Tensor, ref: Ref, must: bool = False) -> None:
        """A step has produced this tensor, in memory of its own."""
        if plain(tensor):
            memory = self._open(tensor, ref)
            if not ref.index:
                self._keep(ref, tensor, memory, memory.root, must)
            return
        self._others[id(tensor)] = (weakref.ref(tensor), ref)
        if not ref.index:
            self.keep(ref, tensor, must)

    def register_view(
        self, memory: Memory, tensor: torch.Tensor, place: Window, ref: Ref, parent: Window, how: Any,
        index: Index | None,
    ) -> None:  # fmt: skip
        """A step, or a row of one, is a window on known memory."""
        memory.views[place] = View(ref, memory.version, parent, how, index)
        if not ref.index:
            self._keep(ref, tensor, memory, place)

    def know(self, memory: Memory, tensor: torch.Tensor) -> View:
        """The entry of a window, made now if it has none."""
        place = window(tensor)
        view = memory.views.get(place)
        if view is None:
            view = memory.views[place] = View(memory.views[memory.root].ref, -1, memory.root)
        return view

    def keep_view(self, ref: Ref, tensor: torch.Tensor, memory: Memory, place: Window) -> None:
        """What ``_keep`` does, for a window on memory that is held already and is as large as what it shows."""
        if memory.counted and memory.bytes <= 2 * tensor.nbytes + 1024:
            self._hold(ref, tensor, memory, place)
        else:
            self._keep(ref, tensor, memory, place)

    def _hold(self, ref: Ref, tensor: torch.Tensor, memory: Memory, place: Window) -> None:
        """Keep a step's value where it lies: it shares memory with the program's tensor."""
        step = self.recorder.working.steps[ref.step]
        step.kept = True
        step.value = tensor.detach()
        self.originals[ref.step] = weakref.ref(tensor)
        memory.live[ref.step] = place

    # -- what is kept -------------------------------------------------------------------------------------------

    def keep(self, ref: Ref, tensor: torch.Tensor, must: bool = False) -> None:
        """Keep a step's value by reference while all that is kept is small, or where it must be."""
        memory = self.memory(tensor)
        self._keep(ref, tensor, memory, window(tensor) if memory is not None else None, must)

    def _keep(
        self, ref: Ref, tensor: torch.Tensor, memory: Memory | None, place: Window | None, must: bool = False
    ) -> None:
        step = self.recorder.working.steps[ref.step]
        if step.kept and step.value is not None:
            return
        own = tensor.numel() * tensor.element_size()
        size = own if memory is None else memory.bytes
        copy = memory is None or memory.link is not None or size > 2 * own + 1024
        new = own if copy else (0 if memory is not None and memory.counted else size)
        if not must and self.kept_bytes + new > self.small:
            return
        self.kept_bytes += new
        step.kept = True
        if copy and not tensor.is_nested:
            step.value = tensor.detach().clone()
            return
        step.value = tensor.detach()
        self.originals[ref.step] = weakref.ref(tensor)
        if memory is not None and place is not None:
            memory.counted = True
            memory.live[ref.step] = place

    def live(self) -> list[int]:
        """The steps whose kept values still share memory with the program's tensors."""
        return [number for memory in self.memories.values() for number in memory.live]

    def let_go(self, memory: Memory) -> None:
        """Values kept by reference on this memory are copied: someone else will write to it unseen by us."""
        for number in memory.live:
            step = self.recorder.working.steps[number]
            step.value = step.value.clone()
        memory.live.clear()

    # -- writes -------------------------------------------------------------------------------------------------

    def before_write(self, tensor: torch.Tensor) -> None:
        """Save the values that the coming write would destroy."""
        memory = self.memory(tensor)
        if memory is None:
            return
        if memory.link is not None:
            memory.link.before_write(tensor)
        self.know(memory, tensor)
        place = window(tensor)
        copies: dict[Window, torch.Tensor] = {}
        for number, held in list(memory.live.items()):
            if not overlap(place, held):
                continue
            del memory.live[number]
            step = self.recorder.working.steps[number]
            size = step.value.numel() * step.value.element_size()
            if (
                (
                    step.function
                    and not step.function.startswith("aten.empty")
                    and self.kept_bytes + size > self.small
                    and size > _COPY
                )
                or step.operation == "empty"
                or (step.operation in ("put", "put_flat", "take_flat") and step.function)
            ):
                step.value, step.kept = None, False
            else:
                if held not in copies:
                    copies[held] = step.value.clone()
                    self.kept_bytes += size
                step.value = copies[held]

    def written(self, tensor: torch.Tensor, content: Ref, must: bool = False) -> None:
        """A tensor now holds ``content``: a new version of its memory."""
        memory = self.memory(tensor)
        if memory is None:
            self.register(tensor, content, must)
            return
        place = window(tensor)
        if tensor.untyped_storage().nbytes() != memory.bytes:  # resized by the call: nothing of the old is left
            self.memories.pop(tensor.untyped_storage()._cdata)
            self.register(tensor, content, must)
            return
        root = memory.views[memory.root]
        view = memory.views.get(place)
        memory.version += 1
        if place == memory.root:
            root.ref = content
        else:
            before = root.ref
            root.ref = self._put(memory, place, before, content, view)
            if view is None:
                view = memory.views[place] = View(content, memory.version, memory.root)
            view.ref, view.version = content, memory.version
        root.version = memory.version
        memory.writes.append((memory.version, place))
        if len(memory.writes) > 64:
            memory.writes = [(memory.version, memory.root)]
        if not content.index:
            self.keep(content, tensor, must)
        if memory.link is not None:
            memory.link.push(tensor, content)

    def _put(self, memory: Memory, place: Window, before: Ref, content: Ref, view: View | None) -> Ref:
        """The whole, after a part of it was written."""
        recorder = self.recorder
        index = view.index if view is not None else None
        if index is not None:
            short = tuple(slice(None) if s == slice(0, n, 1) else s for s, n in zip(index, memory.root[1], strict=True))
            while short and short[-1] == slice(None):
                short = short[:-1]
            ref = recorder.step(
                "put", "recording.put", (before, content), (Slot(0), Slot(1), short or (...,)), {}, value=None
            )
        else:
            where = positions_in(place, memory.root)
            if where is None:
                ref = recorder.given(None, lost=True)
            else:
                ref = recorder.step(
                    "put_flat", "recording.put_flat", (before, content), (Slot(0), Slot(1), where), {}, value=None
                )
        self._measure(ref, memory.root)
        return ref
