"""Every function the recorder knows by name: what was called, and which operation it means.

A *function* is exact (``numpy.exp``, ``math.exp``, ``operator.matmul``): a replay calls it again and gets the same
bits. An *operation* is what it means (``exp``, ``matmul``): it has a formula, an arithmetic, a label rule and a
gradient, in :mod:`workings.recording.operations.meaning`. Many functions mean one operation.
"""

from __future__ import annotations

import bisect
import importlib
import math
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workings.equations._arrays import erf
from workings.equations._checks import has_empty_row


@dataclass(frozen=True, slots=True)
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


_BINARY = "x1 x2 out"
_UNARY = "x out"
_UNARY_UFUNCS = """
    negative positive exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal sin cos tan arcsin arccos arctan
    sinh cosh tanh arcsinh arccosh arctanh absolute sign floor ceil rint trunc isnan isinf isfinite logical_not invert
    degrees radians deg2rad rad2deg fabs conjugate signbit
"""
_BINARY_UFUNCS = """
    add subtract multiply divide power float_power maximum minimum fmax fmin remainder fmod floor_divide less less_equal
    greater greater_equal equal not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor hypot
    arctan2 logaddexp logaddexp2 copysign heaviside
"""
_REDUCTIONS = {
    "sum": "a axis dtype out keepdims initial where",
    "prod": "a axis dtype out keepdims initial where",
    "max": "a axis out keepdims initial where",
    "min": "a axis out keepdims initial where",
    "mean": "a axis dtype out keepdims",
    "var": "a axis dtype out ddof keepdims",
    "std": "a axis dtype out ddof keepdims",
    "all": "a axis out keepdims",
    "any": "a axis out keepdims",
    "argmax": "a axis out keepdims",
    "argmin": "a axis out keepdims",
    "ptp": "a axis out keepdims",
    "median": "a axis out overwrite_input keepdims",
    "nansum": "a axis dtype out keepdims",
    "nanmax": "a axis out keepdims",
    "nanmin": "a axis out keepdims",
    "nanmean": "a axis dtype out keepdims",
    "count_nonzero": "a axis",
    "average": "a axis weights returned",
}
_MOVEMENTS = {
    "reshape": "a shape order",
    "ravel": "a order",
    "transpose": "a axes",
    "permute_dims": "a axes",
    "matrix_transpose": "a",
    "swapaxes": "a axis1 axis2",
    "moveaxis": "a source destination",
    "rollaxis": "a axis start",
    "squeeze": "a axis",
    "expand_dims": "a axis",
    "concatenate": "arrays axis out",
    "stack": "arrays axis out",
    "vstack": "arrays",
    "hstack": "arrays",
    "dstack": "arrays",
    "column_stack": "arrays",
    "block": "arrays",
    "array": "object dtype",
    "asarray": "object dtype",
    "asanyarray": "object dtype",
    "ascontiguousarray": "object dtype",
    "asfortranarray": "object dtype",
    "copy": "a order",
    "broadcast_to": "array shape",
    "atleast_1d": "a",
    "atleast_2d": "a",
    "atleast_3d": "a",
    "flip": "m axis",
    "fliplr": "m",
    "flipud": "m",
    "rot90": "m k axes",
    "roll": "a shift axis",
    "tile": "A reps",
    "repeat": "a repeats axis",
    "take": "a indices axis out",
    "take_along_axis": "arr indices axis",
    "diag": "v k",
    "diagonal": "a offset axis1 axis2",
    "tril": "m k",
    "triu": "m k",
    "split": "ary indices_or_sections axis",
    "array_split": "ary indices_or_sections axis",
    "hsplit": "ary indices_or_sections",
    "vsplit": "ary indices_or_sections",
    "unstack": "x axis",
    "where": "condition x y",
    "pad": "array pad_width mode",
    "resize": "a new_shape",
    "delete": "arr obj axis",
    "insert": "arr obj values axis",
    "append": "arr values axis",
    "compress": "condition a axis out",
    "extract": "condition arr",
    "choose": "a choices",
    "select": "condlist choicelist default",
    "broadcast_arrays": "",
    "sort": "a axis",
    "partition": "a kth axis",
    "real": "val",
    "trim_zeros": "filt trim",
    "full": "shape fill_value dtype",
    "full_like": "a fill_value dtype",
    "meshgrid": "",
}
_OTHERS = {
    "matmul": "x1 x2 out",
    "dot": "a b out",
    "inner": "a b",
    "outer": "a b out",
    "vdot": "a b",
    "tensordot": "a b axes",
    "einsum": "",
    "kron": "a b",
    "cross": "a b",
    "trace": "a offset axis1 axis2",
    "cumsum": "a axis dtype out",
    "cumprod": "a axis dtype out",
    "diff": "a n axis",
    "clip": "a a_min a_max out",
    "round": "a decimals out",
    "argsort": "a axis",
    "searchsorted": "a v side",
    "nan_to_num": "x",
    "zeros_like": "a dtype",
    "ones_like": "a dtype",
    "empty_like": "a dtype",
    "zeros": "shape dtype",
    "ones": "shape dtype",
    "empty": "shape dtype",
    "eye": "N M k",
    "identity": "n",
    "arange": "start stop step dtype",
    "linspace": "start stop num",
    "logspace": "start stop num",
    "tri": "N M k",
    "indices": "dimensions",
    "nonzero": "a",
    "argwhere": "a",
    "flatnonzero": "a",
    "tril_indices": "n k m",
    "triu_indices": "n k m",
    "unique": "ar",
    "bincount": "x weights minlength",
    "isclose": "a b",
    "allclose": "a b",
    "array_equal": "a1 a2",
    "convolve": "a v mode",
    "correlate": "a v mode",
    "interp": "x xp fp",
    "gradient": "f",
    "polyval": "p x",
    "vander": "x N",
    "cov": "m",
    "corrcoef": "x",
    "trapezoid": "y x",
    "percentile": "a q axis",
    "quantile": "a q axis",
    "digitize": "x bins",
    "histogram": "a bins",
    "ediff1d": "ary",
    "cumulative_sum": "x",
    "nanprod": "a axis",
    "nanstd": "a axis",
    "nanvar": "a axis",
    "nanargmax": "a axis",
    "nanargmin": "a axis",
    "ldexp": "x1 x2",
    "sinc": "x",
    "isin": "element test_elements",
    "lexsort": "keys axis",
    "argpartition": "a kth axis",
    "unravel_index": "indices shape",
    "ravel_multi_index": "multi_index dims",
    "imag": "val",
    "angle": "z",
    "array_equiv": "a1 a2",
}
if hasattr(np, "vecdot"):
    _OTHERS["vecdot"] = "x1 x2"
