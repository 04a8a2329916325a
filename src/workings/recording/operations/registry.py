"""The table of functions the recorder knows by name: what was called, and which operation it means.

A *function* is exact (``numpy.exp``, ``math.exp``, ``operator.matmul``): a replay calls it again and gets the same
bits. An *operation* is what it means (``exp``, ``matmul``): it has a formula, an arithmetic, a label rule and a
gradient, in :mod:`workings.recording.operations.meaning`. Many functions mean one operation.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from workings.frozen import frozen


@frozen
class Function:
    """One callable: its exact name, the operation it means, the names of its positional parameters."""

    name: str
    call: Callable[..., Any]
    operation: str
    parameters: tuple[str, ...] = ()
    moves: bool = False


BY_NAME: dict[str, Function] = {}
BY_CALL: dict[Any, Function] = {}
ARRAY_METHODS: dict[str, Function] = {}

# Packages whose functions give the same result for the same arguments and change nothing: an unknown one of these is
# opaque (no arithmetic) but can be run again. numpy.random is the exception and is told apart by its module.
PURE_PACKAGES = {"numpy", "scipy", "math", "cmath", "statistics", "operator", "fractions", "decimal"}


def define(
    name: str, call: Callable[..., Any], operation: str, parameters: str = "", *, moves: bool = False
) -> Function:
    """Enter a function in the tables."""
    function = Function(name, call, operation, tuple(parameters.split()), moves)
    BY_NAME[name] = function
    BY_CALL.setdefault(call, function)
    return function


def library(call: Any) -> Function | None:
    """An unknown function of a library whose functions are pure: opaque, and can be run again by its name."""
    module = getattr(call, "__module__", None) or ""
    name = getattr(call, "__qualname__", "") or getattr(call, "__name__", "")
    if isinstance(call, np.ufunc):
        module, name = "numpy", call.__name__
        if getattr(np, name, None) is not call:
            module = "scipy.special"
    if not name or module.split(".")[0] not in PURE_PACKAGES or "random" in module:
        return None
    full = f"{module}.{name}"
    if full not in BY_NAME:
        found = resolve(full)
        if found is None or found is not call:
            return None
        BY_NAME[full] = Function(full, found, "opaque")
    return BY_NAME[full]


def resolve(name: str) -> Callable[..., Any] | None:
    """The callable behind an exact name, or None where it cannot be had (a random draw, a closure, no torch here)."""
    known = BY_NAME.get(name)
    if known is not None:
        return known.call
    if name.startswith("aten."):
        if "torch" not in sys.modules:
            return None
        from workings.recording.tensors import resolve_operator

        return resolve_operator(name)
    module, _, attribute = name.rpartition(".")
    if module.split(".")[0] not in PURE_PACKAGES or "random" in module:
        return None
    try:
        found: Any = importlib.import_module(module)
    except ImportError:
        return None
    return getattr(found, attribute, None)
