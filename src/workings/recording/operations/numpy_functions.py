"""NumPy's functions and methods, each with the operation it means and the names of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workings.recording.operations.registry import ARRAY_METHODS, BY_CALL, BY_NAME, define

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
    "cross": "a b axisa axisb axisc axis",
    "trace": "a offset axis1 axis2",
    "cumsum": "a axis dtype out",
    "cumprod": "a axis dtype out",
    "diff": "a n axis prepend append",
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
    "cumulative_sum": "a axis dtype",
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
    "cumulative_sum": "cumsum",
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
            define(f"numpy.{name}", getattr(np, name), _MEANINGS.get(name, name), parameters)
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
        "cross": "a b",
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


def fill() -> None:
    """Enter NumPy's functions in the table."""
    _numpy()
    _methods()
    for alias, name in _ALIASES.items():
        if hasattr(np, alias):
            BY_CALL.setdefault(getattr(np, alias), BY_NAME[f"numpy.{name}"])


_ALIASES = {"abs": "absolute", "concat": "concatenate", "pow": "power", "amax": "max", "amin": "min"}
