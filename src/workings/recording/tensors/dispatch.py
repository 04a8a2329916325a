"""Every operator of PyTorch that runs becomes a step.

A dispatch mode sees operators below autograd, so the backward pass is recorded like any other computation and results
are those of the plain run, bit for bit.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from workings.recording.frames import slot
from workings.recording.tensors.memories import Memory, View
from workings.recording.tensors.operators import (
    _DESCRIBED,
    Operator,
    blank,
    compose,
    describe,
    draws,
    encode,
    flatten,
    is_composed,
    meaning_of,
    written,
)
from workings.recording.tensors.windows import Index, Window, place_in, plain, window
from workings.recording.working import Loss, Ref, Slot

if TYPE_CHECKING:
    from workings.recording.tensors.side import TensorSide

# Their second and later outputs are for the backward pass alone, and become steps if something uses them.
_SPARES = {
    "native_layer_norm", "_fused_rms_norm", "native_group_norm", "nll_loss_forward",
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention", "_scaled_dot_product_fused_attention_overrideable",
}  # fmt: skip
_CUMPROD = (
    "PyTorch differentiates prod and cumprod by another formula while anything listens to its operators: "
    "the last digit of such a derivative may differ from the plain run's"
)
_DRAWN = "What was drawn at random is kept as it came; a what-if does not draw again."
_SAMPLES = {"multinomial", "bernoulli", "binomial", "poisson", "normal"}  # draws that depend on the numbers given

_TENSOR, _PARAMETER, _STRIDED = torch.Tensor, torch.nn.Parameter, torch.strided
_SIZES = {int}
_NOWHERE: Window = (0, (), (), torch.float32)


class Dispatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Writes down the operators that run during one recording."""

    def __init__(self, side: TensorSide) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._side = side
        self._recorder = side.recorder
        self._ledger = side.ledger
        self._numbers = side.numbers

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the compiler need not be told to keep out, and telling it imports all of it

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._side.silent:
            return func(*args, **(kwargs or {}))
        operator = _DESCRIBED.get(id(func)) or describe(func)
        if operator.simple and not (kwargs or self._numbers.any()):
            return self.simple(operator, func, args)
        if operator.composed and is_composed(operator, args):  # autograd, which would have done so, stands aside
            with self:
                return compose(operator, args, kwargs or {})
        if operator.base == "set_":
            return self._placed(func, args, kwargs or {})
        return self._operate(operator, func, args, kwargs or {})

    def _operate(self, operator: Operator, call: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """One operator runs and is written down."""
        numbers = self._numbers
        inputs: list[Ref] = []
        if numbers.steering:
            numbers.backward()
        if operator.base == "lift_fresh" and not self._ledger.knows(args[0]):
            self._fresh(args[0])
        arguments = tuple([self._template(operator, i, a, inputs) for i, a in enumerate(args)])
        keywords: dict[str, Any] = {}
        if kwargs:
            for name, value in kwargs.items():
                keywords[name] = self._template(operator, operator.names.index(name), value, inputs)
        if numbers.offers:
            numbers.differentiated(operator, args, kwargs, arguments, keywords, inputs)
        changed = written(operator, args, kwargs) if operator.changes else []
        before = [window(t) for t in changed if plain(t)] if operator.reshapes else []
        if not operator.reshapes:
            for tensor in changed:
                self._ledger.before_write(tensor)
        result = call(*args, **kwargs)
        outputs = list(changed)
        if isinstance(result, torch.Tensor):
            if not changed or not any(result is t for t in changed):
                outputs.append(result)
        elif result is not None:
            made = list(flatten(result))
            outputs += [t for t in made if not any(t is w for w in changed)] if changed else made
        if operator.base == "cumprod" and torch._C._current_graph_task_id() != -1:
            self._recorder.working.notes[:] = dict.fromkeys([*self._recorder.working.notes, _CUMPROD])
        if not outputs:
            if isinstance(result, (bool, int, float, complex)):
                self._number(operator, args, inputs, arguments, keywords, result)
            return result
        if operator.random and draws(operator, args, kwargs):
            self._drawn(operator, inputs, arguments, outputs, changed, args)
        else:
            self._record(operator, tuple(inputs), arguments, keywords, outputs, len(changed), before, args)
        return result

    def _placed(self, call: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """A tensor becomes a window on other memory, and holds what lies there: nothing is computed."""
        for tensor in flatten(args[1:]):
            self._ledger.read(tensor)
        result = call(*args, **kwargs)
        if self._ledger.memory(result) is None:
            self._ledger.read(result)
        return result

    def simple(self, operator: Operator, call: Any, args: Any) -> Any:
        """The common case, which is most of what a model runs: no bare number is looked for, nothing is changed.

        It does what the general way does, with each place looked up once.
        """
        ledger = self._ledger
        memories = ledger.memories
        inputs: list[Ref] = []
        arguments: list[Any] = []
        parent: Memory | None = None
        opened: Window = _NOWHERE
        for position, value in enumerate(args):
            kind = type(value)
            if kind is _TENSOR or kind is _PARAMETER:
                ref = None
                if value.layout is _STRIDED and not value.is_nested:
                    held = memories.get(value.untyped_storage()._cdata)
                    if held is not None and held.link is None:
                        place = (value.storage_offset(), value.shape, value.stride(), value.dtype)
                        view = held.views.get(place)
                        if view is not None and view.version == held.version:
                            ref = view.ref
                            if position == 0:
                                parent, opened = held, place
                arguments.append(slot(inputs, ledger.read(value) if ref is None else ref))
            elif kind is int or value is None or kind is float or kind is bool:
                arguments.append(value)
            else:
                arguments.append(self._template(operator, position, value, inputs))
        result = call(*args)
        if result is None:
            return None
        if type(result) is not _TENSOR or result.layout is not _STRIDED or result.is_nested:
            self._record(operator, tuple(inputs), tuple(arguments), {}, [result], 0, [], args)
            return result
        storage = result.untyped_storage()
        memory = memories.get(storage._cdata)
        name, operation, used, given = operator.name, operator.operation, tuple(inputs), tuple(arguments)
        if memory is None:
            ledger.register_fresh(result, storage, ledger.step(operation, name, used, given, {}, result))
            return result
        place = (result.storage_offset(), result.shape, result.stride(), result.dtype)
        if place in memory.views:
            return result
        if memory is parent and len(used) == 1 and not operator.picks:
            ref = ledger.step(operation, name, used, given, {}, result)
            memory.views[place] = View(ref, memory.version, opened, (operation, name, given, {}, None))
            ledger.keep_view(ref, result, memory, place)
        else:
            self._view(operator, memory, (operation, name, used, given, {}), result, place, None, [], args)
        return result

    def _template(self, operator: Operator, position: int, value: Any, inputs: list[Ref]) -> Any:
        if isinstance(value, torch.Tensor):
            if operator.blanks and operator.names[position] in operator.blanks:
                return blank(value)
            return slot(inputs, self._ledger.read(value))
        kind = type(value)
        if kind is int or kind is float:
            if position in operator.operands:
                if self._numbers.offers:
                    return self._numbers.operand(value, inputs)
                if self._numbers.factors:
                    return self._numbers.factor(operator, value, inputs)
            return value
        if value is None or kind is bool or kind is str:
            return value
        if (
            kind is list
            and (position not in operator.operands or not self._numbers.any())
            and set(map(type, value)) == _SIZES
        ):
            return value.copy()
        if isinstance(value, (list, tuple)):
            return [self._template(operator, position, v, inputs) for v in value]
        return encode(value)

    def _record(
        self, operator: Operator, inputs: tuple[Ref, ...], arguments: tuple[Any, ...], keywords: dict[str, Any],
        outputs: list[torch.Tensor], changed: int, before: list[Any], args: Any,
    ) -> None:  # fmt: skip
        ledger = self._ledger
        single = len(outputs) == 1
        for position, tensor in enumerate(outputs):
            call = (meaning_of(operator, position, changed), operator.name, inputs, arguments, keywords)
            output = None if single else position
            memory = ledger.memory(tensor)
            if position < changed and not operator.reshapes:
                ref = self._copied(operator, args, tensor)
                ledger.written(tensor, ref or ledger.step(*call, tensor, output))
            elif memory is None:
                if output and not changed and operator.base in _SPARES:
                    ledger.set_aside(tensor, functools.partial(ledger.step_at, *call, window(tensor), output))
                else:
                    ledger.register(tensor, ledger.step(*call, tensor, output))
            else:
                place = window(tensor)
                if place not in memory.views:
                    self._view(operator, memory, call, tensor, place, output, before, args)

    def _copied(self, operator: Operator, args: Any, tensor: torch.Tensor) -> Ref | None:
        """``a.copy_(b)`` of the same shape and number type moves a value and makes none."""
        if operator.base != "copy_":
            return None
        source = args[1]
        if source.shape != tensor.shape or source.dtype != tensor.dtype or source.is_nested:
            return None
        memory = self._ledger.memory(tensor)
        if memory is not None and memory is self._ledger.memory(source):
            return None
        return self._ledger.read(source)

    def _view(
        self, operator: Operator, memory: Memory, call: tuple[Any, ...], tensor: torch.Tensor, place: Window,
        output: int | None, before: list[Any], args: Any,
    ) -> None:  # fmt: skip
        """A window on known memory: a movement of what it was opened from."""
        operation, function, inputs, arguments, keywords = call
        parent = args[0]
        if not isinstance(parent, torch.Tensor) or self._ledger.memory(parent) is not memory:
            parent = next((t for t in flatten(args) if self._ledger.memory(t) is memory), None)
        if parent is None:
            return  # known memory from nowhere: it is read as a region when it is used
        source = before[0] if before else window(parent)
        index: Index | None = None
        row = None
        if operator.picks:
            origin = memory.views.get(source)
            if source == memory.root:
                index = tuple([slice(0, n, 1) for n in source[1]])
            elif origin is not None:
                index = origin.index
            base = operator.base
            if base == "select":
                index = place_in(index, base, args, parent.shape)
                row = args[2] if args[1] % parent.ndim == 0 else None
            elif base == "unbind":
                axis = args[1] if len(args) > 1 else 0
                index = place_in(index, "select", (None, axis, output or 0), parent.shape)
                row = (output or 0) if axis % parent.ndim == 0 else None
            else:
                index = place_in(index, base, args, parent.shape)
        if row is not None:
            ref = self._ledger.read(parent)
            how: Any = (row % parent.shape[0],)
            self._ledger.register_view(memory, tensor, place, Ref(ref.step, ref.index + how), source, how, index)
            return
        ref = self._ledger.step(operation, function, inputs, arguments, keywords, tensor, output)
        how = (operation, function, arguments, keywords, output) if len(inputs) == 1 else None
        self._ledger.register_view(memory, tensor, place, ref, source, how, index)

    def _drawn(
        self, operator: Operator, inputs: list[Ref], arguments: tuple[Any, ...], outputs: list[torch.Tensor],
        changed: list[torch.Tensor], args: Any,
    ) -> None:  # fmt: skip
        """Random numbers: what was drawn is kept as it came; a replay does not draw again."""
        working = self._recorder.working
        note = "drawn at random"
        if _DRAWN not in working.notes:
            working.notes.append(_DRAWN)
        sampled = (operator.base in _SAMPLES or operator.chance is not None) and bool(inputs)
        for position, tensor in enumerate(outputs):
            if operator.base == "native_dropout" and position == 0:
                continue
            if sampled:
                ref = self._ledger.step("random", "", tuple(inputs), arguments, {}, tensor, note=note)
            else:
                ref = self._ledger.step("given", "", (), (), {}, tensor, note=note)
            if operator.disturbs:
                working.lost.append(
                    Loss("frozen", f"{operator.base} drew at random", ref.step, self._recorder.current.site)
                )
            if position < len(changed):
                self._ledger.written(tensor, ref, must=True)
            else:
                self._ledger.register(tensor, ref, must=True)
        if operator.base == "native_dropout":
            mask = self._ledger.read(outputs[1])
            kept = self._ledger.step(
                "multiply", "aten.mul.Tensor", (inputs[0], mask), (Slot(0), Slot(1)), {}, outputs[0]
            )
            scale = 1.0 / (1.0 - args[1]) if args[1] < 1 else 0.0
            ref = self._ledger.step("multiply", "aten.mul.Tensor", (kept,), (Slot(0), scale), {}, outputs[0])
            self._ledger.register(outputs[0], ref)

    def _fresh(self, tensor: torch.Tensor) -> None:
        """A tensor PyTorch has just made of Python's numbers: of one the source passed, or of a constant."""
        inputs = tuple(self._numbers.made_from(tensor))
        if inputs:
            ref = self._ledger.step("array", "torch.tensor", inputs, (Slot(0),), {"dtype": str(tensor.dtype)}, tensor)
            self._ledger.register(tensor, ref)
        else:
            self._side.constant(tensor)

    def _number(
        self,
        operator: Operator,
        args: Any,
        inputs: list[Ref],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        result: Any,
    ) -> None:
        if not inputs:
            return
        if operator.base in ("_local_scalar_dense", "item"):
            ref = Ref(inputs[0].step, inputs[0].index + (0,) * args[0].ndim)
        else:
            ref = self._recorder.step(
                operator.operation, operator.name, tuple(inputs), arguments, keywords, value=result
            )
        self._numbers.came_out(result, ref)


__all__ = ["Dispatch"]
