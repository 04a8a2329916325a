"""Special methods called by their names: ``x.__add__(y)``, ``super().__setitem__(k, v)``, ``dict.__getitem__(d, k)``.

The very method that was named is performed, never the operator, which would look in the user's class again.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.ledger import CONSTANT
from workings.recording.operations import functions

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

WRAPPERS = (types.MethodWrapperType, types.BuiltinMethodType)
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_BINARY = {f"__{name}__": (sign, False) for name, sign in _SIGNS.items()}
_BINARY |= {f"__r{name}__": (sign, True) for name, sign in _SIGNS.items()}
_BINARY |= {f"__{n}__": (s, False) for n, s in zip("lt le gt ge eq ne".split(), "< <= > >= == !=".split(), strict=True)}
_UNARY = {"__neg__": "-", "__pos__": "+", "__invert__": "~"}
NAMES = {*_BINARY, *_UNARY, "__getitem__", "__setitem__"}


def special(calls: Calls, frame: Frame, function: Any, own: Box, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """``function(*args, **kwargs)``, where ``function`` is a method, made of C, of what is in ``own``."""
    name, holder = function.__name__, own.value
    if name.startswith("__") and not kwargs:
        if calls.is_numeric(holder) and not calls.is_tensor(holder):
            made = _number(calls, frame, function, own, args)
        elif isinstance(holder, dict) and _is_of(dict, function, holder):
            made = _entry(calls, frame, function, holder, args)
        elif isinstance(holder, list) and _is_of(list, function, holder):
            made = _place(calls, frame, function, holder, args)
        elif type(holder) is tuple and name == "__getitem__" and len(args) == 1:
            made = calls.getitem(frame, own, args[0])
        else:
            made = None
        if made is not None:
            return made
    return calls.other_call(frame, function, args, kwargs, holder=own)


def _is_of(kind: type, function: Any, holder: Any) -> bool:
    """Whether a method is the one that Python's own ``dict`` or ``list`` has, not that of a class made of it."""
    own = vars(kind).get(function.__name__)
    return own is not None and bool(own.__get__(holder) == function)


def _number(calls: Calls, frame: Frame, function: Any, own: Box, args: list[Box]) -> Box | None:
    name, holder = function.__name__, own.value
    if type(holder) is np.ndarray and len(args) == (2 if name == "__setitem__" else 1):
        if name == "__getitem__":
            return calls.getitem(frame, own, args[0])
        if name == "__setitem__":
            calls.setitem(frame, own, *args)
            return calls.box(None)
    if name in _UNARY and not args:
        return calls.unary(frame, _UNARY[name], own)
    if name not in _BINARY or len(args) != 1 or not calls.is_numeric(args[0].value):
        return None
    if calls.is_tensor(args[0].value):
        return None
    sign, reflected = _BINARY[name]
    pair = (args[0], own) if reflected else (own, args[0])
    known = functions.BY_NAME["operator." + functions.OPERATORS[sign]]
    try:
        result = function(args[0].value)
    except Exception as error:
        calls.raised(known, list(pair), {}, error)
        raise
    if result is NotImplemented or not calls.is_recordable(result):
        return calls.box(result)
    return calls.recorder.record(known, pair, {}, result)


def _entry(calls: Calls, frame: Frame, function: Any, holder: Any, args: list[Box]) -> Box | None:
    """``__getitem__`` and ``__setitem__`` of ``dict``."""
    ledger, name = calls.recorder.ledger, function.__name__
    if name == "__getitem__" and len(args) == 1:
        calls.recorder.guard(args[0], "a key")
        value = function(args[0].value)
        calls.recorder.current = frame
        known = args[0].value in holder if type(holder) is dict else dict.__contains__(holder, args[0].value)
        return calls.box(value, ledger.entry(holder, args[0].value, value) if known else CONSTANT)
    if name == "__setitem__" and len(args) == 2:
        calls.recorder.guard(args[0], "a key")
        shadow = ledger.shadow_if_fresh(holder)
        function(args[0].value, args[1].value)
        calls.recorder.current = frame
        shadow = shadow or ledger.shadow_of(holder)
        shadow.tags[args[0].value] = args[1].tag
        shadow.items[args[0].value] = args[1].value
        return calls.box(None)
    return None


def _place(calls: Calls, frame: Frame, function: Any, holder: Any, args: list[Box]) -> Box | None:
    """``__getitem__`` and ``__setitem__`` of ``list`` with a number."""
    ledger, name = calls.recorder.ledger, function.__name__
    if not args or type(args[0].value) is not int:
        return None
    if name == "__getitem__" and len(args) == 1:
        calls.recorder.guard(args[0], "a list index")
        value = function(args[0].value)
        return calls.box(value, ledger.shadow_of(holder).tags[args[0].value])
    if name == "__setitem__" and len(args) == 2:
        calls.recorder.guard(args[0], "a list index")
        shadow = ledger.shadow_of(holder)
        function(args[0].value, args[1].value)
        shadow.tags[args[0].value], shadow.items[args[0].value] = args[1].tag, args[1].value
        return calls.box(None)
    return None
