"""The parameters and buffers of modules that a program has not used yet: each is written down when it does."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from workings.recording.tensors.memories import Memory, View
from workings.recording.tensors.windows import dtype_name, plain
from workings.recording.working import Ref, Step

if TYPE_CHECKING:
    from workings.recording.frames import Frame
    from workings.recording.tensors.ledger import TensorLedger

_PLAIN = {torch.Tensor, torch.nn.Parameter}


class Awaited:
    """A parameter of a module, not yet used: what can be written down of it before the program runs.

    A model has hundreds, and between two of its products the caches hold nothing of ours: what is made here, one after
    the other, takes a fraction of what it takes there.
    """

    __slots__ = ("frame", "memory", "name", "number", "original", "place", "step", "tensor", "view")

    def __init__(self, tensor: torch.Tensor, storage: Any, frame: Frame, name: str) -> None:
        place = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        self.tensor, self.frame, self.name = tensor, frame, name
        self.number, self.place = storage._cdata, place
        self.step = Step(0, "given", "", (), (), {}, 0, 0, None)
        self.step.shape, self.step.dtype = tuple(place[1]), dtype_name(place[3])
        if type(tensor) in _PLAIN:
            with torch._C._DisableTorchDispatch():  # which is quicker than a call that the dispatch mode passes by
                self.step.value = tensor.detach()
        else:
            self.step.value = tensor.detach()
        self.step.kept = True
        self.original = weakref.ref(tensor)
        self.view = View(Ref(0), 0)
        self.memory = Memory(place, {place: self.view}, storage.nbytes())

    def holds(self) -> bool:
        """Whether the tensor still lies where it lay (``parameter.data = ...`` moves it)."""
        tensor = self.tensor
        place = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        return place == self.place and tensor.untyped_storage()._cdata == self.number


class Parameters:
    """The parameters that a ledger waits for."""

    def __init__(self, ledger: TensorLedger) -> None:
        self._ledger = ledger
        self.waiting: dict[int, Awaited] = {}  # by identity
        self._lying: dict[int, torch.Tensor] = {}  # the same, by the storage they lie in

    def clear(self) -> None:
        self.waiting.clear()
        self._lying.clear()

    def awaits(self, tensor: torch.Tensor, frame: Frame, name: str) -> bool:
        """A module's parameter or buffer has this name when it is used. False for one whose memory is known already."""
        ledger, waiting = self._ledger, self.waiting.get(id(tensor))
        if waiting is not None:
            if waiting.number in ledger.memories:  # by way of another tensor on the same memory
                return False
            waiting.frame, waiting.name = frame, name
            return True
        if not plain(tensor):
            return False
        storage = tensor.untyped_storage()
        if storage._cdata in self._lying:  # another parameter lies there: it has its name before this one is used
            ledger.read(self._lying[storage._cdata])
        if storage._cdata in ledger.memories:
            return False
        self._lying[storage._cdata] = tensor
        self.waiting[id(tensor)] = Awaited(tensor, storage, frame, name)
        ledger.watch(storage)
        return True

    def used(self, waiting: Awaited) -> Ref:
        """One of them, no longer waiting, is used for the first time: the step that gives it, under its name."""
        ledger = self._ledger
        known = waiting.number in ledger.memories
        ref = ledger.read(waiting.tensor) if known else self._given(waiting)
        frame = waiting.frame
        ledger.recorder.name_at(frame, waiting.name, ref, frame.statement, frame.site)
        return ref

    def _given(self, waiting: Awaited) -> Ref:
        ledger, recorder = self._ledger, self._ledger.recorder
        if not waiting.holds():
            storage = waiting.tensor.untyped_storage()
            waiting = Awaited(waiting.tensor, storage, waiting.frame, waiting.name)
            ledger.watch(storage)
        step, ref = waiting.step, waiting.view.ref
        current, steps = recorder.current, recorder.working.steps
        ref.step = step.number = number = len(steps)
        step.group, step.statement, step.site = current.group, current.statement, current.site
        steps.append(step)
        ledger.originals[number] = waiting.original
        waiting.memory.live[number] = waiting.place
        ledger.memories[waiting.number] = waiting.memory
        return ref
