"""The functions the recorder knows, entered in their table: see :mod:`workings.recording.operations.registry`."""

from __future__ import annotations

from workings.recording.operations import numpy_functions, python_functions
from workings.recording.operations.doings import duplicate, room
from workings.recording.operations.numpy_functions import MADE_OF_NOTHING
from workings.recording.operations.python_functions import (
    INPLACE_CALLS,
    OPERATOR_CALLS,
    OPERATORS,
    UNARY_CALLS,
    UNARY_MEANINGS,
)
from workings.recording.operations.registry import (
    ARRAY_METHODS,
    BY_CALL,
    BY_NAME,
    PURE_PACKAGES,
    Function,
    define,
    library,
    resolve,
)

numpy_functions.fill()
python_functions.fill()

__all__ = [
    "ARRAY_METHODS",
    "BY_CALL",
    "BY_NAME",
    "INPLACE_CALLS",
    "MADE_OF_NOTHING",
    "OPERATORS",
    "OPERATOR_CALLS",
    "PURE_PACKAGES",
    "UNARY_CALLS",
    "UNARY_MEANINGS",
    "Function",
    "define",
    "duplicate",
    "library",
    "resolve",
    "room",
]
