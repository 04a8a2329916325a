"""Functions of numbers, entry by entry, and conversions."""

from __future__ import annotations

import ast
from functools import partial

from workings.reading.formula.building import LOG, cases, exponential, fraction, is_matrix, power, product
from workings.reading.formula.calls import Call, Rule, options, rules
from workings.reading.formula.nodes import (
    Apply,
    Binary,
    Fenced,
    Fraction,
    Mark,
    Negative,
    Node,
    NoMathematicsError,
    Not,
    Number,
    Relation,
    Root,
    Subscript,
    Symbol,
)
from workings.reading.formula.symbols import operator
from workings.reading.formula.syntax import integer

INFINITY = Symbol(r"\infty", "∞")
MAX = operator("max", r"\max")
MIN = operator("min", r"\min")
_ONE = Number("1")

# Functions with a sign of their own in LaTeX, written without brackets where one simple argument follows.
_BARE = {
    "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "log": "log",
    "arcsin": "arcsin", "asin": "arcsin", "arccos": "arccos", "acos": "arccos", "arctan": "arctan", "atan": "arctan",
    "det": "det",
}  # fmt: skip
_NAMED = {
    "relu": "ReLU", "gelu": "GELU", "silu": "SiLU", "elu": "ELU", "leaky_relu": "LeakyReLU", "selu": "SELU",
    "layer_norm": "LayerNorm", "rms_norm": "RMSNorm", "batch_norm": "BatchNorm", "dropout": "Dropout",
    "scaled_dot_product_attention": "Attention", "cross_entropy": "CrossEntropy", "mse_loss": "MSE", "nll_loss": "NLL",
    "binary_cross_entropy": "BCE", "kl_div": "KL",
}  # fmt: skip
_SAME = (
    "copy clone detach item numpy contiguous tolist cpu cuda requires_grad ascontiguousarray from_numpy asfarray eval "
    "Parameter items values keys FloatTensor DoubleTensor fromiter matrix list tuple set"
)
# Conversions: what they are called, and the number type of those that are called after one.
_CONVERSIONS = {
    **dict.fromkeys(["astype", "to", "type", "type_as", "array", "asarray", "tensor", "as_tensor"], ""),
    "float": "float32", "half": "float16", "double": "float64", "single": "float32", "int": "int32", "long": "int64",
    "short": "int16", "bool_": "bool",
    **{name: name for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
                               "bool")},
}  # fmt: skip
_PLACES = ("cpu", "cuda", "mps")  # where numbers are held
_RELATIONS = {
    "greater": ">", "gt": ">", "greater_equal": ">=", "ge": ">=", "less": "<", "lt": "<", "less_equal": "<=",
    "le": "<=", "equal": "=", "eq": "=", "not_equal": "!=", "ne": "!=",
}  # fmt: skip
_SIGNS = {
    "add": "+", "subtract": "-", "sub": "-", "logical_and": "and", "bitwise_and": "and", "logical_or": "or",
    "bitwise_or": "or", "logical_xor": "xor", "mod": "mod", "remainder": "mod", "kron": "outer",
    "cross": "cross", "convolve": "convolve",
}  # fmt: skip


def _bare(name: str) -> Rule:
    return Rule(lambda call: Apply(operator(name, "\\" + name), (call.node(0),), bare=True), bare=name != "det")


def _named(call: Call) -> Node:
    return Apply(operator(_NAMED[call.name]), call.nodes() + options(call))


def _same(call: Call) -> Node | None:
    """The value itself. ``float("-inf")`` is the number it names."""
    value = call.arguments[0]
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        spelled = value.value.strip().lower()
        if call.name == "float" and spelled.lstrip("+-") in ("inf", "infinity"):
            return Negative(INFINITY) if spelled.startswith("-") else INFINITY
        raise NoMathematicsError
    if call.name in ("array", "asarray", "tensor", "matrix", "FloatTensor") and isinstance(value, ast.Tuple):
        return call.reader.read_list(value)
    return call.node(0)


def _converted(call: Call) -> Node | None:
    """A change of number type: the value itself, unless numbers may be others in the new type."""
    if call.origin == "bare" and call.name == "int":
        return Apply(operator("int"), (call.node(0),))
    value, found = _same(call), call.arguments[0]
    python = call.origin == "bare" and call.name == "float"
    written = python or isinstance(found, (ast.Constant, ast.List, ast.Tuple, ast.ListComp))
    kind, name = ("", "") if written else _type(call)
    return Apply(operator(name), (value,)) if value is not None and kind and _may_change(call, kind) else value


def _may_change(call: Call, kind: str) -> bool:
    types = call.reader.types
    return kind in types if types is not None else kind != "float64"


