"""``F.linear`` and its like as the one step each is to a reader, where no gradient is asked for.

Below autograd a linear layer is four operators: two views, a transpose and ``addmm``. They are half of all that a model
runs, and none of them is how anybody writes ``x Wᵀ + b``. So while a recording is under way ``F.linear`` runs as it
always does, unseen by the dispatch mode, and is written down as a whole. Where a gradient will be asked for the four
are recorded instead: the backward pass speaks of them. A layer normalisation (with two more outputs, which only a
backward pass reads), a GELU, and the operators and movements that a followed source asks for are one operator in any
case: they are written down in the same way, as the dispatch mode would write them, because that takes half the time.
"""

from __future__ import annotations

import operator as signs
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._C._functorch import peek_interpreter_stack
from torch.autograd import forward_ad
from torch.nn import functional

from workings.recording.frames import slot
from workings.recording.tensors.operators import Operator, describe

if TYPE_CHECKING:
    from workings.recording.tensors.dispatch import Dispatch
    from workings.recording.tensors.side import TensorSide
    from workings.recording.working import Ref

_TENSOR, _PARAMETER, _STRIDED = torch.Tensor, torch.nn.Parameter, torch.strided
_LINEAR = describe(torch.ops.aten.linear.default)
_GELU = describe(torch.ops.aten.gelu.default)
_LAYER_NORM = describe(torch.ops.aten.native_layer_norm.default)
_OPERATORS: dict[Any, Operator] = {
    signs.add: describe(torch.ops.aten.add.Tensor),
    signs.sub: describe(torch.ops.aten.sub.Tensor),
    signs.mul: describe(torch.ops.aten.mul.Tensor),
    signs.truediv: describe(torch.ops.aten.div.Tensor),
}
_SIZED = {  # their integers are one argument
    "view": (torch.Tensor.view, describe(torch.ops.aten.view.default)),
    "permute": (torch.Tensor.permute, describe(torch.ops.aten.permute.default)),
}
_TRANSPOSED = (torch.Tensor.transpose, describe(torch.ops.aten.transpose.int))


class WholeCalls:
    """Stands in for functions of ``torch.nn.functional`` during one recording, and makes the source's own calls."""

    def __init__(self, side: TensorSide, dispatch: Dispatch) -> None:
        self._side = side
        self._dispatch = dispatch
        self._plain: dict[str, Callable[..., Any]] = {}

    def start(self) -> None:
        for name, made in (("linear", self._linear), ("layer_norm", self._layer_norm), ("gelu", self._gelu)):
            plain = self._plain[name] = getattr(functional, name)
            whole = made(plain)
            whole.__module__, whole.__doc__ = plain.__module__, plain.__doc__
            setattr(functional, name, whole)

    def stop(self) -> None:
        for name, plain in self._plain.items():
            setattr(functional, name, plain)
        self._plain.clear()

    # -- what a followed source asks for; None where it has to go the ordinary way ------------------------------

    def operation(self, sign: Any, operands: list[Any]) -> torch.Tensor | None:
        """An operator between two tensors."""
        known = _OPERATORS.get(sign)
        if known is None or not self._alone(operands):
            return None
        return self._made(known, sign, operands)

    def knows(self, name: str) -> bool:
        """Whether a method may be asked for."""
        return name == "transpose" or name in _SIZED

    def method(self, tensor: torch.Tensor, name: str, args: list[Any]) -> torch.Tensor | None:
        """``tensor.name(*args)``, with whole numbers."""
        if not args or any(type(a) is not int for a in args) or not self._alone((tensor,)):
            return None
        if name != "transpose":
            call, known = _SIZED[name]
            return self._made(known, call, [tensor, args])
        return self._made(_TRANSPOSED[1], _TRANSPOSED[0], [tensor, *args]) if len(args) == 2 else None

    def _alone(self, operands: Sequence[Any]) -> bool:
        side = self._side
        return not (side.silent or side.numbers.any()) and _whole(operands)

    def _made(self, known: Operator, call: Callable[..., Any], args: list[Any]) -> torch.Tensor:
        with torch._C._DisableTorchDispatch():
            made: torch.Tensor = self._dispatch.simple(known, call, args)
        return made

    # -- functions ----------------------------------------------------------------------------------------------

    def _linear(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        side = self._side

        def linear(input: Any, weight: Any, bias: Any = None) -> Any:
            operands = (input, weight) if bias is None else (input, weight, bias)
            if side.silent or not _whole(operands) or input.ndim < 2:
                return plain(input, weight, bias)
            with torch._C._DisableTorchDispatch():
                result = plain(input, weight, bias)
                self._record(_LINEAR, operands, result)
            return result

        return linear

    def _layer_norm(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        side = self._side

        def layer_norm(
            input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
        ) -> Any:
            operands = tuple([t for t in (input, weight, bias) if t is not None])
            if side.silent or side.numbers.any() or not _whole(operands):
                return plain(input, normalized_shape, weight, bias, eps)
            with torch._C._DisableTorchDispatch():
                result = plain(input, normalized_shape, weight, bias, eps)
                self._record(_LAYER_NORM, (input, list(normalized_shape), weight, bias, float(eps)), result, 0)
            return result

        return layer_norm

    def _gelu(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        side = self._side

        def gelu(input: Any, *, approximate: str = "none") -> Any:
            if side.silent or approximate != "none" or not _whole((input,)):
                return plain(input, approximate=approximate)
            with torch._C._DisableTorchDispatch():
                result = plain(input)
                self._record(_GELU, (input,), result)
            return result

        return gelu

    def _record(
        self, operator: Operator, args: tuple[Any, ...], result: torch.Tensor, output: int | None = None
    ) -> None:
        ledger = self._side.ledger
        inputs: list[Ref] = []
        arguments = tuple([slot(inputs, ledger.read(a)) if isinstance(a, torch.Tensor) else a for a in args])
        step = ledger.step(operator.operation, operator.name, tuple(inputs), arguments, {}, result, output)
        ledger.register_fresh(result, result.untyped_storage(), step)


def _whole(operands: Sequence[Any]) -> bool:
    """Whether a call is one plain step: no gradient, no change of number type on the way, nobody else listening."""
    graded = torch.is_grad_enabled()
    for tensor in operands:
        kind = type(tensor)
        if (kind is not _TENSOR and kind is not _PARAMETER) or tensor.layout is not _STRIDED or tensor.is_nested:
            return False
        if graded and tensor.requires_grad:
            return False
    if torch._C._len_torch_dispatch_stack() != 1:
        return False
    if peek_interpreter_stack() is not None or forward_ad._current_level >= 0:
        return False  # the tensors stand for others, or carry their derivatives
    device = operands[0].device.type
    return not (torch.is_autocast_enabled(device) or torch._C._is_torch_function_mode_enabled())
