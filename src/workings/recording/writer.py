"""Writing steps down: values, their origins, the calls that made them, and the numbers that steer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from workings.recording import containers
from workings.recording.calls import Calls
from workings.recording.frames import LOST, Box, Frame, slot
from workings.recording.ledger import CONSTANT, NUMBERS, Ledger, Tag
from workings.recording.operations import functions
from workings.recording.working import Guard, Loss, Ref, Site, Slot, Source, Step, Working

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder

NUMPY_ARRAY = np.ndarray
# Operations whose result has a shape that depends on the numbers they are given.
_SHAPED_BY_NUMBERS = {
    *("nonzero", "argwhere", "flatnonzero", "unique", "compress", "extract", "trim_zeros", "delete", "bincount"),
    *("arange", "zeros", "ones", "empty", "full", "eye", "identity", "tri", "tile", "repeat", "resize", "indices"),
}
_LARGE = 2**20  # bytes: a value this large is not kept if it can be computed again
_DEEPEST = 8  # steps in a row that are not kept


class Writer:
    """Keeps the Working of one recording, and enters steps, inputs and guards in it."""

    def __init__(self, source: Source, sites: Sequence[Site]) -> None:
        self._whole = cast("Recorder", self)
        self.working = Working(source)
        self.ledger = Ledger(self._whole)
        self.calls = Calls(self._whole, Box)
        self.sites = sites
        self.root = Frame(0)
        self.current = self.root
        self.statements = 0
        self.modules: dict[int, Frame] = {}
        self.pending: tuple[list[Box], dict[str, Box]] | None = None
        self.returned: tuple[Any, Tag] | None = None
        self.yielded_last: tuple[Any, Tag] | None = None
        self.fixed: set[int] = set()
        self.tensors: Any = None  # the tensor side, once torch is there
        self.adopted: set[type] = set()
        self.named: dict[tuple[int, str], Ref] = {}  # what each name was last bound to
        self.patched: list[tuple[type, str, Any]] = []
        self.overrides: dict[tuple[str, int], Any] = {}
        self.bound: dict[str, int] = {}
        self.module_defaults: dict[int, tuple[Any, ...]] = {}  # a function's site -> its defaults from before
        self._texts: list[tuple[str, tuple[Any, ...] | None, list[Box]]] = []
        self._shown: list[Box] = []
        self._depth: dict[int, int] = {}  # how many steps in a row are not kept
        self._sets: dict[int, tuple[Any, list[Box]]] = {}
        self.defaults: dict[int, list[tuple[Any, Tag]]] = {}
        self.sent: tuple[Any, Tag] | None = None
        self.counters: set[int] = set()
        self._guarded: set[tuple[int, tuple[int, ...], bool]] = set()

    # -- steps --------------------------------------------------------------------------------------------------

    def step(
        self,
        operation: str,
        function: str,
        inputs: tuple[Ref, ...],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        *,
        value: Any,
        output: int | None = None,
        note: str = "",
    ) -> Ref:
        """Write down one operation. The value is kept by reference; the ledger copies it before a write destroys it."""
        working = self.working
        frame = self.current
        number = len(working.steps)
        step = Step(number, operation, function, inputs, arguments, keywords, frame.group, frame.statement, frame.site)
        step.output = output
        step.note = note
        step.value = value
        step.kept = True
        shape = getattr(value, "shape", ())
        step.shape = shape if type(shape) is tuple else tuple(shape)
        dtype = getattr(value, "dtype", None)
        step.dtype = type(value).__name__ if dtype is None else _TYPE_NAMES.get(dtype) or _type_name(dtype)
        working.steps.append(step)
        self.count(step)
        return Ref(number)

    def count(self, step: Step) -> None:
        """Note whether a step depends on constants and counters alone, and whether its shape depends on numbers."""
        if step.operation in ("given", "opaque"):
            return
        fixed, counters, inputs = self.fixed, self.counters, step.inputs
        if not inputs:
            # What Python makes of whole numbers in the source (an index, a count) can never come out otherwise. An
            # array that is written out, or made by a constructor, is a value like any other: a what-if may change it.
            if not step.shape and step.dtype in ("int", "bool"):
                fixed.add(step.number)
        else:
            known = fixed
            for ref in inputs:
                if ref.step not in fixed:
                    known = counters
                    if ref.step not in counters:
                        break
            else:
                known.add(step.number)
        if step.shape and self._varies(step):
            self.working.varying.add(step.number)

    def _varies(self, step: Step) -> bool:
        """Whether the shape of a value depends on numbers (how many pass a mask), so that it may differ on replay."""
        if any(r.step in self.working.varying for r in step.inputs):
            return True
        if step.operation == "getitem":
            index = step.arguments[1]
            parts = index if type(index) is tuple else (index,)
            slots = [step.inputs[p.position] for p in parts if type(p) is Slot]
            return any(self.working.steps[r.step].dtype == "bool" for r in slots)
        return step.operation in _SHAPED_BY_NUMBERS and not all(
            r.step in self.fixed or r.step in self.counters for r in step.inputs
        )

    def given(self, value: Any, *, lost: bool = True, plain: bool = False, note: str = "") -> Ref:
        """A value that no step produced: an input, a number written in the source, or one whose origin was not seen."""
        ref = self.step("given", "", (), (), {}, value=value, note=note)
        self.working.steps[ref.step].plain = plain
        if lost:
            self.working.steps[ref.step].note = note or LOST
            where = self.current.site
            self.working.lost.append(Loss(LOST, _describe(value), ref.step, where))
        return ref

    def found(self, ref: Ref) -> None:
        """A value that seemed to come from nowhere has a name after all (a global, an argument): it is an input."""
        step = self.working.steps[ref.step]
        if step.operation == "given" and step.note == LOST:
            step.note = ""
            self.working.lost = [loss for loss in self.working.lost if loss.step != ref.step]

    def ref(self, box: Box) -> Ref | None:
        """The origin of a boxed value, if it is a number, an array, or a list of numbers."""
        value, tag = box.value, box.tag
        kind = type(value)
        if kind is NUMPY_ARRAY:
            return self.ledger.read(value) if value.dtype.kind in "fiubc" else None
        if isinstance(tag, Ref):
            return tag
        if isinstance(value, np.generic):
            known = self.ledger.scalar_ref(value)
            if known is None:
                known = self.given(value, lost=tag is not CONSTANT)
                self.ledger.scalar(value, known)
            return known
        if kind in NUMBERS:
            return self.given(value, lost=tag is None)
        if kind is list or kind is tuple:
            return containers.read(self._whole, value)
        if self.calls.is_tensor(value):
            return self.tensors.read(value)  # type: ignore[no-any-return]
        return None

    def template(self, box: Box, inputs: list[Ref]) -> Any:
        """A boxed argument as it goes into a step: a slot where it is an input, itself where it is not."""
        value, tag = box.value, box.tag
        kind = type(value)
        if kind in NUMBERS:
            if isinstance(tag, Ref):
                return slot(inputs, tag)
            if tag is CONSTANT or kind is bool:
                return value
            return slot(inputs, self.given(value))
        if kind is NUMPY_ARRAY:
            return slot(inputs, self.ledger.read(value)) if value.dtype.kind in "fiubc" else value
        if kind is str or value is None or kind is type:
            return value
        if kind is list or kind is tuple:
            return self._container_template(value, inputs)
        if kind is slice:
            return value
        if kind is dict:
            shadow = self.ledger.shadow_of(value)
            return {k: self.template(Box(v, shadow.tags.get(k)), inputs) for k, v in value.items()}
        ref = self.ref(box)
        return value if ref is None else slot(inputs, ref)

    def _container_template(self, value: Any, inputs: list[Ref]) -> Any:
        shadow = self.ledger.shadow_of(value)
        if all(tag is CONSTANT and type(item) in NUMBERS for tag, item in zip(shadow.tags, value, strict=True)):
            return value if type(value) is tuple else list(value)
        if type(value) is list:
            ref = containers.read(self._whole, value)
            if ref is not None:
                return slot(inputs, ref)
        parts = [self.template(Box(item, tag), inputs) for item, tag in zip(value, shadow.tags, strict=True)]
        return parts if type(value) is list else tuple(parts)

    def record(
        self,
        function: functions.Function,
        args: Sequence[Box],
        kwargs: dict[str, Box],
        result: Any,
        *,
        output: int | None = None,
    ) -> Box:
        """Write down a call that has been made, and know its result from now on."""
        return self.know(result, self.write(function, args, kwargs, result, output=output), args)

    def write(
        self,
        function: functions.Function,
        args: Sequence[Box],
        kwargs: dict[str, Box],
        result: Any,
        *,
        output: int | None = None,
    ) -> Ref:
        """Write down a call that has been made."""
        inputs: list[Ref] = []
        arguments = tuple([self.template(a, inputs) for a in args])
        keywords = {k: self.template(v, inputs) for k, v in kwargs.items() if k != "out"}
        return self.step(
            function.operation, function.name, tuple(inputs), arguments, keywords, value=result, output=output
        )

    def know(self, result: Any, ref: Ref, args: Sequence[Box] = ()) -> Box:
        """From now on ``result`` is known as what ``ref`` names."""
        if type(result) is NUMPY_ARRAY:
            step = self.working.steps[ref.step]
            parent = next((a.value for a in args if type(a.value) is NUMPY_ARRAY), None)
            how = (step.operation, step.function, step.arguments, step.keywords) if len(step.inputs) == 1 else None
            if result.nbytes >= _LARGE and self._can_come_again(step):
                self.ledger.watch(result, ref)
            else:
                self.ledger.register(result, ref, parent, how if step.output is None else None)
            return Box(result)
        elif isinstance(result, np.generic):
            self.ledger.scalar(result, ref)
        return Box(result, ref)

    def _can_come_again(self, step: Step) -> bool:
        """Whether a value need not be kept: its call can be made again, and not too many others before it."""
        if step.operation in ("opaque", "given") or step.function not in functions.BY_NAME:
            return False
        depth = 1 + max((self._depth.get(r.step, 0) for r in step.inputs), default=0)
        if depth > _DEEPEST:
            return False
        self._depth[step.number] = depth
        return True

    def guard(self, box: Box, reason: str, only: tuple[Any, ...] | None = None) -> None:
        """A number that steers the program: on replay it must come out the same, or the source runs again.

        ``only`` are the values that would have led another way, where with the others no more than labels would differ.
        """
        value, tag = box.value, box.tag
        if not isinstance(tag, Ref) and isinstance(value, np.generic):
            tag = self.ledger.scalar_ref(value)
        if isinstance(tag, Ref) and tag.step not in self.fixed:
            kept = value.item() if isinstance(value, np.generic) else value
            key = (tag.step, tag.index, type(kept) is bool)
            if key not in self._guarded:
                self._guarded.add(key)
                self.working.guards.append(Guard(tag, kept, self.current.site, reason, only))

    def tag_of(self, box: Box) -> Tag:
        """The origin of a number, whether it travels beside it or with it."""
        if isinstance(box.tag, Ref) or not isinstance(box.value, np.generic):
            tag: Tag = box.tag
            return tag
        known: Tag = self.ledger.scalar_ref(box.value)
        return known

    def opaque(self, what: str, ref: Ref) -> None:
        self.working.lost.append(Loss("opaque", what, ref.step, self.current.site))


def _describe(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape:
        return f"an array of shape {tuple(shape)}"
    return f"the number {value}"


_TYPE_NAMES: dict[Any, str] = {}


def _type_name(dtype: Any) -> str:
    name = _TYPE_NAMES[dtype] = str(dtype).removeprefix("torch.")
    return name