def _type(call: Call) -> tuple[str, str]:
    """The number type of a conversion, and what it is called; one that is not spelled out is the line's only one."""
    kind = _CONVERSIONS[call.name]
    if kind:
        return kind, kind
    asked = call.given(1, "dtype")
    spelled = _spelled(asked) if asked is not None else ""
    if asked is None or "device" in spelled or spelled.isdigit() or spelled.startswith(_PLACES):
        return "", ""
    if spelled in _CONVERSIONS:
        kind = {"int": "int64", "float": "float64"}.get(spelled, _CONVERSIONS[spelled])
        return kind, spelled if spelled == "int" else kind
    types = call.reader.types or ()
    (only,) = types if len(types) == 1 else ("",)
    return only, only


def _spelled(kind: ast.expr) -> str:
    if isinstance(kind, ast.Constant):
        return str(kind.value)
    return kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "")


def _exp(call: Call) -> Node:
    return exponential(call.node(0), call.reader.spelled_exp)


def _logarithm(call: Call) -> Node | None:
    if len(call.arguments) == 1:
        return Apply(LOG, (call.node(0),), bare=True)
    return Apply(Subscript(LOG, (call.node(1),), parameter=True), (call.node(0),), bare=True)


def _to_base(base: str) -> Rule:
    name = Subscript(LOG, (Number(base),), parameter=True)
    return Rule(lambda call: Apply(name, (call.node(0),), bare=True), bare=True)


def _binary(call: Call) -> Node:
    left, right = call.node(0), call.node(1)
    if "alpha" in call.keywords:
        right = product("*", call.reader.expression(call.keywords["alpha"]), right)
    return Binary(_SIGNS[call.name], left, right)


def _divided(call: Call) -> Node | None:
    """A quotient; PyTorch's may be rounded down, or towards zero."""
    quotient, rounding = fraction(*call.nodes()), call.keywords.get("rounding_mode")
    if rounding is None or _absent(rounding):
        return quotient
    word = rounding.value if isinstance(rounding, ast.Constant) else ""
    if word == "floor":
        return Fenced("floor", quotient)
    return Apply(operator("trunc"), (quotient,)) if word == "trunc" else None


def _relation(call: Call) -> Node:
    return Relation((call.node(0), call.node(1)), (_RELATIONS[call.name],))


def _choose(call: Call) -> Node | None:
    """``where(condition, a, b)``, and PyTorch's ``a.where(condition, b)``."""
    if len(call.arguments) != 3:
        return None
    first, second, otherwise = call.nodes()
    if call.origin == "method":
        first, second = second, first
    return cases(second, first, otherwise)


def _masked_fill(call: Call) -> Node:
    return cases(call.node(2), call.node(1), call.node(0))


def _clip(call: Call) -> Node | None:
    lowest, highest = call.given(1, "min", "a_min"), call.given(2, "max", "a_max")
    values = [call.node(0), *(call.reader.expression(end) for end in (lowest, highest) if end and not _absent(end))]
    if len(values) == 3:
        return Apply(operator("clip"), tuple(values))
    return Apply(MIN if lowest is None or _absent(lowest) else MAX, tuple(values)) if len(values) == 2 else None


