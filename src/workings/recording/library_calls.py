"""Calls of NumPy and ``math``: known functions, array methods, ``out=``, and calls that change an array in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.handlers import Handler, entering
from workings.recording.ledger import CONSTANT, Tag
from workings.recording.operations import functions
from workings.recording.working import Ref, Room, Slot

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

HANDLERS: dict[Any, Handler] = {}
handles = entering(HANDLERS)
_CHANGING_METHODS = {"fill", "sort", "put", "itemset", "partition", "resize", "byteswap", "setflags"}


def call_known(
    calls: Calls, frame: Frame, function: Any, known: functions.Function, args: list[Box], kwargs: dict[str, Box]
) -> Box:
    """A call of a function that has a name of its own in the tables."""
    recorder = calls.recorder
    values = [a.value for a in args]
    named = {k: v.value for k, v in kwargs.items()}
    if any(map(calls.is_foreign, values)) or (kwargs and any(map(calls.is_foreign, named.values()))):
        return calls.other_call(frame, function, args, kwargs)
    if recorder.tensors is not None and any(map(recorder.tensors.is_tensor, (*values, *named.values()))):
        args = [_as_numpy(calls, a) for a in args]
        kwargs = {k: _as_numpy(calls, v) for k, v in kwargs.items()}
    out = _out_of(known, args, kwargs) if "out" in kwargs or "out" in known.parameters else None
    if out is not None:
        return _call_into(calls, function, known, args, kwargs, out)
    try:
        result = function(*values, **named)
    except Exception as error:
        recorder.current = frame
        calls.raised(known, args, kwargs, error)
        raise
    recorder.current = frame
    return _made(calls, known, args, kwargs, result)


def _made(calls: Calls, known: functions.Function, args: list[Box], kwargs: dict[str, Box], result: Any) -> Box:
    recorder = calls.recorder
    if type(result) is np.ndarray or calls.is_recordable(result):
        if not calls.is_recordable(result):
            return calls.box(result)
        for box in args:
            if box.value is result:
                return box
        return recorder.record(known, args, kwargs, result)
    if isinstance(result, (tuple, list)):
        tags: list[Tag] = []
        for position, item in enumerate(result):
            recordable = calls.is_recordable(item)
            tags.append(recorder.record(known, args, kwargs, item, output=position).tag if recordable else None)
        if tags:
            recorder.ledger.shadow(result, tags)
    return calls.box(result)


def _as_numpy(calls: Calls, box: Box) -> Box:
    if calls.is_tensor(box.value):
        return calls.recorder.tensors.shared_array(box.value)  # type: ignore[no-any-return]
    return box


# -- out= -------------------------------------------------------------------------------------------------------------


def _out_of(known: functions.Function, args: list[Box], kwargs: dict[str, Box]) -> Any:
    box = kwargs.get("out")
    if box is None and "out" in known.parameters:
        place = known.parameters.index("out")
        if len(args) > place:
            box = args[place]
    if box is None or box.value is None:
        return None
    return box.value[0] if isinstance(box.value, tuple) else box.value


def _call_into(
    calls: Calls, function: Any, known: functions.Function, args: list[Box], kwargs: dict[str, Box], out: Any
) -> Box:
    """``np.exp(a, out=b)``: the result is written into known memory.

    On replay it is written into new memory of the same shape, type and layout; with ``where=``, the places left out
    keep what was there before.
    """
    recorder = calls.recorder
    ledger = recorder.ledger
    inputs: list[Ref] = []
    before = ledger.read(out)
    place = known.parameters.index("out") if "out" in known.parameters else len(args)
    arguments = tuple([recorder.template(a, inputs) for a in args[:place]])
    keywords = {k: recorder.template(v, inputs) for k, v in kwargs.items() if k != "out"}
    mask = kwargs.get("where")
    given: list[Ref] = []
    chosen = recorder.template(mask, given) if mask is not None and _is_ufunc(known) else None
    values = [a.value for a in args]
    named = {k: v.value for k, v in kwargs.items()}
    ledger.before_write(out)
    result = function(*values, **named)
    keywords["out"] = Room(out.shape, str(out.dtype), None if out.flags.c_contiguous else out.strides)
    content = recorder.step(known.operation, known.name, tuple(inputs), arguments, keywords, value=out)
    if chosen is not None:
        alone = recorder.working.steps[content.step]
        alone.value, alone.kept = None, False
        parts = [*given, content, before]
        content = recorder.step(
            "where", "numpy.where", tuple(parts), (chosen, Slot(len(given)), Slot(len(given) + 1)), {}, value=out
        )
    ledger.after_write(out, content)
    return calls.box(result)


def _is_ufunc(known: functions.Function) -> bool:
    return isinstance(known.call, np.ufunc)


# -- methods of arrays ------------------------------------------------------------------------------------------------


def array_method(calls: Calls, frame: Frame, box: Box, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """``array.name(*args, **kwargs)``."""
    holder = box.value
    recorder = calls.recorder
    method = getattr(holder, name)
    if name in _CHANGING_METHODS and type(holder) is np.ndarray:
        known = functions.BY_NAME.get(f"changed.{name}")
        if known is None or holder.dtype.kind not in "fiubc":
            return calls.other_call(frame, method, args, kwargs, holder=box)
        return change(calls, frame, known, box, args, kwargs, method)
    known = functions.ARRAY_METHODS.get(name)
    if known is None or holder.dtype.kind not in "fiubc":
        return calls.other_call(frame, method, args, kwargs, holder=box)
    out = _out_of(known, [box, *args], kwargs)
    if out is not None:
        return _call_into(calls, lambda *v, **n: method(*v[1:], **n), known, [box, *args], kwargs, out)
    try:
        result = method(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    except Exception as error:
        calls.raised(known, [box, *args], kwargs, error)
        raise
    recorder.current = frame
    if name == "tolist":
        return _tolist(calls, box, result)
    if name == "item":
        made = recorder.record(known, [box, *args], kwargs, result)
        assert isinstance(made.tag, Ref)
        recorder.working.steps[made.tag.step].plain = True
        return made
    return _made(calls, known, [box, *args], kwargs, result)


def _tolist(calls: Calls, box: Box, result: Any) -> Box:
    """Python numbers, each known as the element it was."""
    from workings.recording import containers

    recorder = calls.recorder
    inputs: list[Ref] = []
    arguments = (recorder.template(box, inputs),)
    value = np.array(result, dtype=box.value.dtype if box.value.dtype.kind != "f" else float)
    value = value.reshape(np.shape(box.value))
    ref = recorder.step("tolist", "recording.numbers", tuple(inputs), arguments, {}, value=value)
    recorder.working.steps[ref.step].plain = True
    if not isinstance(result, list):
        return calls.box(result, ref)
    containers.mark(recorder, result, ref)
    return calls.box(result)


def ufunc_method(calls: Calls, frame: Frame, ufunc: Any, name: str, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """``np.add.reduce(…)``, ``np.add.at(…)``."""
    function = getattr(ufunc, name)
    if name == "at" and f"changed.{ufunc.__name__}_at" in functions.BY_NAME and calls.is_recordable(args[0].value):
        known = functions.BY_NAME[f"changed.{ufunc.__name__}_at"]
        return change(calls, frame, known, args[0], args[1:], {}, functools.partial(ufunc.at, args[0].value))
    known_method = functions.BY_NAME.get(f"numpy.{ufunc.__name__}.{name}")
    if known_method is not None:
        return call_known(calls, frame, function, known_method, args, kwargs)
    return calls.other_call(frame, function, args, kwargs)


# -- calls that change their first argument ---------------------------------------------------------------------------


def change(
    calls: Calls,
    frame: Frame,
    known: functions.Function,
    target: Box,
    args: list[Box],
    kwargs: dict[str, Box],
    call: Callable[..., Any],
) -> Box:
    """A call that changes an array where it is; ``known`` is its twin that gives a changed copy."""
    recorder = calls.recorder
    array = target.value
    inputs = [recorder.ledger.read(array)]
    arguments = (Slot(0), *[recorder.template(a, inputs) for a in args])
    keywords = {k: recorder.template(v, inputs) for k, v in kwargs.items()}
    recorder.ledger.before_write(array)
    result = call(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    recorder.current = frame
    ref = recorder.step(known.operation, known.name, tuple(inputs), arguments, keywords, value=array)
    recorder.ledger.after_write(array, ref)
    return calls.box(result)


@handles(np.copyto, np.fill_diagonal, np.put_along_axis, np.put, np.place, np.putmask)
def _changing(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if not args or type(args[0].value) is not np.ndarray or not calls.is_recordable(args[0].value):
        return NotImplemented
    known = functions.BY_NAME[f"changed.{function.__name__}"]
    return change(calls, frame, known, args[0], args[1:], kwargs, functools.partial(function, args[0].value))


@handles(np.fromiter)
def _from_iterator(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    """The items are taken first, so that each is known."""
    values, tags = calls.items_of(args[0])
    calls.recorder.current = frame
    result = np.fromiter(iter(values), *[a.value for a in args[1:]], **{k: v.value for k, v in kwargs.items()})
    if not values:
        return calls.box(result)
    calls.recorder.ledger.shadow(values, tags)
    return calls.recorder.record(functions.BY_NAME["numpy.fromiter"], [calls.box(values), *args[1:]], kwargs, result)


# -- functions that call a function -----------------------------------------------------------------------------------


@handles(np.apply_along_axis)
def _along_axis(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    """NumPy walks over the rows; its function is followed on each of them."""
    named = dict(zip(("func1d", "axis", "arr"), args, strict=False)) | kwargs
    if not {"func1d", "axis", "arr"} <= set(named) or not calls.is_recordable(named["arr"].value):
        return NotImplemented
    extra = args[3:]
    options = {k: v for k, v in kwargs.items() if k not in ("func1d", "axis", "arr")}
    array, axis = named["arr"].value, int(named["axis"].value)
    calls.recorder.ledger.read(array)
    results: list[Box] = []

    def followed(row: Any) -> Any:
        results.append(calls.call(frame, named["func1d"].value, [calls.box(row), *extra], options))
        return results[-1].value

    result = np.apply_along_axis(followed, axis, array)
    calls.recorder.current = frame
    if not all(calls.is_recordable(r.value) for r in results):
        return calls.box(result)
    axis %= array.ndim
    shape = (*array.shape[:axis], *array.shape[axis + 1 :])
    boxes = [calls.box(shape), calls.box(axis, CONSTANT), *results]
    calls.recorder.ledger.shadow(shape, [CONSTANT] * len(shape))
    return calls.recorder.record(functions.BY_NAME["recording.along_axis"], boxes, {}, result)


@handles(np.fromfunction)
def _from_function(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    """The function is called once, on the arrays of row and column numbers."""
    options = {k: v for k, v in kwargs.items() if k != "dtype"}
    kind = kwargs.get("dtype", calls.box(float))
    places = calls.call(frame, np.indices, [args[1]], {"dtype": kind})
    rows = [calls.box(v, t) for v, t in zip(*calls.drain(places), strict=True)]
    return calls.call(frame, args[0].value, rows, options)
