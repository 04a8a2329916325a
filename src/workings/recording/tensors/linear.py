"""``F.linear`` as the one step it is to a reader, where no gradient is asked for.

Below autograd a linear layer is four operators: two views, a transpose and ``addmm``. They are half of all that a model
runs, and none of them is how anybody writes ``x Wᵀ + b``. So while a recording is under way ``F.linear`` runs as it
always does, unseen by the dispatch mode, and is written down as a whole. Where a gradient will be asked for the four
are recorded instead: the backward pass speaks of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from workings.recording.tensors.operators import describe, slot

if TYPE_CHECKING:
    from workings.recording.tensors.side import TensorSide
    from workings.recording.working import Ref

_TENSOR, _PARAMETER, _STRIDED = torch.Tensor, torch.nn.Parameter, torch.strided
_LINEAR = describe(torch.ops.aten.linear.default)


class Linear:
    """Stands in for ``torch.nn.functional.linear`` during one recording."""

    def __init__(self, side: TensorSide) -> None:
        self._side = side
        self._plain: Callable[..., Any] | None = None

    def start(self) -> None:
        plain = self._plain = functional.linear
        side = self._side

        def linear(input: Any, weight: Any, bias: Any = None) -> Any:
            operands = (input, weight) if bias is None else (input, weight, bias)
            if side.silent or not _whole(operands):
                return plain(input, weight, bias)
            with torch._C._DisableTorchDispatch():
                result = plain(input, weight, bias)
                self._record(operands, result)
            return result

        linear.__module__, linear.__doc__ = plain.__module__, plain.__doc__
        functional.linear = linear

    def stop(self) -> None:
        if self._plain is not None:
            functional.linear = self._plain
            self._plain = None

    def _record(self, operands: tuple[torch.Tensor, ...], result: torch.Tensor) -> None:
        ledger = self._side.ledger
        inputs: list[Ref] = []
        arguments = tuple([slot(inputs, ledger.read(tensor)) for tensor in operands])
        step = ledger.step(_LINEAR.operation, _LINEAR.name, tuple(inputs), arguments, {}, result)
        ledger.register_fresh(result, result.untyped_storage(), step)


def _whole(operands: tuple[Any, ...]) -> bool:
    """Whether a call is one plain product: no gradient, no change of number type on the way, nobody else listening."""
    graded = torch.is_grad_enabled()
    for tensor in operands:
        kind = type(tensor)
        if (kind is not _TENSOR and kind is not _PARAMETER) or tensor.layout is not _STRIDED or tensor.is_nested:
            return False
        if graded and tensor.requires_grad:
            return False
    if operands[0].ndim < 2 or torch._C._len_torch_dispatch_stack() != 1:
        return False
    device = operands[0].device.type
    return not (torch.is_autocast_enabled(device) or torch._C._is_torch_function_mode_enabled())
