"""Python's operators, built-in functions and ``math``, and what the recorder itself does to values, as functions."""

from __future__ import annotations

import bisect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from workings.equations._arrays import erf
from workings.equations._checks import has_empty_row
from workings.recording.operations import doings
from workings.recording.operations.registry import define

OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "power",
    "@": "matmul",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "left_shift",
    ">>": "right_shift",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}
OPERATOR_CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
INPLACE_CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
    "<<": operator.ilshift,
    ">>": operator.irshift,
}
UNARY_CALLS: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "not": operator.not_,
}
UNARY_MEANINGS = {"-": "negative", "+": "positive", "~": "invert", "not": "logical_not"}


_MATH = """
    gcd lcm comb perm factorial isqrt copysign ldexp frexp modf degrees radians exp2 cbrt gamma lgamma erfc remainder
    acosh asinh atanh nextafter ulp isclose
"""
_NUMBER_METHODS: dict[type, str] = {
    float: "is_integer as_integer_ratio conjugate",
    int: "bit_length bit_count conjugate",
    complex: "conjugate",
}

_CHANGES = {
    "fill": "base value",
    "sort": "base axis",
    "copyto": "base values",
    "fill_diagonal": "base values wrap",
    "put_along_axis": "base indices values axis",
    "put": "base indices values",
    "place": "base mask values",
    "putmask": "base mask values",
}


def _change_method(name: str) -> Callable[..., Any]:
    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, name)(*args, **kwargs)

    return call


def fill() -> None:
    """Enter them in the table."""
    for sign, name in OPERATORS.items():
        define(f"operator.{name}", OPERATOR_CALLS[sign], name, "x1 x2")
    for sign, change in INPLACE_CALLS.items():
        define(f"inplace.{OPERATORS[sign]}", doings.without_change(change), OPERATORS[sign], "x1 x2")
    for sign, call in UNARY_CALLS.items():
        define(f"operator.{UNARY_MEANINGS[sign]}", call, UNARY_MEANINGS[sign], "x")
    for (
        name
    ) in "exp log log2 log10 log1p expm1 sqrt sin cos tan asin acos atan sinh cosh tanh erf floor ceil trunc".split():
        define(
            f"math.{name}",
            getattr(math, name),
            {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name),
            "x",
        )
    if hasattr(math, "sumprod"):
        define("math.sumprod", math.sumprod, "dot", "a b")
    define("math.fabs", math.fabs, "absolute", "x")
    define("math.pow", math.pow, "power", "x1 x2")
    define("math.fsum", math.fsum, "sum", "a")
    define("math.prod", math.prod, "prod", "a")
    define("math.hypot", math.hypot, "hypot", "x1 x2")
    define("math.isnan", math.isnan, "isnan", "x")
    define("math.isinf", math.isinf, "isinf", "x")
    define("math.isfinite", math.isfinite, "isfinite", "x")
    define("math.atan2", math.atan2, "arctan2", "x1 x2")
    define("math.fmod", math.fmod, "fmod", "x1 x2")
    define("math.dist", math.dist, "dist", "a b")
    define("equations.erf", erf, "erf", "x")
    define("equations.has_empty_row", has_empty_row, "check", "x")
    define("builtins.abs", abs, "absolute", "x")
    define("builtins.pow", pow, "power", "x1 x2")
    define("builtins.round", round, "round", "a decimals")
    define("builtins.divmod", divmod, "divmod", "x1 x2")
    define("builtins.int", int, "int", "x")
    define("builtins.float", float, "float", "x")
    define("builtins.bool", bool, "bool", "x")
    define("builtins.complex", complex, "complex", "x")
    define("builtins.sum", doings.plain_sum, "sum", "a start")
    define("builtins.max", doings.multi_max, "max")
    define("builtins.min", doings.multi_min, "min")
    define("recording.argsort", doings.argsort_plain, "order")
    define("recording.argmax", doings.argmax_plain, "order")
    define("recording.argmin", doings.argmin_plain, "order")
    define("recording.total", doings.total, "total")
    define("recording.classes", doings.classes, "classes")
    define("numpy.size", np.size, "count", "a axis")
    define("recording.text_length", doings.text_length, "text_length")
    for name in ("real", "imag", "numerator", "denominator"):
        define(f"number.{name}", doings.part_of_number(name), name, "x")
    for kind, names in _NUMBER_METHODS.items():
        for name in names.split():
            define(f"{kind.__name__}.{name}", getattr(kind, name), name, "x")
    for name in _MATH.split():
        if hasattr(math, name):
            define(f"math.{name}", getattr(math, name), name, "x1 x2")
    for name in ("bisect_left", "bisect_right"):
        define(f"bisect.{name}", getattr(bisect, name), "searchsorted", "a x")
    define("recording.find", doings.find, "find", "wanted")
    define("recording.count", doings.count, "count", "wanted")
    define("recording.numbers", doings.tolist, "tolist", "a", moves=True)
    define("changed.flat", doings.set_flat, "put_at", "base index value", moves=True)
    define("recording.contains", doings.contains, "contains", "container item")
    define("recording.raises", doings.raises, "raises")
    define("recording.along_axis", doings.along_axis, "along_axis", moves=True)
    define("recording.size", doings.size, "size", "array axis")
    for name, parameters in _CHANGES.items():
        method = (hasattr(np.ndarray, name) and not hasattr(np, name)) or name == "sort"
        change = _change_method(name) if method else getattr(np, name)
        define(f"changed.{name}", doings.changed(change), "sort" if name == "sort" else "put", parameters, moves=True)
    for ufunc in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        define(f"changed.{ufunc}_at", doings.changed(getattr(np, ufunc).at), f"{ufunc}_at", "base indices values")
    for name, maker in {"c_": np.c_, "r_": np.r_}.items():
        define(f"numpy.{name}", maker.__getitem__, name, "arrays", moves=True)
    for (
        name
    ) in "float64 float32 float16 int64 int32 int16 int8 uint8 uint16 uint32 uint64 complex128 complex64 bool_".split():
        define(f"numpy.{name}", getattr(np, name), "cast", "value", moves=True)
    define("numpy.ix_", np.ix_, "ix_", moves=True)
    define("numpy.fromiter", np.fromiter, "array", "object dtype", moves=True)
    define("recording.put", doings.put, "put", "base value index", moves=True)
    define("recording.put_flat", doings.put_flat, "put_flat", "base value positions", moves=True)
    define("recording.take_flat", doings.take_flat, "take_flat", "base positions strides", moves=True)
    define("recording.same", doings.same, "copy", "a", moves=True)
    define("recording.list", doings.stack_plain, "list", moves=True)
    define("recording.cast", doings.to_dtype_of, "cast", "value shape dtype", moves=True)
    define("recording.filled_where", doings.filled_where, "masked_fill", "base mask values", moves=True)
    define("recording.getitem", doings.getitem, "getitem", "base index", moves=True)
