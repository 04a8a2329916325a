"""PyTorch's side of a recording: what only the source knows, and what the source asks of it.

Operators are written down by :class:`Dispatch`. Which Python number is an operand, and which list a tensor was made of,
comes from the rewritten source, through :class:`TensorSide`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from workings.recording import containers
from workings.recording.operations.functions import BY_CALL
from workings.recording.tensors.bare_numbers import BareNumbers
from workings.recording.tensors.dispatch import Dispatch
from workings.recording.tensors.ledger import TensorLedger
from workings.recording.tensors.modules import ModuleScopes
from workings.recording.tensors.sharing import MAKERS, Sharing
from workings.recording.tensors.whole import WholeCalls
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Box, Frame, Recorder

_DIRECT = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)


class _Quiet:
    def __init__(self, side: TensorSide) -> None:
        self._side = side

    def __enter__(self) -> None:
        self._side.silent += 1

    def __exit__(self, *error: object) -> None:
        self._side.silent -= 1


class TensorSide:
    """Records what PyTorch does during one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.ledger = TensorLedger(recorder)
        self.sharing = Sharing(self)
        self.scopes = ModuleScopes(self)
        self.silent = 0
        self._silence = _Quiet(self)
        self.numbers = BareNumbers(recorder)
        self._dispatch = Dispatch(self)
        self._whole = WholeCalls(self, self._dispatch)
        self._plain: list[tuple[str, Any]] = []  # methods of tensors that others stand in for

    # -- beginning and end --------------------------------------------------------------------------------------

    def start(self) -> None:
        self.scopes.start()
        for name, instead in (
            ("__repr__", self._quietly),  # writing a tensor out computes; that is no part of the program
            ("__format__", self._quietly),
            ("__deepcopy__", self._copying),
        ):
            plain_method = getattr(torch.Tensor, name)
            self._plain.append((name, plain_method))
            setattr(torch.Tensor, name, instead(plain_method))
        self._whole.start()
        self._dispatch.__enter__()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        self._dispatch.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._whole.stop()
        for name, method in self._plain:
            setattr(torch.Tensor, name, method)
        self._plain.clear()
        self.scopes.stop()
        with self.quiet():
            self._settle()

    def _quietly(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def quiet(*args: Any, **kwargs: Any) -> Any:
            with self.quiet():
                return method(*args, **kwargs)

        return quiet

    def _copying(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """PyTorch copies the bytes a tensor lies in, which says nothing of its numbers: here it is a copy of them."""

        def deepcopy(tensor: torch.Tensor, memo: dict[int, Any]) -> Any:
            if self.silent:
                return method(tensor, memo)
            with self.quiet():
                made = method(tensor, memo)
                if not self.ledger.knows(made):
                    copied = ("copy", "aten.clone.default", (self.ledger.read(tensor),), (Slot(0),))
                    self.ledger.register(made, self.ledger.step(*copied, {}, made))
            return made

        return deepcopy

    def _settle(self) -> None:
        """What is kept by reference may change after the recording: little is copied, much is watched."""
        working = self.recorder.working
        reached = []
        for number in self.ledger.live():
            known = self.ledger.originals.get(number)
            if known is not None and known() is not None:  # a tensor nobody holds cannot be changed
                reached.append((working.steps[number], known))
        if sum(step.value.nbytes for step, _ in reached) <= self.ledger.small:
            for step, _ in reached:
                step.value = step.value.clone()
            return
        for step, known in reached:
            tensor = known()
            if tensor is not None and not tensor.is_inference():
                working.evaluator.versions[step.number] = (known, tensor._version)

    def quiet(self) -> _Quiet:
        """What runs in here is not recorded."""
        return self._silence

    def constant(self, tensor: torch.Tensor) -> None:
        """A tensor that stands in the code as it is."""
        ref = self.ledger.read(tensor, lost=False)
        self.recorder.fixed.add(ref.step)

    # -- what the rewritten source asks -------------------------------------------------------------------------

    kind = torch.Tensor

    @staticmethod
    def is_tensor(value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    @staticmethod
    def is_module(value: Any) -> bool:
        return isinstance(value, torch.nn.Module)

    def read(self, tensor: torch.Tensor) -> Ref:
        """The origin of what a tensor holds now."""
        known = self.ledger.at_hand(tensor)
        if known is not None:
            return known
        with self.quiet():
            return self.ledger.read(tensor)

    def adopt(self, tensor: torch.Tensor) -> tuple[Ref, bool]:
        """The origin of a tensor that has a name: one not seen before is an input. Says whether it is new."""
        known = self.ledger.at_hand(tensor)
        if known is not None:
            return known, False
        with self.quiet():
            new = not self.ledger.knows(tensor)
            return self.ledger.read(tensor, lost=False), new

    def truth(self, tensor: torch.Tensor) -> bool:
        with self.quiet():
            return bool(tensor)

    def handles(self, function: Any) -> bool:
        """Whether a callable is PyTorch's, so that everything inside it is seen by the dispatch mode."""
        module = getattr(function, "__module__", None) or getattr(
            type(getattr(function, "__self__", None)), "__module__", ""
        )
        if isinstance(module, str) and (module == "torch" or module.startswith("torch.")):
            return True
        return type(function).__module__.startswith("torch.")

    def library(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """A call of a function or class of PyTorch."""
        if _in(function, MAKERS):
            result = self.sharing.make(function, args, kwargs)
            self.numbers.refuse([*args[1:], *(v for k, v in kwargs.items() if k != "data")])
            return self.recorder.calls.box(result)
        lost = self.ledger.lost
        self.ledger.lost = lost and function is not torch.load  # what a file holds is an input
        try:
            return self._perform(frame, function, args, kwargs, isinstance(function, _DIRECT))
        finally:
            self.ledger.lost = lost

    def module(self, frame: Frame, module: torch.nn.Module, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """A call of a module."""
        self.scopes.adopt(module)
        return self._perform(frame, module, args, kwargs, False)

    def operation(self, frame: Frame, function: Any, boxes: Sequence[Box]) -> Box:
        """An operator of Python's between tensors and numbers, an item read or written."""
        made = self._whole.operation(function, [b.value for b in boxes])
        if made is not None:
            self.recorder.current = frame
            return self.recorder.calls.box(made)
        box = self._perform(frame, function, list(boxes), {}, True)
        known = BY_CALL.get(function)
        if known is not None and isinstance(box.value, (np.ndarray, np.generic)):
            return self.recorder.record(known, boxes, {}, box.value)  # an array and a tensor make an array
        return box

    def method(self, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """``tensor.name(*args, **kwargs)``."""
        tensor, recorder = box.value, self.recorder
        if not kwargs and self._whole.knows(name) and not self.numbers.offered(args):
            made = self._whole.method(tensor, name, [a.value for a in args])
            if made is not None:
                recorder.current = frame
                return recorder.calls.box(made)
        if name in ("numpy", "__array__"):
            with self.quiet():
                result = getattr(tensor, name)(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
                if isinstance(result, np.ndarray) and result.dtype.kind in "fiubc":
                    self.sharing.array_of(tensor, result)
            return recorder.calls.box(result)
        if name == "tolist":
            with self.quiet():
                return self._listed(tensor)
        if name == "new_tensor":
            return recorder.calls.box(self.sharing.make(tensor.new_tensor, args, kwargs))
        return self._perform(frame, getattr(tensor, name), args, kwargs, True)

    def _listed(self, tensor: torch.Tensor) -> Box:
        result = tensor.tolist()
        ref = self.ledger.read(tensor)
        if not isinstance(result, list):
            return self.recorder.calls.box(result, self.numbers.item(result, ref))
        step = self.recorder.step("tolist", "recording.tolist", (ref,), (Slot(0),), {}, value=np.asarray(result))
        self.recorder.working.steps[step.step].plain = True
        containers.mark(self.recorder, result, step)
        return self.recorder.calls.box(result)

    def number(self, function: Any, box: Box) -> Box:
        """``float(t)``, ``int(t)``."""
        recorder = self.recorder
        with self.quiet():
            inner = box.value.item()
            ref = self.numbers.item(inner, self.ledger.read(box.value))
            result = function(box.value)
        if type(inner) is function:
            return recorder.calls.box(result, ref)
        step = recorder.step(function.__name__, f"builtins.{function.__name__}", (ref,), (Slot(0),), {}, value=result)
        return recorder.calls.box(result, step)

    def shared_array(self, tensor: torch.Tensor) -> Box:
        """A tensor as NumPy sees it."""
        with self.quiet():
            array = tensor.detach().cpu().numpy()
            self.sharing.array_of(tensor, array)
        return self.recorder.calls.box(array)

    # -- performing ---------------------------------------------------------------------------------------------

    def _perform(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box], direct: bool) -> Box:
        recorder = self.recorder
        numbers = self.numbers
        offers = numbers.offered([*args, *kwargs.values()]) if args or kwargs else []
        saved = numbers.offers, numbers.left
        numbers.offers, numbers.left = offers if direct else [], []
        recorder.pending = (args, kwargs)
        recorder.returned = None
        try:
            if kwargs:
                result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
            else:
                result = function(*[a.value for a in args])
            left = numbers.left
        except Exception:
            for box in (*args, *kwargs.values()):
                recorder.guard(box, "an error")
            raise
        finally:
            numbers.offers, numbers.left = saved
        recorder.current = frame
        taken = recorder.pending is None
        recorder.pending = None
        tag = recorder.calls.take_returned(result)
        if not taken:
            for offer in offers:
                if not offer.used:
                    recorder.guard(recorder.calls.box(offer.value, offer.ref), "a setting of a call")
        return numbers.boxed(result, tag, left)


def _in(function: Any, functions: set[Any]) -> bool:
    try:
        return function in functions
    except TypeError:
        return False


__all__ = ["TensorSide"]
