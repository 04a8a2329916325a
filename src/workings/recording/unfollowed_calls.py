"""Calls into code that is not followed: performed, and remembered as one opaque step where numbers come out."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import containers, parameters
from workings.recording.ledger import CONSTANT, Tag
from workings.recording.operations import functions

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame


def other_call(
    calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box], holder: Box | None = None
) -> Box:
    """A call into code that is not followed: performed, and remembered as one opaque step if numbers come out."""
    recorder = calls.recorder
    everything = [*args, *kwargs.values()] + ([holder] if holder is not None else [])
    watched = [(a.value, a.value.copy()) for a in everything if _is_array(a.value)]
    for array, _ in watched:
        recorder.ledger.before_write(array)
    recorder.pending = (args, kwargs)
    recorder.returned = None
    try:
        result = function(*[a.value for a in args], **{k: v.value for k, v in kwargs.items()})
    except Exception:
        recorder.current = frame
        for box in everything:
            recorder.guard(box, "an error")
        raise
    recorder.current = frame
    recorder.pending = None
    tag = calls.take_returned(result)
    for array, before in watched:
        _unseen_change(calls, function, array, before)
    if tag is not None:
        return calls.box(result, tag)
    if isinstance(function, type):
        parameters.adopt_fields(calls, result, args, kwargs)
    return _result(calls, function, args, kwargs, everything, holder, result)


def _result(
    calls: Calls,
    function: Any,
    args: list[Box],
    kwargs: dict[str, Box],
    everything: list[Box],
    holder: Box | None,
    result: Any,
) -> Box:
    recorder = calls.recorder
    if calls.is_recordable(result):
        if type(result) is bool or (_is_array(result) and recorder.ledger.knows(result)):
            return calls.box(result, None if _is_array(result) else _steering(calls, everything))
        known = _library(calls, function, everything) if holder is None else None
        return _opaque(calls, name_of(function), known, args, kwargs, everything, result)
    if type(result) is str:
        recorder.made_text(result, everything)
    elif isinstance(result, (list, tuple, dict)) and not _from_numbers(calls, everything):
        if recorder.ledger.existing_shadow(result) is None:
            containers.adopt(recorder, result)
    elif isinstance(result, (list, tuple)) and recorder.ledger.existing_shadow(result) is None:
        tags: list[Tag] = []
        known = _library(calls, function, everything) if holder is None else None
        for position, item in enumerate(result):
            seen = not calls.is_recordable(item) or (_is_array(item) and recorder.ledger.knows(item))
            made = None if seen else _opaque(calls, name_of(function), known, args, kwargs, everything, item, position)
            tags.append(made.tag if made is not None else None)
        recorder.ledger.shadow(result, tags)
    elif isinstance(result, types.GeneratorType) or hasattr(result, "gen"):
        inner = getattr(result, "gen", result)
        calls.generators[id(inner)] = (inner, (args, kwargs))
    elif isinstance(function, type) or not isinstance(result, (str, type, types.FunctionType, type(None))):
        if recorder.ledger.existing_shadow(result) is None or isinstance(function, type):
            recorder.ledger.born(result)
        if isinstance(result, functools.partial):
            _adopt_partial(calls, result, args, kwargs)
    return calls.box(result)


def _from_numbers(calls: Calls, everything: list[Box]) -> bool:
    """Whether a call that is not followed may have worked with numbers of the computation."""
    if any(calls.holds_numbers(b) or calls.is_foreign(b.value) for b in everything):
        return True
    return any(calls.recorder.opened_text(b.value) for b in everything if type(b.value) is str)


def _library(calls: Calls, function: Any, everything: list[Box]) -> functions.Function | None:
    """A pure library function can be called again, if what it was given can be given again."""
    return None if any(calls.is_foreign(b.value) for b in everything) else functions.library(function)


def _adopt_partial(calls: Calls, result: Any, args: list[Box], kwargs: dict[str, Box]) -> None:
    ledger = calls.recorder.ledger
    ledger.shadow(result.args, parameters.match(list(result.args), args[1:]))
    ledger.shadow(result.keywords, {k: kwargs[k].tag if k in kwargs else None for k in result.keywords})


def _steering(calls: Calls, everything: list[Box]) -> Tag:
    """A truth found out of sight (``text.startswith``): the numbers it looked at must not change."""
    for box in everything:
        calls.recorder.guard(box, "a test that is not followed")
    return CONSTANT


def _unseen_change(calls: Calls, function: Any, array: Any, before: Any) -> None:
    if np.array_equal(array, before, equal_nan=array.dtype.kind in "fc"):
        return
    recorder = calls.recorder
    ref = recorder.step("opaque", "", (), (), {}, value=array, note=f"changed by {name_of(function)}")
    recorder.opaque(f"{name_of(function)} changed an array", ref)
    recorder.ledger.after_write(array, ref)


def _opaque(
    calls: Calls,
    name: str,
    known: functions.Function | None,
    args: list[Box],
    kwargs: dict[str, Box],
    everything: list[Box],
    result: Any,
    output: int | None = None,
) -> Box:
    """One number or array that came out of a call that was not followed."""
    recorder = calls.recorder
    numbers = any(map(calls.holds_numbers, everything))
    if not numbers and _gives_numbers(name):
        return recorder.know(result, recorder.given(result, lost=False, note=f"given by {name}"))
    numbers = numbers or any(calls.is_foreign(b.value) for b in everything)
    if not numbers and known is not None:
        return recorder.know(result, recorder.given(result, lost=False, note=f"given by {name}"))
    if not numbers and type(result) is int:
        return calls.box(result, CONSTANT)  # a count or a position, not a number of the computation
    function = known or functions.Function(name, _nothing, "opaque")
    ref = recorder.write(function, args, kwargs, result, output=output)
    if known is None:
        step = recorder.working.steps[ref.step]
        step.function, step.note = "", f"{name} cannot be followed"
    recorder.opaque(name, ref)
    return recorder.know(result, ref)


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Stands for a call that cannot be made again."""


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in "fiubc"


def name_of(function: Any) -> str:
    """The name of a function as a reader would write it, with its module unless that is the user's."""
    module = getattr(function, "__module__", None) or getattr(
        type(getattr(function, "__self__", None)), "__module__", ""
    )
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{module}.{name}" if module not in ("builtins", "__main__", "", None) else name


def _gives_numbers(name: str) -> bool:
    """Functions that bring numbers in: random draws, files read, clocks."""
    return any(part in name.lower() for part in ("random", "load", "read", "time", "input"))
