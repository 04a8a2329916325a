"""Calls: of followed functions, of known library functions, and of what is not followed."""

from __future__ import annotations

import collections
import contextlib
import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import (
    builtin_calls,
    caches,
    container_calls,
    conversion_calls,
    iteration,
    iterator_calls,
    library_calls,
    operators,
    parameters,
    places,
    source,
    special_calls,
    unfollowed_calls,
    user_code,
)  # fmt: skip
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.working import Group, Ref

if TYPE_CHECKING:
    from workings.recording.recorder import Box, Frame, Recorder

HANDLERS = builtin_calls.HANDLERS | conversion_calls.HANDLERS | iterator_calls.HANDLERS | library_calls.HANDLERS


class Calls:
    """Everything rewritten source can do to a value."""

    operator = operators.operate
    unary = operators.unary
    inplace = operators.inplace
    contains = operators.contains
    attribute = places.attribute
    set_attribute = places.set_attribute
    getitem = places.getitem
    setitem = places.setitem
    delitem = places.delitem
    bind_parameters = parameters.bind
    captures = parameters.captures
    iterate = iteration.iterate
    change = library_calls.change
    other_call = unfollowed_calls.other_call

    def __init__(self, recorder: Recorder, box: type[Box]) -> None:
        self.recorder = recorder
        self.box = box
        self.users: set[type] = set()  # the user's classes met so far
        self.flats: dict[int, tuple[Any, Any]] = {}  # flat iterators and their arrays
        self.sizes: dict[tuple[Ref, int], Ref] = {}  # the lengths of axes asked for so far
        self.views: dict[int, tuple[Any, Any]] = {}  # ``dict.items()`` and ``values()``, and their dictionaries
        self.generators: dict[int, tuple[Any, parameters.Pending]] = {}  # made and not yet asked
        self.caches = caches.Caches(self)
        self._met: set[type] = {np.ndarray, float, int, list, tuple, dict, str, type(None), types.ModuleType, type}
        self._paths: dict[int, str] = {0: ""}

    # -- what values are ----------------------------------------------------------------------------------------

    def is_numeric(self, value: Any) -> bool:
        """Whether a value is a number, an array or a tensor."""
        return (
            type(value) in NUMBERS
            or (type(value) is np.ndarray or isinstance(value, np.generic))
            or self.is_tensor(value)
        )

    def is_tensor(self, value: Any) -> bool:
        tensors = self.recorder.tensors
        return tensors is not None and isinstance(value, tensors.kind)

    @staticmethod
    def is_sequence(value: Any) -> bool:
        """Lists, tuples and deques, and classes made of them that are walked through in the same way."""
        return isinstance(value, _SEQUENCES) and type(value).__iter__ in _WALKS

    @staticmethod
    def is_recordable(result: Any) -> bool:
        """Numbers and arrays of numbers. Tensors are written down by the dispatch mode as they are made."""
        if type(result) is np.ndarray or isinstance(result, np.generic):
            return result.dtype.kind in "fiubc"
        return type(result) in NUMBERS

    def adopt(self, kind: type) -> None:
        """The first time an object of a user's class is met, its methods become their rewritten selves."""
        if kind not in self._met:
            self._met.add(kind)
            if user_code.is_user_type(kind):
                self.users.add(kind)
                user_code.adopt_class(kind, self.recorder)

    def is_foreign(self, value: Any) -> bool:
        """Whether an argument may hold numbers that are not followed: the user's objects and functions, iterators."""
        kind = type(value)
        if kind in _OPEN or isinstance(value, np.generic):
            return False
        if kind in (list, tuple):
            return any(map(self.is_foreign, value))
        if type(value) is np.ndarray:
            return value.dtype.kind in "OVmM"
        if kind is dict:
            return any(map(self.is_foreign, value.values()))
        return not (isinstance(value, (np.dtype, np.ufunc, type)) or kind in _OWN_CALLS or self.is_tensor(value))

    def holds_numbers(self, box: Box) -> bool:
        """Whether numbers of the computation are in an argument; what only counts does not matter."""
        value, tag = box.value, box.tag
        if isinstance(tag, Ref):
            return tag.step not in self.recorder.fixed and tag.step not in self.recorder.counters
        if tag is CONSTANT or type(value) is bool:
            return False
        if type(value) in (list, tuple):
            return any(self.holds_numbers(self.box(v, t)) for v, t in zip(*self.items_of(box), strict=True))
        if isinstance(value, dict):
            tags = self.recorder.ledger.shadow_of(value).tags
            return any(self.holds_numbers(self.box(v, tags.get(k))) for k, v in value.items())
        return self.is_numeric(value)

    # -- items --------------------------------------------------------------------------------------------------

    def drain(self, box: Box) -> tuple[list[Any], list[Tag]]:
        """Every item of an iterable, with its origin."""
        values: list[Any] = []
        tags: list[Tag] = []
        for value, tag in self.iterate(box):
            values.append(value)
            tags.append(tag)
        return values, tags

    def items_of(self, box: Box) -> tuple[list[Any], list[Tag]]:
        value = box.value
        if self.is_sequence(value):
            tags = self.recorder.ledger.shadow_of(value).tags
            if type(box.tag) is tuple:
                tags = [places.size_step(self, box.tag[1], value, i, v) for i, v in enumerate(value)]
            return list(value), list(tags)
        return self.drain(box)

    def rows(self, box: Box) -> tuple[Any, ...]:
        """The items of an iterable as a tuple that remembers their origins."""
        values, tags = self.drain(box)
        out = tuple(values)
        self.recorder.ledger.shadow(out, tags)
        return out

    # -- calls --------------------------------------------------------------------------------------------------

    def call(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """``function(*args, **kwargs)``."""
        tensors = self.recorder.tensors
        if tensors is not None and tensors.is_module(function):
            return tensors.module(frame, function, args, kwargs)  # type: ignore[no-any-return]
        try:
            handler = HANDLERS.get(function)
            known = functions.BY_CALL.get(function) if handler is None else None
        except TypeError:  # not hashable
            handler = known = None
        if handler is not None:
            box = handler(self, frame, function, args, kwargs)
            if box is not NotImplemented:
                return box  # type: ignore[no-any-return]
            known = functions.BY_CALL.get(function)
        if tensors is not None and tensors.handles(function):
            return tensors.library(frame, function, args, kwargs)  # type: ignore[no-any-return]
        if known is not None:
            return library_calls.call_known(self, frame, function, known, args, kwargs)
        if type(function) is types.FunctionType:
            followed = source.rewritten(function, self.recorder) or source.wrapping(function, self.recorder)
            if followed is not None:
                return self.user_call(frame, followed, args, kwargs)
            return self.other_call(frame, function, args, kwargs)
        return self._call_object(frame, function, args, kwargs)

    def _call_object(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        if isinstance(function, functools.partial):
            return self._partial(frame, function, args, kwargs)
        if isinstance(function, types.MethodType):
            inner = function.__func__
            followed = source.rewritten(inner, self.recorder) if isinstance(inner, types.FunctionType) else None
            if followed is not None:
                return self.user_call(frame, followed, [self.box(function.__self__), *args], kwargs)
            return self.other_call(frame, function, args, kwargs, holder=self.box(function.__self__))
        elif isinstance(function, special_calls.WRAPPERS):
            owner = function.__self__
            if not isinstance(owner, (types.ModuleType, type(None))):
                if _is_own(owner, function):
                    return self.method(frame, self.box(owner), function.__name__, args, kwargs)
                return special_calls.special(self, frame, function, self.box(owner), args, kwargs)
        elif isinstance(function, types.WrapperDescriptorType) and args:  # ``dict.__setitem__``
            if isinstance(args[0].value, function.__objclass__):
                bound = function.__get__(args[0].value)
                return special_calls.special(self, frame, bound, args[0], args[1:], kwargs)
        elif isinstance(function, types.MethodDescriptorType) and args:  # ``str.upper``, ``list.append``
            name: str = function.__name__
            if getattr(type(args[0].value), name, None) is function:
                return self.method(frame, args[0], name, args[1:], kwargs)
        elif isinstance(function, caches.CACHED):
            return self.caches.call(frame, function, args, kwargs)
        if isinstance(function, type):
            self.adopt(function)
            return self.other_call(frame, function, args, kwargs)
        self.adopt(type(function))
        call = vars(type(function)).get("__call__")
        if call is None:
            call = next((vars(k)["__call__"] for k in type(function).__mro__ if "__call__" in vars(k)), None)
        if type(function) in self.users and isinstance(call, types.FunctionType):
            return self.user_call(frame, call, [self.box(function), *args], kwargs)
        return self.other_call(frame, function, args, kwargs)

    def _partial(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        ledger = self.recorder.ledger
        bound = [self.box(v, t) for v, t in zip(*self.items_of(self.box(function.args)), strict=True)]
        named = {k: self.box(v, ledger.entry(function.keywords, k, v)) for k, v in function.keywords.items()}
        return self.call(frame, function.func, [*bound, *args], {**named, **kwargs})

    def method(self, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """``holder.name(*args, **kwargs)``."""
        holder = box.value
        tensors = self.recorder.tensors
        if tensors is not None:
            if isinstance(holder, tensors.kind):
                return tensors.method(frame, box, name, args, kwargs)  # type: ignore[no-any-return]
            if tensors.is_module(holder):
                return self._own_method(frame, box, holder, name, args, kwargs)
        if name in special_calls.NAMES and (type(holder) is np.ndarray or isinstance(holder, np.generic)):
            return special_calls.special(self, frame, getattr(holder, name), box, args, kwargs)
        if type(holder) is np.ndarray or isinstance(holder, np.generic):
            return library_calls.array_method(self, frame, box, name, args, kwargs)
        handler = container_calls.METHODS.get((type(holder), name))
        if handler is not None:
            made = handler(self, frame, box, args, kwargs)
            if made is not NotImplemented:
                return made  # type: ignore[no-any-return]
        if isinstance(holder, tuple) and name in ("_replace", "_asdict") and hasattr(holder, "_fields"):
            return container_calls.named_tuple(self, frame, box, name, args, kwargs)
        if isinstance(holder, np.ufunc):
            return library_calls.ufunc_method(self, frame, holder, name, args, kwargs)
        if isinstance(holder, types.ModuleType):
            return self.call(frame, getattr(holder, name), args, kwargs)
        number = functions.BY_NAME.get(f"{type(holder).__name__}.{name}") if type(holder) in NUMBERS else None
        if number is not None:
            return library_calls.call_known(self, frame, number.call, number, [box, *args], kwargs)
        if type(holder) is str:
            recorder_texts = [holder, *(a.value for a in args if type(a.value) is str)]
            for text in recorder_texts:
                self.recorder.opened_text(text)
        if isinstance(holder, caches.CACHED):
            holder = self.caches.stand_in(holder)
        if isinstance(holder, type):
            self.adopt(holder)  # ``Function.apply`` and other class methods that a library lends to the user's class
        return self._own_method(frame, box, holder, name, args, kwargs)

    def _own_method(
        self, frame: Frame, box: Box, holder: Any, name: str, args: list[Box], kwargs: dict[str, Box]
    ) -> Box:
        """Whatever the holder itself gives for the name is called."""
        function, _ = self.look_up(frame, self.box(holder), name)
        if isinstance(function, special_calls.WRAPPERS) and function not in HANDLERS:
            owner = function.__self__  # of ``super()`` it is the object behind it
            own = box if owner is holder or name not in special_calls.NAMES else self.box(owner)
            return special_calls.special(self, frame, function, own, args, kwargs)
        return self.call(frame, function, args, kwargs)

    def user_call(self, frame: Frame, function: Callable[..., Any], args: list[Box], kwargs: dict[str, Box]) -> Box:
        """A call of a followed function: what it returns has an origin of its own."""
        recorder = self.recorder
        recorder.pending = (args, kwargs)
        recorder.returned = None
        result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
        recorder.current = frame
        recorder.pending = None
        inner = getattr(result, "gen", None) if isinstance(result, contextlib.AbstractContextManager) else result
        if isinstance(inner, types.GeneratorType):
            recorder.returned = None
            self.generators[id(inner)] = (inner, (args, kwargs))
        return self.box(result, self.take_returned(result))

    def perform(self, frame: Frame, call: Callable[..., Any], boxes: list[Box]) -> tuple[Any, Tag]:
        """Something Python does by way of a method of the user's (``a + b``, ``a[i]``, ``with a``)."""
        recorder = self.recorder
        for box in boxes:
            if type(box.value) not in self._met:
                self.adopt(type(box.value))
        recorder.pending = (boxes, {})
        recorder.returned = None
        result = call(*[b.value for b in boxes])
        return self._performed(frame, result)

    def look_up(self, frame: Frame, box: Box, name: str) -> tuple[Any, Tag]:
        """``holder.name``, which may be a property of the user's."""
        recorder = self.recorder
        holder = box.value
        if type(holder) not in self._met:
            self.adopt(type(holder))
        recorder.pending = ([box], {})
        recorder.returned = None
        return self._performed(frame, getattr(holder, name))

    def _performed(self, frame: Frame, result: Any) -> tuple[Any, Tag]:
        recorder = self.recorder
        recorder.current = frame
        recorder.pending = None
        if isinstance(result, types.GeneratorType):
            recorder.returned = None
        return result, self.take_returned(result)

    def take_returned(self, result: Any) -> Tag:
        """The origin of what a followed function has just returned."""
        returned, self.recorder.returned = self.recorder.returned, None
        if returned is not None and returned[0] is result:
            return returned[1]
        return None

    def raised(self, known: functions.Function, args: list[Box], kwargs: dict[str, Box], error: Exception) -> None:
        """A call has raised: on replay it must raise again, or the source runs again."""
        recorder = self.recorder
        inputs: list[Ref] = []
        arguments = [recorder.template(a, inputs) for a in args]
        keywords = {k: recorder.template(v, inputs) for k, v in kwargs.items()}
        if any(r.step not in recorder.fixed for r in inputs):
            kind = type(error).__name__
            ref = recorder.step(
                "raises", "recording.raises", tuple(inputs), (known.name, kind, arguments, keywords), {}, value=True
            )
            recorder.guard(self.box(True, ref), "an error")

    def group_path(self, number: int) -> str:
        """The dotted names of a group from the outside in, without occurrence numbers."""
        groups = self.recorder.working.groups
        if number not in self._paths:
            group: Group = groups[number]
            above = self.group_path(group.parent) if group.parent is not None else ""
            self._paths[number] = f"{above}.{group.name}" if above else group.name
        return self._paths[number]


_OPEN = {*NUMBERS, str, bytes, type(None), slice, type(Ellipsis), range}
_OWN_CALLS = {types.BuiltinFunctionType, type(np.sum)}
_SEQUENCES = (list, tuple, collections.deque)
_WALKS = {kind.__iter__ for kind in _SEQUENCES}


def _is_own(owner: Any, function: Any) -> bool:
    """Whether a method is the one that its object gives for its name, not one of ``super()``."""
    return bool(getattr(owner, function.__name__, None) == function)