def _absent(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _round(call: Call) -> Node:
    places = call.given(1, "decimals", "ndigits")
    name: Node = operator("round")
    if places is not None:
        name = Subscript(name, (call.reader.expression(places),), parameter=True)
    return Apply(name, (call.node(0),))


def _greatest(call: Call) -> Node:
    return Apply(MAX if "max" in call.name else MIN, call.nodes())


def _dot(call: Call) -> Node:
    """A dot product of vectors; NumPy's ``dot`` of matrices is their product."""
    left, right = call.nodes()
    if (is_matrix(left) or is_matrix(right)) and call.path[:1] != ("torch",):
        return product("@", left, right)
    return Binary("dot", left, right)


def _inner(call: Call) -> Node:
    """Dot products of the rows of one with the rows of the other."""
    left, right = call.nodes()
    if is_matrix(left) and is_matrix(right):
        return product("@", left, Mark(right, "transposed"))
    return Binary("dot", left, right)


def _linear(call: Call) -> Node:
    """``linear(x, W, b)``: the weights stand (out × in)."""
    bias = call.given(2, "bias")
    found = product("@", call.node(0), Mark(call.node(1), "transposed"))
    return found if bias is None or _absent(bias) else Binary("+", found, call.reader.expression(bias))


def _addmm(call: Call) -> Node:
    return Binary("+", call.node(0), product("@", call.node(1), call.node(2)))


def _fence(kind: str) -> Rule:
    return Rule(lambda call: Fenced(kind, call.node(0)), bare=True)


def _matrix_power(call: Call) -> Node:
    exponent = integer(call.arguments[1])
    return Mark(call.node(0), "inverse") if exponent == -1 else power(call.node(0), call.node(1))


_of_two = partial(Rule, least=2, most=2)
FUNCTION_RULES: dict[str, Rule] = {
    **{name: _bare(shown) for name, shown in _BARE.items()},
    **rules(_NAMED, Rule(_named, 1, 12, frozenset({"attn_mask", "is_causal", "scale", "dropout_p", "reduction", "p",
                                                  "label_smoothing", "ignore_index", "weight", "eps", "approximate",
                                                  "enable_gqa", "negative_slope", "normalized_shape", "alpha"}))),
    **rules(_SAME, Rule(_same, 1, 4, frozenset({"count", "args"}))),
    **rules("list tuple set", Rule(_same, 1, 4, bare=True)),
    **rules(_CONVERSIONS, Rule(_converted, 1, 4, frozenset({"count", "args"}))),
    **rules("float array tensor asarray int", Rule(_converted, 1, 4, bare=True)),
    **rules("relu", Rule(_named, bare=True)),
    **rules(_SIGNS, _of_two(_binary, keywords=frozenset({"alpha"}))),
    **rules(_RELATIONS, _of_two(_relation)),
    "sigmoid": Rule(lambda call: Apply(operator("sigmoid"), (call.node(0),)), bare=True),
    "exp": Rule(_exp, bare=True),
    "expm1": Rule(lambda call: Binary("-", _exp(call), _ONE), bare=True),
    "exp2": Rule(lambda call: power(Number("2"), call.node(0)), bare=True),
    "log": Rule(_logarithm, 1, 2, bare=True),
    "log2": _to_base("2"),
    "log10": _to_base("10"),
    "log1p": Rule(lambda call: Apply(LOG, (Binary("+", _ONE, call.node(0)),), bare=True), bare=True),
    "sqrt": Rule(lambda call: Root(call.node(0)), bare=True),
    "rsqrt": Rule(lambda call: Fraction(_ONE, Root(call.node(0)))),
    "reciprocal": Rule(lambda call: fraction(_ONE, call.node(0))),
    "square": Rule(lambda call: power(call.node(0), Number("2"))),
    "abs": _fence("abs"),
    "absolute": _fence("abs"),
    "fabs": _fence("abs"),
    "floor": _fence("floor"),
    "ceil": _fence("ceil"),
    **rules("neg negative", Rule(lambda call: Negative(call.node(0)))),
    **rules("logical_not bitwise_not invert", Rule(lambda call: Not(call.node(0)))),
    **rules("multiply mul", _of_two(lambda call: product("*", *call.nodes()))),
    **rules("divide div true_divide truediv", _of_two(_divided, keywords=frozenset({"rounding_mode"}))),
    "fmod": _of_two(lambda call: Apply(operator("fmod"), call.nodes())),
    **rules("floor_divide floordiv", _of_two(lambda call: Fenced("floor", fraction(*call.nodes())))),
    **rules("matmul mm bmm mv", _of_two(lambda call: product("@", *call.nodes()))),
    **rules("power pow float_power", _of_two(lambda call: power(*call.nodes()), bare=True)),
    **rules("maximum minimum fmax fmin", _of_two(_greatest)),
    **rules("dot vdot", _of_two(_dot)),
    "inner": _of_two(_inner),
    "outer": _of_two(lambda call: product("@", call.node(0), Mark(call.node(1), "transposed"))),
    "linear": Rule(_linear, 2, 3, frozenset({"bias"}), method=False),
    "addmm": Rule(_addmm, 3, 3),
    "where": Rule(_choose, 1, 3),
    "masked_fill": Rule(_masked_fill, 3, 3),
    **rules("clip clamp", Rule(_clip, 1, 3, frozenset({"min", "max", "a_min", "a_max"}))),
    "round": Rule(_round, 1, 2, frozenset({"decimals", "ndigits"}), bare=True),
    "trace": Rule(lambda call: Apply(operator("tr"), (call.node(0),), bare=True)),
    **rules("inv inverse", Rule(lambda call: Mark(call.node(0), "inverse"))),
    "pinv": Rule(lambda call: Mark(call.node(0), "pseudoinverse")),
    "solve": _of_two(lambda call: product("@", Mark(call.node(0), "inverse"), call.node(1)), method=False),
    "matrix_power": _of_two(_matrix_power),
    "embedding": _of_two(lambda call: Subscript(call.node(1), (call.node(0),)), method=False),
    "len": Rule(lambda call: Apply(operator("len"), (call.node(0),)), bare=True),
}  # fmt: skip