if hasattr(np, "matvec"):
    _OTHERS |= {"matvec": "x1 x2", "vecmat": "x1 x2"}

MADE_OF_NOTHING = {
    *("zeros", "ones", "empty", "full", "eye", "identity", "arange", "linspace", "logspace", "tri", "indices"),
    *("tril_indices", "triu_indices", "zeros_like", "ones_like", "empty_like", "full_like", "meshgrid"),
}
# The operation a NumPy name means, where the two differ.
_MEANINGS = {
    "conjugate": "positive",
    "fabs": "absolute",
    "fmax": "maximum",
    "fmin": "minimum",
    "permute_dims": "transpose",
    "float_power": "power",
}


def _numpy() -> None:
    for name in _UNARY_UFUNCS.split():
        define(f"numpy.{name}", getattr(np, name), _MEANINGS.get(name, name), _UNARY)
    for name in _BINARY_UFUNCS.split():
        define(f"numpy.{name}", getattr(np, name), _MEANINGS.get(name, name), _BINARY)
    for name, parameters in _REDUCTIONS.items():
        define(f"numpy.{name}", getattr(np, name), name, parameters)
    for name, parameters in _MOVEMENTS.items():
        if hasattr(np, name):
            define(f"numpy.{name}", getattr(np, name), _MEANINGS.get(name, name), parameters, moves=True)
    for name, parameters in _OTHERS.items():
        if hasattr(np, name):
            define(f"numpy.{name}", getattr(np, name), name, parameters)
    define("numpy.linalg.norm", np.linalg.norm, "norm", "x ord axis keepdims")
    for name, parameters in {
        "solve": "a b",
        "inv": "a",
        "det": "a",
        "pinv": "a",
        "matrix_power": "a n",
        "multi_dot": "arrays",
        "matrix_rank": "A",
        "cond": "x",
        "slogdet": "a",
        "cholesky": "a",
    }.items():
        define(f"numpy.linalg.{name}", getattr(np.linalg, name), f"linalg_{name}", parameters)
    define("numpy.linalg.matrix_transpose", np.linalg.matrix_transpose, "matrix_transpose", "x", moves=True)
    windows = np.lib.stride_tricks.sliding_window_view
    define("numpy.lib.stride_tricks.sliding_window_view", windows, "sliding_window_view", "a shape axis", moves=True)
    define("numpy.linalg.vector_norm", np.linalg.vector_norm, "vector_norm", "x axis keepdims ord")
    for ufunc, meaning in _ACCUMULATIONS.items():
        for kind, operation in meaning.items():
            define(f"numpy.{ufunc}.{kind}", getattr(getattr(np, ufunc), kind), operation, _ACCUMULATION_ARGS[kind])


