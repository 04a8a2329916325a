"""Python's numbers on their way into PyTorch and out of it: bare there, and given their origins here.

An operator sees a number's value alone. The source says which numbers with an origin it passes to a call (they are
offered to it); an operator's number of the same value is taken for the one that was offered, where just one can be
meant. What may have been steered by a number in a way nobody saw is guarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from workings.recording.frames import slot
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.tensors.operators import Operator, flatten
from workings.recording.working import Ref, Slot

if TYPE_CHECKING:
    from workings.recording.recorder import Box, Recorder

_FACTORS = {"mul", "div"}
_SUMMANDS = {"add", "sub", "rsub", "fill", "masked_fill", "full_like", "gt", "ge", "lt", "le"}
_BACKWARD_FACTORS = {"aten.mul.Tensor", "aten.div.Tensor"}


class Offer:
    """A Python number with an origin that the source passes to a call of PyTorch."""

    __slots__ = ("ref", "used", "value")

    def __init__(self, value: Any, ref: Ref) -> None:
        self.value, self.ref, self.used = value, ref, False


class BareNumbers:
    """The numbers under way between the source and PyTorch in one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.offers: list[Offer] = []  # to the call under way
        self.left: list[tuple[Any, Ref]] | None = None  # read from tensors in the call under way; None outside one
        self.factors: dict[float, set[Ref]] = {}
        self.steering: list[tuple[Any, Ref]] = []

    def any(self) -> bool:
        """Whether an operator's bare number may be one that is known."""
        return bool(self.offers or self.factors or self.steering)

    # -- going in -----------------------------------------------------------------------------------------------

    def offered(self, boxes: Sequence[Box]) -> list[Offer]:
        offers: list[Offer] = []
        ledger, fixed = self._recorder.ledger, self._recorder.fixed
        for box in boxes:
            value, tag = box.value, box.tag
            kind = type(value)
            if kind in NUMBERS:
                if isinstance(tag, Ref) and tag.step not in fixed:
                    offers.append(Offer(value, tag))
            elif isinstance(value, np.generic):
                known = ledger.scalar_ref(value)
                if known is not None and known.step not in fixed:
                    offers.append(Offer(value.item(), known))
            elif (kind is tuple or kind is list) and value and len(value) < 64:
                tags = ledger.shadow_of(value).tags
                offers += self.offered([self._recorder.calls.box(v, t) for v, t in zip(value, tags, strict=True)])
        return offers

    def refuse(self, boxes: Sequence[Box]) -> None:
        """These settle a call in a way that is not followed."""
        for offer in self.offered(boxes):
            self._recorder.guard(self._recorder.calls.box(offer.value, offer.ref), "a setting of a call")

    def operand(self, value: Any, inputs: list[Ref]) -> Any:
        """A plain number of an operator: the number the source passed, where only one such can be meant."""
        matching = [o for o in self.offers if o.value == value]
        if len({o.ref for o in matching}) != 1:
            return value
        for offer in matching:
            offer.used = True
        return slot(inputs, matching[0].ref)

    def made_from(self, tensor: torch.Tensor) -> list[Ref]:
        """The number the source passed of which PyTorch has just made this tensor, if just one can be meant."""
        inputs: list[Ref] = []
        if tensor.numel() == 1 and self.offers:
            number = tensor.item()
            for value in {o.value for o in self.offers}:
                if torch.tensor(value, dtype=tensor.dtype).item() == number:
                    self.operand(value, inputs)
        return inputs if len(inputs) == 1 else []

    # -- in the backward pass -----------------------------------------------------------------------------------

    def differentiated(
        self, operator: Operator, args: Any, kwargs: dict[str, Any], arguments: Sequence[Any], keywords: dict[str, Any],
        inputs: list[Ref],
    ) -> None:  # fmt: skip
        """An operator that may have a gradient has run: its numbers come again in the backward pass, bare."""
        bare = [
            (position, args[position], value)
            for position, value in enumerate(arguments)
            if type(value) is Slot and not isinstance(args[position], torch.Tensor)
        ]
        bare += [
            (operator.names.index(name), kwargs[name], value)
            for name, value in keywords.items()
            if type(value) is Slot and not isinstance(kwargs[name], torch.Tensor)
        ]
        if bare and any(t.requires_grad for t in flatten(args)):
            for position, number, value in bare:
                self._comes_again(operator, position, number, inputs[value.position])

    def _comes_again(self, operator: Operator, position: int, value: Any, ref: Ref) -> None:
        """A factor comes as it is; what comes changed, or as a whole number (which counts may equal), is guarded."""
        base = operator.base.removesuffix("_")
        if base in _FACTORS and type(value) is float:
            self.factors.setdefault(value, set()).add(ref)
        elif not (base in _SUMMANDS and operator.names[position] != "alpha"):
            self.steering.append((value, ref))

    def factor(self, operator: Operator, value: Any, inputs: list[Ref]) -> Any:
        """A bare number in the backward pass: the factor of the forward pass that has this value, if just one has."""
        refs = self.factors.get(value)
        if type(value) is not float or refs is None or operator.name not in _BACKWARD_FACTORS:
            return value
        if torch._C._current_graph_task_id() == -1:
            return value
        if len(refs) > 1:
            for ref in refs:
                self._recorder.guard(self._recorder.calls.box(value, ref), "a number used in the backward pass")
            return value
        return slot(inputs, next(iter(refs)))

    def backward(self) -> None:
        """The backward pass is under way: what steers it is guarded."""
        if torch._C._current_graph_task_id() != -1:
            for value, ref in self.steering:
                self._recorder.guard(self._recorder.calls.box(value, ref), "a number used in the backward pass")
            self.steering.clear()

    # -- coming out ---------------------------------------------------------------------------------------------

    def came_out(self, value: Any, ref: Ref) -> None:
        """A tensor's number has become Python's."""
        if self.left is not None:
            self.left.append((value, ref))
        else:
            self._recorder.guard(self._recorder.calls.box(value, ref), "a number read inside PyTorch")

    def item(self, value: Any, ref: Ref) -> Ref:
        """The step that takes the one number of a tensor."""
        return self._recorder.step("item", "recording.item", (ref,), (Slot(0),), {}, value=value)

    def boxed(self, result: Any, tag: Tag, left: list[tuple[Any, Ref]]) -> Box:
        """What a call gave, with the origins of the numbers that were read in it."""
        recorder = self._recorder
        if isinstance(result, torch.Tensor) and not left:
            return recorder.calls.box(result, tag)
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
                step = self._recorder.working.steps[ref.step]
                return ref if step.kept and type(step.value) in NUMBERS else self.item(value, ref)
        return CONSTANT


def _new_numbers(recorder: Recorder, result: Any) -> bool:
    """Whether a sequence holds numbers whose origins nobody has written down."""
    return any(type(r) in NUMBERS for r in result) and recorder.ledger.existing_shadow(result) is None


__all__ = ["BareNumbers", "Offer"]
