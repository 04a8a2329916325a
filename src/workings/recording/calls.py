"""Calls, operators, attributes, subscripts and iteration: performed on the real objects, then written down."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import builtin_calls, containers, source
from workings.recording.ledger import CONSTANT, NUMBERS, Tag
from workings.recording.operations import functions
from workings.recording.working import Binding, Group, Loss, Ref

if TYPE_CHECKING:
    from workings.recording.recorder import Box, Frame, Recorder

_NUMERIC = (int, float, complex, bool)


def is_number(value: Any) -> bool:
    return type(value) in _NUMERIC or isinstance(value, np.generic)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


class Calls:
    """Everything rewritten source can do to a value."""

    def __init__(self, recorder: Recorder) -> None:
        from workings.recording.recorder import Box

        self.recorder = recorder
        self.box = Box
        self.titles: dict[str, tuple[str, str]] = {}
        self._paths: dict[int, str] = {0: ""}
        self._met: set[type] = {np.ndarray, float, int, list, tuple, dict, str, type(None), types.ModuleType}
        self.generators: dict[int, tuple[Any, tuple[list[Any], dict[str, Any]]]] = {}

    # -- operators ----------------------------------------------------------------------------------------------

    def operator(self, frame: Frame, sign: str, left: Box, right: Box) -> Box:
        call = functions._OPERATOR_CALLS[sign]
        a, b = left.value, right.value
        if self._numeric(a) and self._numeric(b):
            result = call(a, b)
            if self._recordable(result):
                return self.recorder.record(
                    functions.BY_NAME["operator." + functions.OPERATORS[sign]], (left, right), {}, result
                )
            return self.box(result)
        recorder = self.recorder
        self._adopt(type(a))
        self._adopt(type(b))
        recorder.pending = ([left, right], {})
        recorder.returned = None
        result = call(a, b)
        recorder.current = frame
        tag = self._take_returned(result)
        if tag is None and type(result) is list:
            self._list_operator(sign, left, right, result)
        return self.box(result, tag)

    def _list_operator(self, sign: str, left: Box, right: Box, result: list[Any]) -> None:
        ledger = self.recorder.ledger
        if sign == "+":
            ledger.shadow(result, [*ledger.shadow_of(left.value).tags, *ledger.shadow_of(right.value).tags])
        elif sign == "*":
            base, count = (left, right) if type(left.value) is list else (right, left)
            self.recorder.guard(count, "a repetition count")
            ledger.shadow(result, list(ledger.shadow_of(base.value).tags) * max(0, int(count.value)))

    def unary(self, frame: Frame, sign: str, box: Box) -> Box:
        value = box.value
        if sign == "not":
            return self.box(not self.recorder.truth(frame, box), CONSTANT)
        call = functions.UNARY_CALLS[sign]
        if self._numeric(value):
            result = call(value)
            if box.tag is CONSTANT and type(value) in NUMBERS:
                return self.box(result, CONSTANT)  # a number written with its sign
            if self._recordable(result):
                return self.recorder.record(functions.BY_NAME["operator." + functions._UNARY_MEANINGS[sign]], (box,), {}, result)
            return self.box(result)
        self.recorder.pending = ([box], {})
        self.recorder.returned = None
        result = call(value)
        self.recorder.current = frame
        return self.box(result, self._take_returned(result))

    def inplace(self, frame: Frame, sign: str, left: Box, right: Box) -> Box:
        """``a += b``: arrays and lists change where they are, numbers do not."""
        call = functions.INPLACE_CALLS[sign]
        a = left.value
        if is_array(a) and a.dtype.kind in "fiubc" and self._numeric(right.value):
            recorder = self.recorder
            before = recorder.ledger.read(a)
            inputs: list[Ref] = [before]
            other = recorder.template(right, inputs)
            recorder.ledger.before_write(a)
            result = call(a, right.value)
            name = functions.OPERATORS[sign]
            from workings.recording.working import Slot

            ref = recorder.step(name, "inplace." + name, tuple(inputs), (Slot(0), other), {}, value=result)
            if result is a:
                recorder.working.steps[ref.step].value = a
                self._written(a, ref)
                return self.box(a)
            return recorder.know(result, ref, (left, right))
        if self._numeric(a) and not is_array(a) and not self._is_tensor(a):
            return self.operator(frame, sign, left, right)
        if type(a) is list and sign == "+":
            items, tags = self.items_of(right)
            before_tags = list(self.recorder.ledger.shadow_of(a).tags)
            a += items
            self.recorder.ledger.shadow(a, [*before_tags, *tags])
            return left
        self.recorder.pending = ([left, right], {})
        self.recorder.returned = None
        result = call(a, right.value)
        self.recorder.current = frame
        return self.box(result, self._take_returned(result))

    def _written(self, array: Any, ref: Ref) -> None:
        """An array now holds what ``ref`` names, in its own memory."""
        ledger = self.recorder.ledger
        ledger.after_write(array, ref)
        seen = ledger._seen.get(id(array))
        if seen is not None:
            seen.storage.live[ref.step] = array

    def _numeric(self, value: Any) -> bool:
        return type(value) in _NUMERIC or isinstance(value, (np.generic, np.ndarray)) or (
            self.recorder.tensors is not None and self.recorder.tensors.is_tensor(value)
        ) or type(value) in (list, tuple) and False

    def _is_tensor(self, value: Any) -> bool:
        return self.recorder.tensors is not None and self.recorder.tensors.is_tensor(value)

    def _recordable(self, result: Any) -> bool:
        """Tensors are written down by the dispatch mode as they are made; everything else numeric is written here."""
        if isinstance(result, np.ndarray):
            return result.dtype.kind in "fiubc"
        return is_number(result)

    # -- attributes ---------------------------------------------------------------------------------------------

    def attribute(self, frame: Frame, box: Box, name: str) -> Box:
        holder = box.value
        recorder = self.recorder
        if is_array(holder):
            return self._array_attribute(box, name)
        if self._is_tensor(holder):
            value = getattr(holder, name)
            if name in ("shape", "ndim"):
                return self._size(box, value, recorder.tensors.read(holder))
            return self.box(value)
        self._adopt(type(holder))
        recorder.pending = ([box], {})
        recorder.returned = None
        value = getattr(holder, name)
        recorder.current = frame
        tag = self._take_returned(value)
        if tag is None:
            tag = recorder.ledger.attribute(holder, name, value)
        if tag is None and isinstance(holder, types.ModuleType):
            inner = recorder.modules.get(id(holder.__dict__))
            tag = CONSTANT if inner is None else recorder.load(inner, name, value).tag
        if tag is None and type(value) in NUMBERS and type(value) is not bool:
            if isinstance(holder, (np.ndarray, np.generic, np.dtype, np.finfo, np.iinfo)) or not source.is_user_type(type(holder)):
                tag = CONSTANT
            else:
                tag = recorder.given(value, lost=False, note="an attribute set before recording")
                recorder.ledger.set_attribute(holder, name, value, tag)
                recorder._bind(frame, name, tag)
        if tag is None and is_array(value) and value.dtype.kind in "fiubc" and not recorder.ledger.knows(value):
            ref = recorder.ledger.read(value)
            recorder.found(ref)
            recorder._bind(frame, name, ref)
        if tag is None and type(value) in (list, tuple):
            containers.adopt(recorder, value)
        return self.box(value, tag)

    def _array_attribute(self, box: Box, name: str) -> Box:
        holder = box.value
        value = getattr(holder, name)
        if name in ("T", "mT", "real"):
            if value is holder:
                return box
            function = functions.BY_NAME[f"ndarray.{name}"]
            return self.recorder.record(function, (box,), {}, value)
        if name in ("shape", "size", "ndim"):
            return self._size(box, value, self.recorder.ledger.read(holder) if holder.dtype.kind in "fiubc" else None)
        if isinstance(value, (int, float)):
            return self.box(value, CONSTANT)
        return self.box(value)

    def _size(self, box: Box, value: Any, ref: Ref | None) -> Box:
        if isinstance(value, tuple):
            self.recorder.ledger.shadow(value, [CONSTANT] * len(value))
            out = self.box(value)
            out.tag = ("shape", ref)
            return out
        return self.box(value, CONSTANT)

    # -- subscripts ---------------------------------------------------------------------------------------------

    def getitem(self, frame: Frame, box: Box, index: Box) -> Box:
        holder, key = box.value, index.value
        recorder = self.recorder
        kind = type(holder)
        if is_array(holder) and holder.dtype.kind in "fiubc":
            return self._array_item(box, index)
        if self._is_tensor(holder):
            return self.box(recorder.tensors.call(operator.getitem, holder, key))
        if kind is list or kind is tuple or isinstance(holder, (list, tuple)):
            value = holder[key]
            if type(key) is slice:
                self_tags = recorder.ledger.shadow_of(holder).tags[key]
                if isinstance(value, (list, tuple)) and value:
                    recorder.ledger.shadow(value, list(self_tags))
                return self.box(value)
            recorder.guard(index, "a list index")
            if type(box.tag) is tuple and box.tag[0] == "shape":
                return self.box(value, self._size_step(box.tag[1], holder, key, value))
            tag = recorder.ledger.place(holder, operator.index(key))
            return self.box(value, tag)
        if kind is dict:
            recorder.guard(index, "a key")
            value = holder[key]
            return self.box(value, recorder.ledger.shadow_of(holder).tags.get(key))
        concatenators = {id(np.c_): "c_", id(np.r_): "r_"}
        if id(holder) in concatenators and (type(key) is tuple or is_array(key)):
            result = holder[key]
            function = functions.BY_NAME["numpy." + concatenators[id(holder)]]
            return recorder.record(function, (index,), {}, result)
        self._adopt(kind)
        recorder.pending = ([box, index], {})
        recorder.returned = None
        value = holder[key]
        recorder.current = frame
        return self.box(value, self._take_returned(value))

    def _size_step(self, ref: Ref | None, shape: Any, key: Any, value: Any) -> Tag:
        if ref is None or type(key) is not int:
            return CONSTANT
        recorder = self.recorder
        axis = key % len(shape)
        from workings.recording.working import Slot

        size = recorder.step("size", "recording.size", (ref,), (Slot(0), axis), {}, value=value)
        recorder.fixed.add(size.step)
        return size

    def _array_item(self, box: Box, index: Box) -> Box:
        recorder = self.recorder
        holder, key = box.value, index.value
        value = holder[key]
        ref = recorder.ledger.read(holder)
        if not self._from_data(index):
            whole = key if type(key) is tuple else (key,)
            if whole and all(type(k) is int or isinstance(k, np.integer) for k in whole):
                steps = tuple(int(k) % n for k, n in zip(whole, holder.shape, strict=False))
                part = Ref(ref.step, ref.index + steps)
                if isinstance(value, np.generic):
                    recorder.ledger.scalar(value, part)
                elif is_array(value):
                    recorder.ledger.view(value, holder, part, steps)
                return self.box(value, part if isinstance(value, np.generic) else None)
        return recorder.record(functions.BY_NAME["recording.getitem"], (box, index), {}, value)

    def _from_data(self, index: Box) -> bool:
        """Whether an index depends on numbers that may change: then it is an input of the step, not a place."""
        tag = index.tag
        if isinstance(tag, Ref) and tag.step not in self.recorder.fixed:
            return True
        if type(index.value) is tuple and index.value:
            tags = self.recorder.ledger.shadow_of(index.value).tags
            return any(isinstance(t, Ref) and t.step not in self.recorder.fixed for t in tags)
        return False

    def setitem(self, frame: Frame, box: Box, index: Box, value: Box) -> None:
        holder, key = box.value, index.value
        recorder = self.recorder
        if is_array(holder) and holder.dtype.kind in "fiubc":
            self._set_array_item(box, index, value)
        elif self._is_tensor(holder):
            recorder.tensors.call(operator.setitem, holder, key, value.value, boxes=(box, index, value))
        elif type(holder) is list:
            tags = list(recorder.ledger.shadow_of(holder).tags)
            if type(key) is slice:
                items, new = self.items_of(value)
                holder[key] = items
                tags[key] = new
            else:
                recorder.guard(index, "a list index")
                holder[key] = value.value
                tags[key] = value.tag
            recorder.ledger.shadow(holder, tags)
        elif type(holder) is dict:
            recorder.guard(index, "a key")
            tags = dict(recorder.ledger.shadow_of(holder).tags)
            holder[key] = value.value
            tags[key] = value.tag
            recorder.ledger.shadow(holder, tags)
        else:
            recorder.pending = ([box, index, value], {})
            holder[key] = value.value
            recorder.current = frame

    def _set_array_item(self, box: Box, index: Box, value: Box) -> None:
        recorder = self.recorder
        holder, key = box.value, index.value
        region = None
        if is_array(value.value) and _is_basic(key):
            region = holder[key]
            if _same_memory(region, value.value):
                return  # the second half of ``holder[key] += …``: it is already there
        before = recorder.ledger.read(holder)
        inputs: list[Ref] = [before]
        new = recorder.template(value, inputs)
        where = recorder.template(index, inputs)
        recorder.ledger.before_write(holder)
        holder[key] = value.value
        from workings.recording.working import Slot

        ref = recorder.step("put", "recording.put", tuple(inputs), (Slot(0), new, where), {}, value=holder)
        self._written(holder, ref)

    # -- iteration ----------------------------------------------------------------------------------------------

    def iterate(self, box: Box) -> Iterator[tuple[Any, Tag]]:
        """The items of an iterable, each with its origin."""
        yield from builtin_calls.iterate(self, box)

    def drain(self, box: Box) -> tuple[list[Any], list[Tag]]:
        values: list[Any] = []
        tags: list[Tag] = []
        for value, tag in self.iterate(box):
            values.append(value)
            tags.append(tag)
        return values, tags

    def items_of(self, box: Box) -> tuple[list[Any], list[Tag]]:
        value = box.value
        if type(value) in (list, tuple):
            return list(value), list(self.recorder.ledger.shadow_of(value).tags)
        return self.drain(box)

    def rows(self, box: Box) -> tuple[Any, ...]:
        values, tags = self.drain(box)
        out = tuple(values)
        self.recorder.ledger.shadow(out, tags)
        return out

    # -- calls --------------------------------------------------------------------------------------------------

    def call(self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """``function(*args, **kwargs)``."""
        try:
            handler = builtin_calls.HANDLERS.get(function)
        except TypeError:
            handler = None
        if handler is not None:
            box = handler(self, frame, function, args, kwargs)
            if box is not NotImplemented:
                return box
        known = self._known(function)
        if known is not None:
            return self._numpy_call(frame, function, known, args, kwargs)
        if isinstance(function, functools.partial):
            bound = [self.box(v, t) for v, t in zip(*self.items_of(self.box(function.args)), strict=True)]
            named = {k: self.box(v, CONSTANT if type(v) in NUMBERS else None) for k, v in function.keywords.items()}
            return self.call(frame, function.func, [*bound, *args], {**named, **kwargs})
        self._adopt(function if isinstance(function, type) else type(function))
        if isinstance(function, types.MethodType):
            holder = function.__self__
            plain = self.recorder.calls._user_method(function)
            if plain is not None:
                return self._user_call(frame, plain, [self.box(holder), *args], kwargs)
        if isinstance(function, (types.BuiltinMethodType, types.MethodWrapperType)) and not isinstance(
            function.__self__, (types.ModuleType, type(None))
        ):
            return self.method(frame, self.box(function.__self__), function.__name__, args, kwargs)
        if isinstance(function, types.FunctionType):
            rewritten = source.rewritten(function, self.recorder)
            if rewritten is not None:
                return self._user_call(frame, rewritten, args, kwargs)
        return self._other_call(frame, function, args, kwargs)

    def _adopt(self, kind: type) -> None:
        """The first time an object of a user's class is met, its methods become their rewritten selves."""
        if kind not in self._met:
            self._met.add(kind)
            if source.is_user_type(kind):
                source.adopt_class(kind, self.recorder)

    def _known(self, function: Any) -> functions.Function | None:
        try:
            return functions.BY_CALL.get(function)
        except TypeError:
            return None

    def _user_method(self, method: types.MethodType) -> types.FunctionType | None:
        inner = method.__func__
        if isinstance(inner, types.FunctionType):
            return source.rewritten(inner, self.recorder)
        return None

    def _user_call(self, frame: Frame, function: Callable[..., Any], args: list[Box], kwargs: dict[str, Box]) -> Box:
        recorder = self.recorder
        recorder.pending = (args, kwargs)
        recorder.returned = None
        result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
        recorder.current = frame
        recorder.pending = None
        if isinstance(result, types.GeneratorType):
            self.generators[id(result)] = (result, (args, kwargs))
        return self.box(result, self._take_returned(result))

    def _take_returned(self, result: Any) -> Tag:
        returned, self.recorder.returned = self.recorder.returned, None
        if returned is not None and returned[0] is result:
            return returned[1]
        return None

    def _numpy_call(
        self, frame: Frame, function: Any, known: functions.Function, args: list[Box], kwargs: dict[str, Box]
    ) -> Box:
        recorder = self.recorder
        values = [a.value for a in args]
        named = {k: v.value for k, v in kwargs.items()}
        if recorder.tensors is not None and any(recorder.tensors.is_tensor(v) for v in (*values, *named.values())):
            converted = [self._as_numpy(a) for a in args]
            args, values = converted, values
            kwargs = {k: self._as_numpy(v) for k, v in kwargs.items()}
        out = self._out_of(known, args, kwargs)
        if out is not None:
            return self._call_into(function, known, args, kwargs, out)
        result = function(*values, **named)
        recorder.current = frame
        if known.operation == "broadcast_arrays" or isinstance(result, (tuple, list)):
            return self._record_many(known, args, kwargs, result)
        if not self._recordable(result):
            if result is not None and known.operation in ("allclose", "array_equal"):
                return recorder.record(known, args, kwargs, result)
            return self.box(result)
        if any(result is v for v in values):
            return self.box(result, next(a.tag for a in args if a.value is result))
        if known.operation == "opaque":
            return self._opaque(frame, known.name, known, args, kwargs, result)
        return recorder.record(known, args, kwargs, result)

    def _as_numpy(self, box: Box) -> Box:
        if self._is_tensor(box.value):
            return self.recorder.tensors.shared_array(box.value)  # type: ignore[no-any-return]
        return box

    def _record_many(
        self, known: functions.Function, args: list[Box], kwargs: dict[str, Box], result: Any
    ) -> Box:
        tags: list[Tag] = []
        for position, item in enumerate(result):
            if self._recordable(item):
                tags.append(self.recorder.record(known, args, kwargs, item, output=position).tag)
            else:
                tags.append(None)
        if tags:
            self.recorder.ledger.shadow(result, tags)
        return self.box(result)

    def _out_of(self, known: functions.Function, args: list[Box], kwargs: dict[str, Box]) -> Any:
        box = kwargs.get("out")
        if box is None and "out" in known.parameters:
            place = known.parameters.index("out")
            if len(args) > place:
                box = args[place]
        if box is None or box.value is None:
            return None
        return box.value[0] if isinstance(box.value, tuple) else box.value

    def _call_into(
        self, function: Any, known: functions.Function, args: list[Box], kwargs: dict[str, Box], out: Any
    ) -> Box:
        """``np.exp(a, out=b)``: the result is written into known memory."""
        recorder = self.recorder
        inputs: list[Ref] = []
        recorder.ledger.read(out)
        arguments = tuple(recorder.template(a, inputs) for a in args if a.value is not out or self._is_input(a, args, known))
        keywords = {k: recorder.template(v, inputs) for k, v in kwargs.items() if k != "out"}
        partial = "where" in keywords
        recorder.ledger.before_write(out)
        result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
        content = recorder.step(known.operation, known.name, tuple(inputs), arguments, keywords, value=out)
        if partial:
            recorder.opaque(f"{known.name} with where= and out=", content)
        content = self._cast(content, out, inputs, known, arguments, keywords)
        self._written(out, content)
        return self.box(result)

    def _is_input(self, box: Box, args: list[Box], known: functions.Function) -> bool:
        place = known.parameters.index("out") if "out" in known.parameters else len(args)
        return any(a is box for a in args[:place])

    def _cast(
        self, content: Ref, out: Any, inputs: list[Ref], known: functions.Function, arguments: Any, keywords: Any
    ) -> Ref:
        """A result written into an array of another number type or shape is cast as it is written."""
        recorder = self.recorder
        step = recorder.working.steps[content.step]
        probe = functions.resolve(known.name)
        from workings.recording.evaluation import fill

        plain = probe(*fill(arguments, [recorder.working.value(r) for r in inputs]), **keywords) if probe and out.size < 10_000 else None
        if plain is None or (plain.dtype == out.dtype and plain.shape == out.shape):
            return content
        step.value, step.shape, step.dtype = plain, plain.shape, str(plain.dtype)
        from workings.recording.working import Slot

        return recorder.step(
            "cast", "recording.cast", (content,), (Slot(0), out.shape, str(out.dtype)), {}, value=out
        )

    def method(self, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
        """``holder.name(*args, **kwargs)``."""
        holder = box.value
        recorder = self.recorder
        if is_array(holder) or isinstance(holder, np.generic):
            return self._array_method(frame, box, name, args, kwargs)
        if self._is_tensor(holder):
            return recorder.tensors.method(frame, box, name, args, kwargs)  # type: ignore[no-any-return]
        handler = builtin_calls.METHODS.get((type(holder), name))
        if handler is not None:
            return handler(self, frame, box, args, kwargs)
        if isinstance(holder, np.ufunc):
            return self._ufunc_method(frame, holder, name, args, kwargs)
        self._adopt(type(holder))
        function = getattr(holder, name)
        if isinstance(holder, types.ModuleType) or not isinstance(function, types.BuiltinMethodType):
            return self.call(frame, function, args, kwargs)
        return self._other_call(frame, function, args, kwargs, holder=box)

    def _array_method(self, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
        holder = box.value
        recorder = self.recorder
        method = getattr(holder, name)
        if name in ("fill", "sort", "put", "itemset", "partition", "resize", "byteswap", "setflags") and is_array(holder):
            return builtin_calls.changing_method(self, frame, box, name, args, kwargs)
        known = functions.ARRAY_METHODS.get(name)
        if known is None:
            return self._other_call(frame, method, args, kwargs, holder=box)
        out = kwargs.get("out")
        if out is not None and out.value is not None:
            return self._call_into(method, known, [box, *args], kwargs, out.value) if False else self._method_into(
                method, known, box, args, kwargs, out.value
            )
        result = method(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
        recorder.current = frame
        if name == "tolist":
            return builtin_calls.tolist(self, box, result)
        if name == "item" and not args:
            ref = recorder.ref(box)
            if ref is not None:
                step = recorder.working.steps[ref.step]
                rest = (0,) * (len(step.shape) - len(ref.index))
                return self.box(result, Ref(ref.step, ref.index + rest))
        if isinstance(result, tuple):
            return self._record_many(known, [box, *args], kwargs, result)
        if not self._recordable(result):
            return self.box(result)
        return recorder.record(known, [box, *args], kwargs, result)

    def _method_into(
        self, method: Any, known: functions.Function, box: Box, args: list[Box], kwargs: dict[str, Box], out: Any
    ) -> Box:
        call = lambda *values, **named: method(*values[1:], **named)  # noqa: E731 - the bound method, as a function
        return self._call_into(call, known, [box, *args], kwargs, out)

    def _ufunc_method(self, frame: Frame, ufunc: Any, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
        function = getattr(ufunc, name)
        if name == "at":
            return builtin_calls.ufunc_at(self, frame, ufunc, args)
        known = functions.BY_NAME.get(f"numpy.{ufunc.__name__}.{name}")
        if known is not None:
            return self._numpy_call(frame, function, known, args, kwargs)
        return self._other_call(frame, function, args, kwargs)

    # -- what is not known --------------------------------------------------------------------------------------

    def _other_call(
        self, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box], holder: Box | None = None
    ) -> Box:
        """A call into code that is not followed: performed, and remembered as one opaque step if numbers come out."""
        recorder = self.recorder
        everything = [*args, *kwargs.values()] + ([holder] if holder is not None else [])
        watched = [(a.value, a.value.copy()) for a in everything if is_array(a.value) and a.value.dtype.kind in "fiubc"]
        for array, _ in watched:
            recorder.ledger.before_write(array)
        recorder.pending = (args, kwargs)
        recorder.returned = None
        result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
        recorder.current = frame
        recorder.pending = None
        tag = self._take_returned(result)
        for array, before in watched:
            self._unseen_change(function, array, before)
        if isinstance(function, type):
            self._adopt_fields(result, args, kwargs)
        if tag is not None:
            return self.box(result, tag)
        if self._transparent(function):
            return self.box(result)
        if self._recordable(result) and type(result) is not bool:
            known = functions.library(function) if holder is None else None
            if is_array(result) and recorder.ledger.knows(result):
                return self.box(result)
            if not any(recorder.ref(b) is not None for b in everything) and known is None and not _returns_numbers(function):
                return self.box(result, CONSTANT) if type(result) is int else self._opaque(frame, _name(function), None, args, kwargs, result)
            return self._opaque(frame, _name(function), known, args, kwargs, result)
        if type(result) in (list, tuple) and any(self._recordable(r) for r in result):
            tags = []
            shadow = recorder.ledger._shadows.get(id(result))
            if shadow is None:
                for item in result:
                    if type(item) is int:
                        tags.append(CONSTANT)
                    elif self._recordable(item) and not (is_array(item) and recorder.ledger.knows(item)):
                        tags.append(self._opaque(frame, _name(function), None, args, kwargs, item).tag)
                    else:
                        tags.append(None)
                recorder.ledger.shadow(result, tags)
        return self.box(result)

    def _transparent(self, function: Any) -> bool:
        return self.recorder.tensors is not None and self.recorder.tensors.transparent(function)

    def _unseen_change(self, function: Any, array: Any, before: Any) -> None:
        if np.array_equal(array, before, equal_nan=array.dtype.kind in "fc"):
            return
        recorder = self.recorder
        ref = recorder.step("opaque", "", (), (), {}, value=array, note=f"changed by {_name(function)}")
        recorder.opaque(f"{_name(function)} changed an array", ref)
        self._written(array, ref)

    def _opaque(
        self,
        frame: Frame,
        name: str,
        known: functions.Function | None,
        args: list[Box],
        kwargs: dict[str, Box],
        result: Any,
    ) -> Box:
        recorder = self.recorder
        function = known or functions.Function(name, lambda *a, **k: None, "opaque")
        box = recorder.record(function, args, kwargs, result)
        assert isinstance(box.tag, Ref)
        step = recorder.working.steps[box.tag.step]
        if known is None:
            step.function = ""
            step.note = f"{name} cannot be followed"
        recorder.opaque(name, box.tag)
        return box

    def _adopt_fields(self, instance: Any, args: list[Box], kwargs: dict[str, Box]) -> None:
        """Generated constructors (dataclasses, named tuples) put arguments into fields out of our sight."""
        ledger = self.recorder.ledger
        if isinstance(instance, tuple):
            ledger.shadow(instance, _match(list(instance), [*args, *kwargs.values()]))
            return
        fields = getattr(instance, "__dict__", None)
        if not isinstance(fields, dict):
            return
        boxes = [*args, *kwargs.values()]
        names = [n for n, v in fields.items() if type(v) in NUMBERS and ledger.attribute(instance, n, v) is None]
        for name, tag in zip(names, _match([fields[n] for n in names], boxes), strict=True):
            if tag is not None:
                ledger.set_attribute(instance, name, fields[name], tag)

    # -- parameters ---------------------------------------------------------------------------------------------

    def bind_parameters(
        self, frame: Frame, parameters: tuple[tuple[str, Any], ...], pending: tuple[list[Box], dict[str, Box]] | None
    ) -> None:
        """Give a function's parameters the origins of the arguments they hold."""
        recorder = self.recorder
        positional, named = pending if pending is not None else ([], {})
        waiting = list(positional)
        for name, value in parameters:
            if name.startswith("**"):
                recorder.ledger.shadow(value, {k: named[k].tag if k in named and named[k].value is v else None for k, v in value.items()})
                frame.tags[name[2:]] = (value, None)
                continue
            if name.startswith("*"):
                tags: list[Tag] = []
                for item in value:
                    while waiting and waiting[0].value is not item:
                        waiting.pop(0)
                    tags.append(waiting.pop(0).tag if waiting else None)
                recorder.ledger.shadow(value, tags)
                frame.tags[name[1:]] = (value, None)
                continue
            box = named.get(name)
            if box is None or box.value is not value:
                place = next((i for i, b in enumerate(waiting) if b.value is value), None)
                box = waiting[place] if place is not None else None
                if place is not None:
                    del waiting[: place + 1]
            self._bind_parameter(frame, name, value, box)

    def _bind_parameter(self, frame: Frame, name: str, value: Any, box: Box | None) -> None:
        recorder = self.recorder
        if name in ("self", "cls"):
            frame.tags[name] = (value, None)
            return
        if is_array(value) and value.dtype.kind in "fiubc":
            fresh = not recorder.ledger.knows(value)
            ref = recorder.ledger.read(value)
            if fresh:
                recorder.found(ref)
            frame.tags[name] = (value, None)
            recorder.working.bindings.append(Binding(frame.group, name, ref, frame.statement, frame.site))
        elif type(value) in NUMBERS and type(value) is not bool:
            tag = box.tag if box is not None else None
            if tag is CONSTANT or box is None:
                tag = recorder.given(value, lost=False)
                recorder.fixed.discard(tag.step)
            frame.tags[name] = (value, tag)
            if isinstance(tag, Ref):
                recorder.working.bindings.append(Binding(frame.group, name, tag, frame.statement, frame.site))
        elif type(value) is bool:
            frame.tags[name] = (value, box.tag if box is not None else CONSTANT)
        else:
            recorder.store(frame, name, self.box(value, box.tag if box is not None else None))

    def group_path(self, number: int) -> str:
        """The dotted names of a group from the outside in, without occurrence numbers."""
        groups = self.recorder.working.groups
        if number not in self._paths:
            group: Group = groups[number]
            above = self.group_path(group.parent) if group.parent is not None else ""
            self._paths[number] = f"{above}.{group.name}" if above else group.name
        return self._paths[number]


class Tap:
    """An iterator that remembers the origin of the item it gave last, for zip, enumerate and map."""

    def __init__(self, source_items: Iterator[tuple[Any, Tag]]) -> None:
        self._items = source_items
        self.last: Tag = None

    def __iter__(self) -> Tap:
        return self

    def __next__(self) -> Any:
        value, self.last = next(self._items)
        return value


def _match(values: list[Any], boxes: list[Box]) -> list[Tag]:
    """Pair values with the boxes they came in, by identity and in order."""
    waiting = list(boxes)
    tags: list[Tag] = []
    for value in values:
        place = next((i for i, b in enumerate(waiting) if b.value is value), None)
        tags.append(None if place is None else waiting.pop(place).tag)
    return tags


def _is_basic(key: Any) -> bool:
    parts = key if type(key) is tuple else (key,)
    return all(p is None or p is Ellipsis or isinstance(p, (int, slice, np.integer)) and not isinstance(p, bool) for p in parts)


def _same_memory(region: Any, value: Any) -> bool:
    if not is_array(region) or region.shape != value.shape or region.strides != value.strides:
        return False
    return region.__array_interface__["data"][0] == value.__array_interface__["data"][0] and region.dtype == value.dtype


def _name(function: Any) -> str:
    module = getattr(function, "__module__", None) or getattr(type(getattr(function, "__self__", None)), "__module__", "")
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{module}.{name}" if module not in ("builtins", "__main__", "", None) else name


def _returns_numbers(function: Any) -> bool:
    module = getattr(function, "__module__", "") or type(getattr(function, "__self__", None)).__module__
    return "random" in str(module) or isinstance(getattr(function, "__self__", None), np.random.Generator)


__all__ = ["Calls", "Loss", "Tap", "functools", "inspect", "itertools"]
