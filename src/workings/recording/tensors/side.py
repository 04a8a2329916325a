"""PyTorch's side of a recording: every operator that runs becomes a step, and numbers keep their origins in and out.

A dispatch mode sees operators below autograd, so the backward pass is recorded like any other computation and results
are those of the plain run, bit for bit. What only the source knows (which Python number is an operand, which list a
tensor was made of) comes from the rewritten source, through :class:`TensorSide`.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from workings.recording import containers
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations.functions import BY_CALL
from workings.recording.tensors.ledger import Memory, TensorLedger, View
from workings.recording.tensors.linear import Linear
from workings.recording.tensors.modules import ModuleScopes
from workings.recording.tensors.operators import (
    _DESCRIBED,
    Operator,
    blank,
    describe,
    draws,
    encode,
    flatten,
    written,
)
from workings.recording.tensors.sharing import MAKERS, Sharing
from workings.recording.tensors.windows import Index, Window, place_in, plain, window
from workings.recording.working import Loss, Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Box, Frame, Recorder

_DIRECT = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)
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
_FACTORS = {"mul", "div"}
_SUMMANDS = {"add", "sub", "rsub", "fill", "masked_fill", "full_like", "gt", "ge", "lt", "le"}
_BACKWARD_FACTORS = {"aten.mul.Tensor", "aten.div.Tensor"}
_SAMPLES = {"multinomial", "bernoulli", "binomial", "poisson", "normal"}  # draws that depend on the numbers given


_TENSOR, _PARAMETER, _STRIDED = torch.Tensor, torch.nn.Parameter, torch.strided
_NOWHERE: Window = (0, (), (), torch.float32)
_SLOTS = tuple(map(Slot, range(16)))  # they are all alike, and immutable


class _Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, side: TensorSide) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._side = side

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the compiler need not be told to keep out, and telling it imports all of it

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._side.silent:
            return func(*args, **(kwargs or {}))
        return self._side.operate(func, args, kwargs or {})


class _Quiet:
    def __init__(self, side: TensorSide) -> None:
        self._side = side

    def __enter__(self) -> None:
        self._side.silent += 1

    def __exit__(self, *error: object) -> None:
        self._side.silent -= 1


class _Offer:
    """A Python number with an origin that the source passes to a call of PyTorch."""

    __slots__ = ("ref", "used", "value")

    def __init__(self, value: Any, ref: Ref) -> None:
        self.value, self.ref, self.used = value, ref, False


class TensorSide:
    """Records what PyTorch does during one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.ledger = TensorLedger(recorder)
        self.sharing = Sharing(self)
        self.scopes = ModuleScopes(self)
        self.silent = 0
        self._silence = _Quiet(self)
        self._offers: list[_Offer] = []
        self._factors: dict[float, set[Ref]] = {}
        self._steering: list[tuple[Any, Ref]] = []
        self._left: list[tuple[Any, Ref]] | None = None
        self._mode = _Mode(self)
        self._linear = Linear(self)
        self._shown: list[tuple[str, Any]] = []

    # -- beginning and end --------------------------------------------------------------------------------------

    def start(self) -> None:
        self.scopes.start()
        for name in ("__repr__", "__format__"):  # writing a tensor out computes; that is no part of the program
            plain_method = getattr(torch.Tensor, name)
            self._shown.append((name, plain_method))
            setattr(torch.Tensor, name, self._quietly(plain_method))
        self._linear.start()
        self._mode.__enter__()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        self._mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._linear.stop()
        for name, method in self._shown:
            setattr(torch.Tensor, name, method)
        self._shown.clear()
        self.scopes.stop()
        with self.quiet():
            self._settle()

    def _quietly(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def quiet(*args: Any, **kwargs: Any) -> Any:
            with self.quiet():
                return method(*args, **kwargs)

        return quiet

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

    # -- operators ----------------------------------------------------------------------------------------------

    def operate(self, call: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """One operator runs and is written down."""
        operator = _DESCRIBED.get(id(call)) or describe(call)
        if operator.simple and not (self._offers or self._factors or self._steering or kwargs):
            return self._simple(operator, call, args)
        inputs: list[Ref] = []
        if self._steering and torch._C._current_graph_task_id() != -1:
            for value, ref in self._steering:
                self.recorder.guard(self.recorder.calls.box(value, ref), "a number used in the backward pass")
            self._steering.clear()
        if operator.base == "lift_fresh" and not self.ledger.knows(args[0]):
            self._fresh(args[0])
        arguments = tuple([self._template(operator, i, a, inputs) for i, a in enumerate(args)])
        keywords: dict[str, Any] = {}
        if kwargs:
            for name, value in kwargs.items():
                keywords[name] = self._template(operator, operator.names.index(name), value, inputs)
        if self._offers and inputs and any(t.requires_grad for t in flatten(args)):
            for position, value in enumerate(arguments):
                if type(value) is Slot and not isinstance(args[position], torch.Tensor):
                    self._differentiated(operator, position, args[position], inputs[value.position])
            for name, value in keywords.items():
                if type(value) is Slot and not isinstance(kwargs[name], torch.Tensor):
                    self._differentiated(operator, operator.names.index(name), kwargs[name], inputs[value.position])
        changed = written(operator, args, kwargs) if operator.changes else []
        before = [window(t) for t in changed if plain(t)] if operator.reshapes else []
        if not operator.reshapes:
            for tensor in changed:
                self.ledger.before_write(tensor)
        result = call(*args, **kwargs)
        outputs = list(changed)
        if isinstance(result, torch.Tensor):
            if not changed or not any(result is t for t in changed):
                outputs.append(result)
        elif result is not None:
            outputs += [t for t in flatten(result) if not any(t is w for w in changed)]
        if operator.base == "cumprod" and torch._C._current_graph_task_id() != -1:
            self.recorder.working.notes[:] = dict.fromkeys([*self.recorder.working.notes, _CUMPROD])
        if not outputs:
            if isinstance(result, (bool, int, float, complex)):
                self._number(operator, args, inputs, arguments, keywords, result)
            return result
        if operator.random and draws(operator, args, kwargs):
            self._drawn(operator, inputs, arguments, outputs, changed, args)
        else:
            self._record(operator, tuple(inputs), arguments, keywords, outputs, len(changed), before, args)
        return result

    def _simple(self, operator: Operator, call: Any, args: Any) -> Any:
        """The common case, which is most of what a model runs: see ``operate`` for what is decided beforehand.

        It does what the general way does, with each place looked up once.
        """
        ledger = self.ledger
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
                arguments.append(_slot(inputs, ledger.read(value) if ref is None else ref))
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
            self._view(operator, memory, (operation, name, used, given, {}), result, None, [], args)
        return result

    def _template(self, operator: Operator, position: int, value: Any, inputs: list[Ref]) -> Any:
        if isinstance(value, torch.Tensor):
            if operator.blanks and operator.names[position] in operator.blanks:
                return blank(value)
            return _slot(inputs, self.ledger.read(value))
        kind = type(value)
        if kind is int or kind is float:
            if position in operator.operands:
                if self._offers:
                    return self._operand(value, inputs)
                if self._factors:
                    return self._factor(operator, value, inputs)
            return value
        if value is None or kind is bool or kind is str:
            return value
        if kind is list and all(map(_is_size, value)) and not (self._offers or self._factors):
            return value.copy()
        if isinstance(value, (list, tuple)):
            return [self._template(operator, position, v, inputs) for v in value]
        return encode(value)

    def _operand(self, value: Any, inputs: list[Ref]) -> Any:
        """A plain number of an operator: the number the source passed, where only one such can be meant."""
        matching = [o for o in self._offers if o.value == value]
        if len({o.ref for o in matching}) != 1:
            return value
        for offer in matching:
            offer.used = True
        return _slot(inputs, matching[0].ref)

    def _differentiated(self, operator: Operator, position: int, value: Any, ref: Ref) -> None:
        """A number is an operand of something that has a gradient: in the backward pass it comes again, bare.

        A factor comes as it is; what comes changed, or as a whole number (which counts may equal), is guarded.
        """
        base = operator.base.removesuffix("_")
        if base in _FACTORS and type(value) is float:
            self._factors.setdefault(value, set()).add(ref)
        elif not (base in _SUMMANDS and operator.names[position] != "alpha"):
            self._steering.append((value, ref))

    def _factor(self, operator: Operator, value: Any, inputs: list[Ref]) -> Any:
        """A bare number in the backward pass: the factor of the forward pass that has this value, if just one has."""
        refs = self._factors.get(value)
        if type(value) is not float or refs is None or operator.name not in _BACKWARD_FACTORS:
            return value
        if torch._C._current_graph_task_id() == -1:
            return value
        if len(refs) > 1:
            for ref in refs:
                self.recorder.guard(self.recorder.calls.box(value, ref), "a number used in the backward pass")
            return value
        return _slot(inputs, next(iter(refs)))

    def _record(
        self, operator: Operator, inputs: tuple[Ref, ...], arguments: tuple[Any, ...], keywords: dict[str, Any],
        outputs: list[torch.Tensor], changed: int, before: list[Any], args: Any,
    ) -> None:  # fmt: skip
        ledger = self.ledger
        single = len(outputs) == 1
        call = (operator.operation, operator.name, inputs, arguments, keywords)
        for position, tensor in enumerate(outputs):
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
            elif window(tensor) not in memory.views:
                self._view(operator, memory, call, tensor, output, before, args)

    def _copied(self, operator: Operator, args: Any, tensor: torch.Tensor) -> Ref | None:
        """``a.copy_(b)`` of the same shape and number type moves a value and makes none."""
        if operator.base != "copy_":
            return None
        source = args[1]
        if source.shape != tensor.shape or source.dtype != tensor.dtype or source.is_nested:
            return None
        memory = self.ledger.memory(tensor)
        if memory is not None and memory is self.ledger.memory(source):
            return None
        return self.ledger.read(source)

    def _view(
        self, operator: Operator, memory: Any, call: tuple[Any, ...], tensor: torch.Tensor, output: int | None,
        before: list[Any], args: Any,
    ) -> None:  # fmt: skip
        """A window on known memory: a movement of what it was opened from."""
        operation, function, inputs, arguments, keywords = call
        parent = args[0]
        if not isinstance(parent, torch.Tensor) or self.ledger.memory(parent) is not memory:
            parent = next((t for t in flatten(args) if self.ledger.memory(t) is memory), None)
        if parent is None:
            return  # known memory from nowhere: it is read as a region when it is used
        place = before[0] if before else window(parent)
        origin = memory.views.get(place)
        index: Index | None = origin.index if origin is not None else None
        if place == memory.root:
            index = tuple(slice(0, n, 1) for n in place[1])
        base = operator.base
        row = None
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
            ref = self.ledger.read(parent)
            how: Any = (row % parent.shape[0],)
            self.ledger.register_view(memory, tensor, Ref(ref.step, ref.index + how), place, how, index)
            return
        ref = self.ledger.step(operation, function, inputs, arguments, keywords, tensor, output)
        how = (operation, function, arguments, keywords, output) if len(inputs) == 1 else None
        self.ledger.register_view(memory, tensor, ref, place, how, index)

    def _drawn(
        self, operator: Operator, inputs: list[Ref], arguments: tuple[Any, ...], outputs: list[torch.Tensor],
        changed: list[torch.Tensor], args: Any,
    ) -> None:  # fmt: skip
        """Random numbers: what was drawn is kept as it came; a replay does not draw again."""
        working = self.recorder.working
        note = "drawn at random"
        if note + ": kept as it came" not in working.notes:
            working.notes.append(note + ": kept as it came")
        sampled = (operator.base in _SAMPLES or operator.chance is not None) and bool(inputs)
        for position, tensor in enumerate(outputs):
            if operator.base == "native_dropout" and position == 0:
                continue
            if sampled:
                ref = self.ledger.step("random", "", tuple(inputs), arguments, {}, tensor, note=note)
            else:
                ref = self.ledger.step("given", "", (), (), {}, tensor, note=note)
            if operator.disturbs:
                working.lost.append(
                    Loss("frozen", f"{operator.base} drew at random", ref.step, self.recorder.current.site)
                )
            if position < len(changed):
                self.ledger.written(tensor, ref, must=True)
            else:
                self.ledger.register(tensor, ref, must=True)
        if operator.base == "native_dropout":
            mask = self.ledger.read(outputs[1])
            kept = self.ledger.step(
                "multiply", "aten.mul.Tensor", (inputs[0], mask), (Slot(0), Slot(1)), {}, outputs[0]
            )
            scale = 1.0 / (1.0 - args[1]) if args[1] < 1 else 0.0
            ref = self.ledger.step("multiply", "aten.mul.Tensor", (kept,), (Slot(0), scale), {}, outputs[0])
            self.ledger.register(outputs[0], ref)

    def _fresh(self, tensor: torch.Tensor) -> None:
        """A tensor PyTorch has just made of Python's numbers: of one the source passed, or of a constant."""
        if tensor.numel() == 1 and self._offers:
            inputs: list[Ref] = []
            number = tensor.item()
            for value in {o.value for o in self._offers}:
                if torch.tensor(value, dtype=tensor.dtype).item() == number:
                    self._operand(value, inputs)
            if len(inputs) == 1:
                ref = self.ledger.step(
                    "array", "torch.tensor", tuple(inputs), (Slot(0),), {"dtype": str(tensor.dtype)}, tensor
                )
                self.ledger.register(tensor, ref)
                return
        self.constant(tensor)

    def constant(self, tensor: torch.Tensor) -> None:
        """A tensor that stands in the code as it is."""
        ref = self.ledger.read(tensor, lost=False)
        self.recorder.fixed.add(ref.step)

    # -- numbers that leave tensors -----------------------------------------------------------------------------

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
            ref = self.recorder.step(
                operator.operation, operator.name, tuple(inputs), arguments, keywords, value=result
            )
        if self._left is not None:
            self._left.append((result, ref))
        else:
            self.recorder.guard(self.recorder.calls.box(result, ref), "a number read inside PyTorch")

    def _item(self, value: Any, ref: Ref) -> Ref:
        return self.recorder.step("item", "recording.item", (ref,), (Slot(0),), {}, value=value)

    # -- what the rewritten source asks -------------------------------------------------------------------------

    @staticmethod
    def is_tensor(value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def read(self, tensor: torch.Tensor) -> Ref:
        """The origin of what a tensor holds now."""
        self.silent += 1
        try:
            return self.ledger.read(tensor)
        finally:
            self.silent -= 1

    def adopt(self, tensor: torch.Tensor) -> tuple[Ref, bool]:
        """The origin of a tensor that has a name: one not seen before is an input. Says whether it is new."""
        with self.quiet():
            new = not self.ledger.knows(tensor)
            return self.ledger.read(tensor, lost=False), new

    def truth(self, tensor: torch.Tensor) -> bool:
        with self.quiet():
            return bool(tensor)

    def handles(self, function: Any) -> bool:
        """Whether a callable is PyTorch's, so that everything inside it is seen by the dispatch mode."""
        if isinstance(function, torch.nn.Module):
            return True
        module = getattr(function, "__module__", None) or getattr(
            type(getattr(function, "__self__", None)), "__module__", ""
        )
        if isinstance(module, str) and (module == "torch" or module.startswith("torch.")):
            return True
        return type(function).__module__.startswith("torch.")

    def transparent(self, function: Any) -> bool:
        return self.handles(function)

    def library(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """A call of a function, class or module of PyTorch."""
        if _in(function, MAKERS):
            result = self.sharing.make(function, args, kwargs)
            self._refuse(args[1:], kwargs)
            return self.recorder.calls.box(result)
        if isinstance(function, torch.nn.Module):
            self.scopes.adopt(function)
        return self._perform(frame, function, args, kwargs, isinstance(function, _DIRECT))

    def operation(self, frame: Frame, function: Any, boxes: Sequence[Box]) -> Box:
        """An operator of Python's between tensors and numbers, an item read or written."""
        box = self._perform(frame, function, list(boxes), {}, True)
        known = BY_CALL.get(function)
        if known is not None and isinstance(box.value, (np.ndarray, np.generic)):
            return self.recorder.record(known, boxes, {}, box.value)  # an array and a tensor make an array
        return box

    def method(self, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """``tensor.name(*args, **kwargs)``."""
        tensor, recorder = box.value, self.recorder
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
            return self.recorder.calls.box(result, self._item(result, ref))
        step = self.recorder.step("tolist", "recording.tolist", (ref,), (Slot(0),), {}, value=np.asarray(result))
        self.recorder.working.steps[step.step].plain = True
        containers.mark(self.recorder, result, step)
        return self.recorder.calls.box(result)

    def number(self, function: Any, box: Box) -> Box:
        """``float(t)``, ``int(t)``."""
        recorder = self.recorder
        with self.quiet():
            inner = box.value.item()
            ref = self._item(inner, self.ledger.read(box.value))
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
        offers = self._offered([*args, *kwargs.values()])
        saved = self._offers, self._left
        self._offers, self._left = offers if direct else [], []
        recorder.pending = (args, kwargs)
        recorder.returned = None
        try:
            result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
            left = self._left
        except Exception:
            for box in (*args, *kwargs.values()):
                recorder.guard(box, "an error")
            raise
        finally:
            self._offers, self._left = saved
        recorder.current = frame
        taken = recorder.pending is None
        recorder.pending = None
        tag = recorder.calls.take_returned(result)
        if not taken:
            for offer in offers:
                if not offer.used:
                    recorder.guard(recorder.calls.box(offer.value, offer.ref), "a setting of a call")
        return self._boxed(result, tag, left)

    def _boxed(self, result: Any, tag: Tag, left: list[tuple[Any, Ref]]) -> Box:
        recorder = self.recorder
        if tag is None and type(result) in NUMBERS:
            tag = self._left_tag(result, left)
        elif isinstance(result, (tuple, list)) and _new_numbers(recorder, result):
            tags = [self._left_tag(r, left) if type(r) in NUMBERS else None for r in result]
            recorder.ledger.shadow(result, tags)
        for value, ref in left:
            recorder.guard(recorder.calls.box(value, ref), "a number read inside PyTorch")
        return recorder.calls.box(result, tag)

    def _left_tag(self, value: Any, left: list[tuple[Any, Ref]]) -> Tag:
        """The origin of a number that came out of a call: the tensor it was read from, or none but the code."""
        for place, (number, ref) in enumerate(left):
            if type(number) is type(value) and (number == value or repr(number) == repr(value)):
                del left[place]
                step = self.recorder.working.steps[ref.step]
                return ref if step.kept and type(step.value) in NUMBERS else self._item(value, ref)
        return CONSTANT

    def _offered(self, boxes: Sequence[Box]) -> list[_Offer]:
        offers: list[_Offer] = []
        ledger, fixed = self.recorder.ledger, self.recorder.fixed
        for box in boxes:
            value, tag = box.value, box.tag
            kind = type(value)
            if kind in NUMBERS:
                if isinstance(tag, Ref) and tag.step not in fixed:
                    offers.append(_Offer(value, tag))
            elif isinstance(value, np.generic):
                known = ledger.scalar_ref(value)
                if known is not None and known.step not in fixed:
                    offers.append(_Offer(value.item(), known))
            elif (kind is tuple or kind is list) and value and len(value) < 64:
                tags = ledger.shadow_of(value).tags
                offers += self._offered([self.recorder.calls.box(v, t) for v, t in zip(value, tags, strict=True)])
        return offers

    def _refuse(self, args: Sequence[Box], kwargs: dict[str, Box]) -> None:
        for offer in self._offered([*args, *(v for k, v in kwargs.items() if k != "data")]):
            self.recorder.guard(self.recorder.calls.box(offer.value, offer.ref), "a setting of a call")


def _new_numbers(recorder: Recorder, result: Any) -> bool:
    """Whether a sequence holds numbers whose origins nobody has written down."""
    return any(type(r) in NUMBERS for r in result) and recorder.ledger.existing_shadow(result) is None


def _in(function: Any, functions: set[Any]) -> bool:
    try:
        return function in functions
    except TypeError:
        return False


def _slot(inputs: list[Ref], ref: Ref) -> Slot:
    position = 0
    for known in inputs:
        if known.step == ref.step and known.index == ref.index:
            break
        position += 1
    else:
        inputs.append(ref)
    return _SLOTS[position] if position < len(_SLOTS) else Slot(position)


def _is_size(value: Any) -> bool:
    return type(value) is int


__all__ = ["TensorSide"]