_ACCUMULATIONS = {
    "add": {"reduce": "sum", "accumulate": "cumsum", "outer": "outer_add", "reduceat": "sum_at"},
    "subtract": {"outer": "outer_subtract"},
    "multiply": {"reduce": "prod", "accumulate": "cumprod", "outer": "outer"},
    "divide": {"outer": "outer_divide"},
    "maximum": {"reduce": "max", "accumulate": "cummax", "outer": "outer_maximum"},
    "minimum": {"reduce": "min", "accumulate": "cummin", "outer": "outer_minimum"},
    "logical_and": {"reduce": "all"},
    "logical_or": {"reduce": "any"},
}
_ACCUMULATION_ARGS = {
    "reduce": "a axis dtype out keepdims initial where",
    "accumulate": "a axis dtype out",
    "reduceat": "a indices axis dtype out",
    "outer": "a b",
}

_METHOD_NAMES = """
    sum prod max min mean var std all any argmax argmin ptp reshape ravel transpose swapaxes squeeze copy repeat take
    diagonal dot trace cumsum cumprod clip round argsort choose compress searchsorted nonzero conj
"""


def _reduce_default(name: str) -> Callable[..., Any]:
    method = name

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(np.asarray(array), method)(*args, **kwargs)

    call.__name__ = name
    return call


def _methods() -> None:
    """ndarray methods run as methods again: ``a.sum()`` and ``np.sum(a)`` may differ in signature, not in meaning."""
    for name in _METHOD_NAMES.split():
        twin = BY_NAME.get(f"numpy.{'conjugate' if name == 'conj' else name}")
        if twin is None:
            continue
        parameters = " ".join(twin.parameters)
        if name in ("reshape", "transpose"):
            parameters = "a *" + ("shape" if name == "reshape" else "axes")
        ARRAY_METHODS[name] = define(
            f"ndarray.{name}", _reduce_default(name), twin.operation, parameters, moves=twin.moves
        )
    ARRAY_METHODS["flatten"] = define("ndarray.flatten", _reduce_default("flatten"), "ravel", "a order", moves=True)
    ARRAY_METHODS["view"] = define("ndarray.view", _reduce_default("view"), "view", "a dtype", moves=True)
    ARRAY_METHODS["astype"] = define("ndarray.astype", _reduce_default("astype"), "astype", "a dtype", moves=True)
    ARRAY_METHODS["item"] = define("ndarray.item", _reduce_default("item"), "item", "a *index", moves=True)
    ARRAY_METHODS["tolist"] = define("ndarray.tolist", _reduce_default("tolist"), "tolist", "a", moves=True)
    for attribute, operation in {"T": "transpose", "mT": "matrix_transpose", "real": "real", "imag": "imag"}.items():
        define(f"ndarray.{attribute}", _attribute(attribute), operation, "a", moves=True)


def _attribute(name: str) -> Callable[[Any], Any]:
    def call(array: Any) -> Any:
        return getattr(np.asarray(array), name)

    call.__name__ = name
    return call


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


def room(shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None) -> Any:
    """Memory for an array, in C order or with the strides given: results can depend on them in the last bit."""
    kind = np.dtype(dtype)
    if strides is None or 0 in shape:
        return np.zeros(shape, kind)
    reach = [stride * (size - 1) for stride, size in zip(strides, shape, strict=True)]
    raw = np.zeros(sum(map(abs, reach)) + kind.itemsize, np.uint8)
    return np.ndarray(shape, kind, raw.data, sum(-r for r in reach if r < 0), strides)


def duplicate(array: Any) -> Any:
    """A copy with the same layout in memory."""
    if not isinstance(array, np.ndarray):
        return array
    if array.flags.forc or array.dtype.hasobject:
        return array.copy(order="K")
    out = room(array.shape, array.dtype, array.strides)
    out[...] = array
    return out


