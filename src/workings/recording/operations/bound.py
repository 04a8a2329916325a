"""A step's call with its arguments bound to their names, ready to be asked what it means."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.frozen import frozen
from workings.recording.operations.expression import Leaf, Number
from workings.recording.operations.functions import BY_NAME
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.working import Step, Working

_RENAMED = {
    "attn_mask": "mask",
    "is_causal": "causal",
    "dropout_p": "dropout",
    "dim": "axis",
    "keepdim": "keepdims",
    "self": "a",
    "input": "a",
    "correction": "ddof",
}


@frozen
class Operand:
    """An argument that is numbers: an input of the step, or numbers that stand in the call."""

    working: Working
    ref: Ref | None
    constant: Any = None

    @cached_property
    def array(self) -> np.ndarray[Any, Any]:
        """The numbers as a NumPy array (a copy in NumPy's types where they were a tensor)."""
        if self.ref is None:
            return np.asarray(self.constant)
        return as_array(self.working.value(self.ref))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        if self.ref is None:
            return tuple(self.array.shape)
        return self.working.steps[self.ref.step].shape[len(self.ref.index) :]

    @property
    def labels(self) -> tuple[tuple[str, ...] | None, ...]:
        if self.ref is None:
            return (None,) * len(self.shape)
        return self.working.labels(self.ref.step)[len(self.ref.index) :]

    def leaf(self, index: Sequence[int]) -> Leaf:
        """One element, with where it came from."""
        place = tuple(int(i) for i in index)
        if self.ref is None:
            return Leaf(scalar(self.array[place]))
        ref = Ref(self.ref.step, self.ref.index + place)
        return Leaf(scalar(self.working.value(ref)), ref)

    def broadcast_leaf(self, index: Sequence[int]) -> Leaf:
        """The element that meets ``index`` of a result this operand is broadcast to."""
        shape = self.shape
        tail = tuple(index)[len(index) - len(shape) :] if shape else ()
        return self.leaf(tuple(0 if n == 1 else i for i, n in zip(tail, shape, strict=True)))


_FOREACH = {
    "mul": "multiply", "add": "add", "sub": "subtract", "div": "divide", "pow": "power", "neg": "negative",
    "abs": "absolute", "norm": "vector_norm", "sqrt": "sqrt", "exp": "exp", "log": "log", "reciprocal": "reciprocal",
    "addcmul": "addcmul", "addcdiv": "addcdiv", "lerp": "lerp", "maximum": "maximum", "minimum": "minimum",
}  # fmt: skip


def base_name(step: Step) -> str:
    """A PyTorch operator's name without its overload: ``add_`` of ``aten.add_.Tensor``; empty for any other call."""
    return step.function.split(".")[1] if step.function.startswith("aten.") else ""


def operation_of(step: Step) -> str:
    """What a step does, also where it is one of a list of things done by one call."""
    base = base_name(step)
    if base.startswith("_foreach_"):
        plain = base.removeprefix("_foreach_").rstrip("_")
        return _FOREACH.get(plain, plain)
    return step.operation


def parameter_names(step: Step) -> tuple[str, ...]:
    """The names of a call's positional parameters."""
    function = BY_NAME.get(step.function)
    if function is not None:
        return function.parameters
    base = base_name(step).removeprefix("_foreach_")
    from workings.recording.operations.torch_names import PARAMETERS

    return PARAMETERS.get(base) or PARAMETERS.get(base.rstrip("_"), ())


class Bound:
    """A step with its arguments by name; slots have become operands."""

    def __init__(self, working: Working, step: Step) -> None:
        self.working = working
        self.step = step
        self.names = parameter_names(step)
        self.operation = operation_of(step)
        self.args: tuple[Any, ...] = tuple(self._filled(a) for a in step.arguments)
        if base_name(step).startswith("_foreach_"):  # one output of a call on lists: the arguments of that one
            place = step.output or 0
            self.args = tuple(a[place] if isinstance(a, (list, tuple)) and len(a) > place else a for a in self.args)
        self.named: dict[str, Any] = {}
        starred = next((n for n in self.names if n.startswith("*")), None)
        for place, value in enumerate(self.args):
            name = self.names[place] if place < len(self.names) else f"argument{place}"
            if starred is not None and place >= self.names.index(starred):
                self.named.setdefault(starred[1:], []).append(value)
            else:
                self.named[_RENAMED.get(name, name)] = value
        for key, value in step.keywords.items():
            self.named[_RENAMED.get(key, key)] = self._filled(value)

    def _filled(self, template: Any) -> Any:
        if isinstance(template, Slot):
            return Operand(self.working, self.step.inputs[template.position])
        if isinstance(template, (list, tuple)):
            return type(template)(self._filled(t) for t in template)
        return template

    def get(self, name: str, default: Any = None) -> Any:
        """A parameter as a plain value, also where it was an input of the step."""
        value = self.named.get(name)
        return default if value is None else plain(value)

    def operand(self, place: int) -> Operand:
        """The argument at a place, as numbers."""
        value = self.args[place] if place < len(self.args) else list(self.named.values())[place]
        return value if isinstance(value, Operand) else Operand(self.working, None, constant(value))

    def named_operand(self, name: str) -> Operand | None:
        value = self.named.get(name)
        if value is None:
            return None
        return value if isinstance(value, Operand) else Operand(self.working, None, constant(value))

    @property
    def operands(self) -> list[Operand]:
        """Every positional argument as numbers."""
        return [self.operand(i) for i in range(len(self.args))]

    def axes(self, rank: int) -> tuple[int, ...]:
        """The axes a reduction runs over, counted from the front."""
        axis = self.get("axis")
        if axis is None or axis in ([], ()):
            return tuple(range(rank))
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        return tuple(int(a) % rank for a in axes) if rank else ()

    @property
    def keepdims(self) -> bool:
        return bool(self.get("keepdims", False))


def constant(value: Any) -> Any:
    """Numbers that stand in a call, with operands inside them taken by value."""
    if isinstance(value, Operand):
        return value.array
    if isinstance(value, (list, tuple)):
        return [constant(v) for v in value]
    return value


def plain(value: Any) -> Any:
    """A parameter with the operands inside it taken by value, as Python's own numbers."""
    if isinstance(value, Operand):
        return value.array.tolist()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(v) for v in value)
    return value


def as_array(value: Any) -> np.ndarray[Any, Any]:
    """Any recorded value as a NumPy array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) in ("torch.bfloat16", "torch.float16"):
            value = value.float()
        return np.asarray(value.resolve_conj().resolve_neg().numpy())
    return np.asarray(value)


def scalar(value: Any) -> Number:
    """One recorded number as Python's own; a float32 stays one, so that it is written with the digits it has."""
    value = as_array(value)[()]
    if isinstance(value, (np.float32, np.float16)):
        return value  # type: ignore[return-value]
    return value.item() if hasattr(value, "item") else value  # type: ignore[no-any-return]
