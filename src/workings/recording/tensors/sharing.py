"""Memory that NumPy and PyTorch share, and tensors made from Python's lists and NumPy's arrays.

Where both see the same bytes, NumPy's ledger is the one that counts: a write by PyTorch is entered there at once, and
PyTorch's side looks there before every read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from workings.recording.operations import functions
from workings.recording.tensors.memories import Memory
from workings.recording.tensors.windows import window
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Box
    from workings.recording.tensors.side import TensorSide


def item(tensor: Any) -> Any:
    """The one number of a tensor, as a number of Python."""
    return tensor.item()


def to_list(tensor: Any) -> Any:
    """A tensor's numbers as Python has them."""
    return np.asarray(tensor.tolist())


def to_numpy(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy().copy()


def from_numpy(array: Any) -> Any:
    return torch.from_numpy(np.array(array))


def make_tensor(data: Any, dtype: str | None = None) -> Any:
    """A new tensor from numbers, lists, arrays or tensors."""
    kind = getattr(torch, dtype.removeprefix("torch.")) if dtype else None
    if isinstance(data, torch.Tensor):
        return data.detach().clone().to(kind)
    return torch.tensor(data, dtype=kind)


functions.define("recording.item", item, "item", "a", moves=True)
functions.define("recording.tolist", to_list, "tolist", "a", moves=True)
functions.define("recording.to_numpy", to_numpy, "array", "object", moves=True)
functions.define("recording.from_numpy", from_numpy, "array", "object", moves=True)
functions.define("torch.tensor", make_tensor, "array", "object dtype", moves=True)

MAKERS: set[Any] = {
    torch.tensor, torch.as_tensor, torch.asarray, torch.from_numpy, torch.Tensor, torch.FloatTensor, torch.DoubleTensor,
    torch.LongTensor, torch.IntTensor, torch.BoolTensor,
}  # fmt: skip


class Link:
    """One tensor storage whose memory NumPy knows as ``array``."""

    def __init__(self, side: TensorSide, memory: Memory, array: np.ndarray[Any, Any], last: Ref) -> None:
        self._side = side
        self._memory = memory
        self._array = array
        self._last = last

    def pull(self) -> None:
        """Take over what NumPy has written since the last look."""
        recorder = self._side.recorder
        now = recorder.ledger.read(self._array)
        if now == self._last:
            return
        self._last = now
        memory = self._memory
        root = memory.views[memory.root]
        root.ref = recorder.step("array", "recording.from_numpy", (now,), (Slot(0),), {}, value=self._array)
        step = recorder.working.steps[root.ref.step]
        step.value, step.kept = None, False
        memory.version += 1
        root.version = memory.version
        memory.writes.append((memory.version, memory.root))

    def before_write(self, tensor: torch.Tensor) -> None:
        self.pull()
        self._side.recorder.ledger.before_write(tensor.detach().numpy())

    def push(self, tensor: torch.Tensor, content: Ref) -> None:
        """PyTorch has written: NumPy's ledger learns of it."""
        recorder = self._side.recorder
        region = tensor.detach().numpy()
        given = recorder.step("array", "recording.to_numpy", (content,), (Slot(0),), {}, value=region)
        recorder.working.steps[given.step].value = region.copy()
        recorder.ledger.after_write(region, given)
        self._last = recorder.ledger.read(self._array)


class Sharing:
    """Crossings between the two libraries, in both directions."""

    def __init__(self, side: TensorSide) -> None:
        self._side = side

    def array_of(self, tensor: torch.Tensor, array: np.ndarray[Any, Any]) -> None:
        """``array`` shows the memory of ``tensor``."""
        side, ledger = self._side, self._side.recorder.ledger
        ref = side.ledger.read(tensor)
        memory = side.ledger.memory(tensor)
        if memory is None or ledger.knows(array):
            return
        if memory.link is None:
            known = ledger._storage_of(array) if array.size else None
            if known is not None:
                memory.link = Link(side, memory, known.owner, ledger.read(known.owner))
                return
            root = memory.views[memory.root].ref
            offset, shape, strides, dtype = memory.root
            whole = torch.empty(0, dtype=dtype).set_(tensor.untyped_storage(), offset, shape, strides)
            owner = whole.numpy()
            given = side.recorder.step("array", "recording.to_numpy", (root,), (Slot(0),), {}, value=owner)
            ledger.open(owner, given)
            side.ledger.let_go(memory)
            memory.link = Link(side, memory, owner, given)
        owner = memory.link._array
        if window(tensor) == memory.root:
            ledger.view(array, owner, ledger.read(owner), ())
        del ref

    def tensor_of(self, array: np.ndarray[Any, Any], tensor: torch.Tensor) -> None:
        """``tensor`` shows the memory of ``array``."""
        side = self._side
        if side.ledger.knows(tensor):
            return
        origin = side.recorder.ledger.read(array)
        ref = side.ledger.step("array", "recording.from_numpy", (origin,), (Slot(0),), {}, tensor)
        side.ledger.register(tensor, ref)
        memory = side.ledger.memory(tensor)
        assert memory is not None
        side.ledger.let_go(memory)
        memory.link = Link(side, memory, array, origin)

    def make(self, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
        """``torch.tensor(data)`` and its kin."""
        side = self._side
        with side.quiet():
            result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
            self._made(args[0] if args else kwargs.get("data"), result, function)
        return result

    def _made(self, box: Box | None, result: torch.Tensor, function: Any) -> None:
        side = self._side
        data = box.value if box is not None else None
        if side.ledger.knows(result):
            return
        if isinstance(data, np.ndarray) and data.dtype.kind in "fiub" and _same_memory(data, result):
            self.tensor_of(data, result)
            return
        if box is None or (function is torch.Tensor and type(data) is int):
            side.constant(result)
            return
        inputs: list[Ref] = []
        template = side.recorder.template(box, inputs)
        ref = side.ledger.step(
            "array", "torch.tensor", tuple(inputs), (template,), {"dtype": str(result.dtype)}, result
        )
        side.ledger.register(result, ref)


def _same_memory(array: np.ndarray[Any, Any], tensor: torch.Tensor) -> bool:
    low, high = np.lib.array_utils.byte_bounds(array)
    return bool(array.size) and tensor.device.type == "cpu" and low <= tensor.data_ptr() < high