def without_change(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The value an in-place operator leaves, without leaving it anywhere: what a replay runs."""

    def call(left: Any, right: Any) -> Any:
        return change(duplicate(left), right)

    return call


def put(base: Any, value: Any, index: Any) -> Any:
    """What ``base[index] = value`` leaves."""
    if hasattr(base, "clone"):
        out = base.detach().clone()
    else:
        out = duplicate(base)
    out[index] = value
    return out


def put_flat(base: Any, value: Any, positions: Any) -> Any:
    """``base`` with the elements at flat ``positions``, counted in C order, replaced by those of ``value``."""
    if hasattr(base, "clone"):
        changed = base.detach().clone()
        changed.view(-1)[positions.reshape(-1)] = value.reshape(-1)
        return changed
    if hasattr(base, "clone"):
        tensor = base.detach().contiguous().clone()
        tensor.view(-1)[positions.reshape(-1)] = value.reshape(-1)
        return tensor
    out = duplicate(base)
    out.flat[np.asarray(positions).reshape(-1)] = np.asarray(value).reshape(-1)
    return out


def take_flat(base: Any, positions: Any, strides: tuple[int, ...] | None = None) -> Any:
    """The elements of ``base`` at flat ``positions``, in the shape of ``positions``."""
    if hasattr(base, "clone"):
        return base.reshape(-1)[positions]
    taken = np.asarray(base).reshape(-1)[positions]
    if strides is None:
        return taken
    out = room(taken.shape, taken.dtype, strides)
    out[...] = taken
    return out


def contains(container: Any, item: Any) -> bool:
    """``item in container`` for numbers."""
    return bool(item in container)


def raises(function: str, kind: str, arguments: Any, keywords: Any) -> bool:
    """Whether a call raises an error of this kind."""
    call = resolve(function)
    if call is None:
        return True
    try:
        with np.errstate(all="ignore"):
            call(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__ == kind
    return False


def along_axis(shape: tuple[int, ...], axis: int, *results: Any) -> Any:
    """What ``np.apply_along_axis`` makes of the results of its function, one for each row."""
    first = np.asanyarray(results[0])
    buffer = np.zeros(shape + first.shape, first.dtype)
    for place, result in zip(np.ndindex(*shape), results, strict=True):
        buffer[(*place, ...)] = result
    outer, every = len(shape), list(range(buffer.ndim))
    return np.transpose(buffer, every[:axis] + every[outer:] + every[axis:outer])


def stack_plain(*items: Any) -> Any:
    """The numbers of a Python list, nested or not, as an array of the same shape."""
    return np.array(list(items))


def to_dtype_of(value: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """A value as it is after being written into an array of another shape or number type."""
    return np.broadcast_to(np.asarray(value), shape).astype(dtype)


def getitem(base: Any, index: Any) -> Any:
    return base[index]


def plain_sum(items: Any, start: Any = 0) -> Any:
    return sum(items, start)


def multi_max(*items: Any) -> Any:
    return max(items)


def multi_min(*items: Any) -> Any:
    return min(items)


def argsort_plain(*keys: Any, reverse: bool = False) -> tuple[int, ...]:
    """The order in which sorted() would put items with these keys."""
    return tuple(sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse))


def argmax_plain(*keys: Any) -> int:
    """Which item max() would choose by these keys."""
    return max(range(len(keys)), key=keys.__getitem__)


def argmin_plain(*keys: Any) -> int:
    """Which item min() would choose by these keys."""
    return min(range(len(keys)), key=keys.__getitem__)


def find(wanted: Any, *items: Any) -> int | None:
    """The first place where a number stands among others."""
    return next((place for place, item in enumerate(items) if item == wanted), None)


def count(wanted: Any, *items: Any) -> int:
    """How often a number stands among others."""
    return sum(1 for item in items if item == wanted)


def classes(*items: Any) -> tuple[int, ...]:
    """For each number the first place where an equal one stands: two lists with the same answer make like sets."""
    return tuple(items.index(item) for item in items)


def text_length(parts: Any, *values: Any) -> int:
    """How long a text is that is put together from literal pieces and (conversion, format) of one value each."""
    waiting = iter(values)
    return sum(len(p if type(p) is str else _formatted(next(waiting), *p)) for p in parts)


def _formatted(value: Any, conversion: int, spec: str) -> str:
    converts: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    convert = converts.get(conversion)
    return format(value if convert is None else convert(value), spec)


def part_of_number(name: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        return getattr(value, name)

    return call


def set_flat(base: Any, index: Any, value: Any) -> Any:
    """What ``base.flat[index] = value`` leaves."""
    out = duplicate(base)
    out.flat[index] = value
    return out


def tolist(array: Any) -> Any:
    """The numbers of an array, on their way to becoming Python's own."""
    return np.asarray(array, dtype=float) if array.dtype.kind == "f" else np.array(array)


def total(*items: Any) -> Any:
    """Python's sum() over arrays: they are added one after another."""
    return sum(items)


def size(array: Any, axis: int) -> int:
    """How many entries an array has along an axis."""
    return int(array.shape[axis])


def changed(change: Callable[..., Any]) -> Callable[..., Any]:
    """The array that an in-place NumPy call leaves, without changing the one it was given."""

    def call(base: Any, *args: Any, **kwargs: Any) -> Any:
        out = duplicate(base)
        change(out, *args, **kwargs)
        return out

    return call


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


def _python() -> None:
    for sign, name in OPERATORS.items():
        define(f"operator.{name}", OPERATOR_CALLS[sign], name, "x1 x2")
    for sign, change in INPLACE_CALLS.items():
        define(f"inplace.{OPERATORS[sign]}", without_change(change), OPERATORS[sign], "x1 x2")
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
    define("builtins.sum", plain_sum, "sum", "a start")
    define("builtins.max", multi_max, "max")
    define("builtins.min", multi_min, "min")
    define("recording.argsort", argsort_plain, "order")
    define("recording.argmax", argmax_plain, "order")
    define("recording.argmin", argmin_plain, "order")
    define("recording.total", total, "total")
    define("recording.classes", classes, "classes")
    define("numpy.size", np.size, "count", "a axis")
    define("recording.text_length", text_length, "text_length")
    for name in ("real", "imag", "numerator", "denominator"):
        define(f"number.{name}", part_of_number(name), name, "x")
    for kind, names in _NUMBER_METHODS.items():
        for name in names.split():
            define(f"{kind.__name__}.{name}", getattr(kind, name), name, "x")
    for name in _MATH.split():
        if hasattr(math, name):
            define(f"math.{name}", getattr(math, name), name, "x1 x2")
    for name in ("bisect_left", "bisect_right"):
        define(f"bisect.{name}", getattr(bisect, name), "searchsorted", "a x")
    define("recording.find", find, "find", "wanted")
    define("recording.count", count, "count", "wanted")
    define("recording.numbers", tolist, "tolist", "a", moves=True)
    define("changed.flat", set_flat, "put_at", "base index value", moves=True)
    define("recording.contains", contains, "contains", "container item")
    define("recording.raises", raises, "raises")
    define("recording.along_axis", along_axis, "along_axis", moves=True)
    define("recording.size", size, "size", "array axis")
    for name, parameters in _CHANGES.items():
        method = (hasattr(np.ndarray, name) and not hasattr(np, name)) or name == "sort"
        change = _change_method(name) if method else getattr(np, name)
        define(f"changed.{name}", changed(change), "sort" if name == "sort" else "put", parameters, moves=True)
    for ufunc in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        define(f"changed.{ufunc}_at", changed(getattr(np, ufunc).at), f"{ufunc}_at", "base indices values")
    for name, maker in {"c_": np.c_, "r_": np.r_}.items():
        define(f"numpy.{name}", maker.__getitem__, name, "arrays", moves=True)
    for (
        name
    ) in "float64 float32 float16 int64 int32 int16 int8 uint8 uint16 uint32 uint64 complex128 complex64 bool_".split():
        define(f"numpy.{name}", getattr(np, name), "cast", "value", moves=True)
    define("numpy.ix_", np.ix_, "ix_", moves=True)
    define("numpy.fromiter", np.fromiter, "array", "object dtype", moves=True)
    define("recording.put", put, "put", "base value index", moves=True)
    define("recording.put_flat", put_flat, "put_flat", "base value positions", moves=True)
    define("recording.take_flat", take_flat, "take_flat", "base positions strides", moves=True)
    define("recording.list", stack_plain, "list", moves=True)
    define("recording.cast", to_dtype_of, "cast", "value shape dtype", moves=True)
    define("recording.getitem", getitem, "getitem", "base index", moves=True)


_numpy()
_methods()
_python()

for _alias, _name in {"abs": "absolute", "concat": "concatenate", "pow": "power", "amax": "max", "amin": "min"}.items():
    if hasattr(np, _alias):
        BY_CALL.setdefault(getattr(np, _alias), BY_NAME[f"numpy.{_name}"])


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
