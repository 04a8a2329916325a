"""Functions of whole arrays: reductions along an axis, changes of shape, joining, making, and indexed sums."""

from __future__ import annotations

import ast
from functools import reduce

from workings.reading.formula_building import DOTS, LOG, SUM, chain, exponential, one_less, product
from workings.reading.formula_calls import Call, Rule, axis_name, integer, rules
from workings.reading.formula_functions import MAX, MIN
from workings.reading.formula_nodes import (
    Apply,
    Big,
    Binary,
    Each,
    Fenced,
    Mark,
    Matrix,
    NoMathematicsError,
    Node,
    Number,
    Of,
    Power,
    Sequence,
    Subscript,
    Symbol,
    Words,
)
from workings.reading.formula_symbols import operator

PRODUCT = Symbol(r"\prod", "Π", operator=True)
_AXIS = frozenset({"axis", "dim"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


# -- reductions -----------------------------------------------------------------------------------------------------


def axis_label(call: Call, position: int) -> tuple[Node, ...] | None:
    """Along what a reduction runs: nothing for all entries, or a few words. None where it is not an axis at all."""
    axis = call.given(position, "axis", "dim")
    if axis is None or (isinstance(axis, ast.Constant) and axis.value is None):
        return ()
    number = integer(axis)
    if number is not None:
        return (Words(axis_name(number)),)
    if isinstance(axis, (ast.Tuple, ast.List)) and axis.elts:
        numbers = [integer(each) for each in axis.elts]
        return None if None in numbers else (Words("axes " + ", ".join(map(str, numbers))),)
    name = getattr(axis, "id", "")
    return (Words(name),) if name in ("axis", "dim", "axes", "dims") else None


def along(name: Node, label: tuple[Node, ...]) -> Node:
    return Subscript(name, label, parameter=True) if label else name


def _summed(call: Call) -> Node | None:
    """A sum or product over a comprehension, over an axis, over everything."""
    sign = PRODUCT if call.name in ("prod", "nanprod") else SUM
    argument = call.arguments[0]
    whole = call.node(0)
    over = isinstance(argument, _COMPREHENSIONS) and isinstance(whole, Each) and not call.keywords.keys() & _AXIS
    total = Big(sign, whole.bounds, whole.body) if over and isinstance(whole, Each) else Big(sign, (), whole)
    if call.origin == "bare":
        start = call.given(1, "start")
        return total if start is None else Binary("+", call.reader.expression(start), total)
    if over:
        return total
    label = axis_label(call, 1)
    return None if label is None else Big(sign, label, whole)


def _extreme(call: Call) -> Node | None:
    """The largest or smallest: of several values, over a comprehension, along an axis."""
    sign = MAX if "max" in call.name else MIN
    argument = call.arguments[0]
    if "key" in call.keywords:
        raise NoMathematicsError
    if isinstance(argument, _COMPREHENSIONS):
        each = call.reader.expression(argument)
        return Big(sign, each.bounds, each.body) if isinstance(each, Each) and len(call.arguments) == 1 else None
    label = axis_label(call, 1) if call.origin != "bare" else None
    if label is None or (call.origin == "bare" and len(call.arguments) > 1):
        return Apply(sign, call.nodes(), bare=True)
    return Apply(along(sign, label), (call.node(0),), bare=True)


_STATISTICS = {
    "mean": (operator("μ", r"\mu"), operator("mean")),
    "nanmean": (operator("μ", r"\mu"), operator("mean")),
    "fmean": (operator("μ", r"\mu"), operator("mean")),
    "var": (Symbol(r"\sigma^2", "σ²", operator=True, raised=True), operator("var")),
    "std": (operator("σ", r"\sigma"), operator("std")),
}


def _statistic(call: Call) -> Node | None:
    label = axis_label(call, 1)
    if label is None:
        return None
    divisor = _divisor(call)
    name = _STATISTICS[call.name][1 if call.reader.spelled else 0]
    return Apply(along(name, label + ((Words(f"over {divisor}"),) if divisor else ())), (call.node(0),))


def _divisor(call: Call) -> str:
    """What a variance is divided by, wherever the source says so."""
    if call.name not in ("var", "std"):
        return ""
    given = next((call.keywords[name] for name in ("ddof", "correction", "unbiased") if name in call.keywords), None)
    if not isinstance(given, ast.Constant):
        return "n - 1" if given is None and call.path[:1] == ("torch",) else ""
    return "n - 1" if given.value in (1, True) else "n"


def _along(shown: str, bare: bool = False, most: int = 2) -> Rule:
    """A function that works along an axis and keeps its name."""

    def read(call: Call) -> Node | None:
        label = axis_label(call, 1)
        name = along(operator(shown), label or ())
        return None if label is None else Apply(name, (call.node(0),), bare=bare)

    return Rule(read, 1, most, _AXIS)


def _log_sum_exp(call: Call) -> Node | None:
    label = axis_label(call, 1)
    if label is None:
        return None
    return Apply(LOG, (Big(SUM, label, exponential(call.node(0), call.reader.spelled_exp)),), bare=True)


def _norm(call: Call) -> Node | None:
    order, label = call.given(1, "ord", "p"), axis_label(call, 2)
    if label is None:
        return None
    kind: tuple[Node, ...] = ()
    if isinstance(order, ast.Constant) and isinstance(order.value, str):
        kind = (Words("F" if order.value == "fro" else order.value),)
    elif order is not None and not (isinstance(order, ast.Constant) and order.value is None):
        kind = (call.reader.expression(order),)
    size = Fenced("norm", call.node(0))
    return Subscript(size, kind + label, parameter=True) if kind + label else size


# -- shapes ---------------------------------------------------------------------------------------------------------


def _transposed(call: Call) -> Node:
    """Transposing the last two axes is the matrix transpose; other axes are named."""
    axes = [integer(axis) for axis in call.arguments[1:]]
    if call.name in ("t", "adjoint") or not axes or sorted(map(str, axes)) == ["-1", "-2"]:
        return Mark(call.node(0), "transposed")
    return _reshaped(call)


_PARAMETERS = _AXIS | {"shape", "reps", "axes", "k", "diagonal", "dims", "shifts", "offset"}


def _reshaped(call: Call) -> Node:
    """A new shape or order of axes, as a parameter beside the function's name."""
    name: Node = operator(call.name)
    rest = list(call.arguments[1:])
    if len(rest) == 1 and isinstance(rest[0], (ast.Tuple, ast.List)):
        rest = list(rest[0].elts)
    rest += [value for key, value in call.keywords.items() if key in _PARAMETERS - _AXIS]
    sized = call.name in ("reshape", "view", "expand", "broadcast_to", "repeat", "tile")
    items = tuple(
        Symbol(r"\ast", "*") if sized and integer(each) == -1 else node
        for each in rest
        for node in call.reader.expressions([each])
    )
    parameters = (chain("cross", items),) if items and sized else items
    parameters += tuple(axis_label(call, len(call.arguments)) or ()) if call.keywords.keys() & _AXIS else ()
    if parameters:
        name = Subscript(name, parameters, parameter=True)
    return Apply(name, (call.node(0),))


def _size(call: Call) -> Node:
    if len(call.arguments) == 1 and not call.keywords:
        return Of("shape of", call.node(0))
    axis = call.given(1, "dim")
    if axis is None:
        raise NoMathematicsError
    return call.reader.size(call.node(0), axis)


# -- joining --------------------------------------------------------------------------------------------------------

_SIDE_BY_SIDE = {"hstack", "column_stack"}


def _joined(call: Call) -> Node:
    """Arrays beside each other, above each other, or one after the other where the axis leaves that open."""
    listed, name = call.arguments[0], call.name
    word = operator("Stack" if "stack" in name else "Concat")
    label = axis_label(call, 1)
    if not isinstance(listed, (ast.List, ast.Tuple)):
        return Apply(along(word, label or ()), (call.node(0),))
    items = call.reader.expressions(listed.elts)
    given = call.given(1, "axis", "dim")
    axis = integer(given) if given is not None else 0
    if name in _SIDE_BY_SIDE or (name in ("concatenate", "cat", "concat") and axis in (-1, 1)):
        return Sequence(items, "[", "|")
    if name in ("vstack", "row_stack") or (name == "stack" and axis == 0):
        return Matrix(tuple((item,) for item in items))
    return Apply(along(word, (label or ()) if given is not None else ()), items)


def _appended(call: Call) -> Node:
    return Apply(operator("Concat"), call.nodes())


# -- making ---------------------------------------------------------------------------------------------------------


def shape_node(call: Call, start: int = 0) -> Node | None:
    """The shape a maker of arrays is given, ``n × d``; None where it is another array's."""
    sizes = list(call.arguments[start:]) or [each for key, each in call.keywords.items() if key in ("shape", "size")]
    if len(sizes) == 1:
        if isinstance(sizes[0], (ast.Tuple, ast.List)):
            sizes = list(sizes[0].elts)
        elif isinstance(sizes[0], ast.Attribute) and sizes[0].attr == "shape":
            return None
    if not sizes:
        return None
    return chain("cross", call.reader.expressions(sizes))


def _filled(latex: str, text: str) -> Rule:
    def read(call: Call) -> Node:
        symbol = Symbol(rf"\mathbf{{{latex}}}", text, matrix=True)
        shape = None if call.name.endswith("_like") else shape_node(call)
        return Subscript(symbol, (shape,), parameter=True) if shape else symbol

    return Rule(read, 0, 9, frozenset({"shape", "size"}), starred=True, method=False)


def _full(call: Call) -> Node:
    value: Node = Sequence((call.node(1),), "[")
    if call.name == "full_like":
        return value
    sizes = call.arguments[0]
    shape = call.reader.expressions(sizes.elts if isinstance(sizes, (ast.Tuple, ast.List)) else [sizes])
    return Subscript(value, (chain("cross", shape),), parameter=True)


def _identity(call: Call) -> Node:
    return Subscript(Symbol("I", "I", matrix=True), (chain("cross", call.nodes()),), parameter=True)


def _empty(call: Call) -> Node:
    shape = shape_node(call)
    if shape is None:
        raise NoMathematicsError
    return Power(Symbol(r"\mathbf{R}", "ℝ"), shape)


def _counted(call: Call) -> Node | None:
    """Whole numbers in a row: 0, 1, …, n − 1."""
    ends = call.nodes()
    if len(ends) > 2:
        return None
    first = ends[0] if len(ends) == 2 else Number("0")
    if len(ends) == 1 and isinstance(call.arguments[0], ast.Constant) and type(call.arguments[0].value) is not int:
        return None
    return Sequence((first, DOTS, one_less(ends[-1])), "(")


_DRAWN = {"randn": "N", "normal": "N", "standard_normal": "N", "rand": "U", "uniform": "U", "random": "U"}


def _drawn(call: Call) -> Node | None:
    """Random numbers as the distribution they come from, the normal one with its variance."""
    if call.origin == "module" and "random" not in call.path and call.path[0] != "torch":
        return None
    letter = "U" if call.name.startswith(("rand_", "uniform")) or call.name in ("rand", "random") else "N"
    spread = call.name in ("normal", "uniform")
    rest = call.arguments[1 if call.origin == "method" else 0 :]
    first = call.reader.expressions(rest[:2]) if spread and len(rest) >= 2 else (Number("0"), Number("1"))
    for place, names in enumerate((("loc", "mean", "low"), ("scale", "std", "high"))):
        given = next((call.keywords[name] for name in names if name in call.keywords), None)
        if given is not None:
            first = (*first[:place], call.reader.expression(given), *first[place + 1 :])
    if letter == "N" and first[1] not in (Number("1"), Number("1.0")):
        first = (first[0], Power(first[1], Number("2")))
    source = Apply(Symbol(rf"\mathcal{{{letter}}}", letter, operator=True), first)
    if call.name.endswith("_like"):
        return source
    taken = 2 if spread else 0
    shape = shape_node(call, taken + (1 if call.origin == "method" else 0))
    return Power(source, shape) if shape else source


# -- indexed sums ---------------------------------------------------------------------------------------------------


def einsum_indices(specification: str) -> tuple[list[str], str] | None:
    """The indices of each operand and of the result; None where this is not the usual notation."""
    inputs, arrow, output = specification.replace(" ", "").replace("...", ".").partition("->")
    operands = inputs.split(",")
    letters = [letter for letter in "".join(operands) if letter != "."]
    if not all(letter.isalpha() for letter in letters) or not set(output) <= {*letters, "."}:
        return None
    if not arrow:
        output = ("." if "." in inputs else "") + "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    return operands, output


def index_symbols(letters: str) -> tuple[Node, ...]:
    return tuple(DOTS if letter == "." else Symbol(letter, letter) for letter in letters)


def _einsum(call: Call) -> Node | None:
    """``einsum("ij,kj->ik", Q, K)``: the sum over every index that the result does not have."""
    specification = call.arguments[0]
    if not (isinstance(specification, ast.Constant) and isinstance(specification.value, str)):
        return None
    found = einsum_indices(specification.value)
    if found is None or len(found[0]) != len(call.arguments) - 1:
        raise NoMathematicsError
    operands, output = found
    factors = tuple(
        Subscript(node, index_symbols(letters)) if letters else node
        for node, letters in zip(call.nodes(1), operands, strict=True)
    )
    summed = "".join(dict.fromkeys(letter for letter in "".join(operands) if letter not in output and letter != "."))
    body = reduce(lambda left, right: product("*", left, right), factors)
    return Big(SUM, index_symbols(summed), body) if summed else body


ARRAY_RULES: dict[str, Rule] = {
    **rules("sum nansum prod nanprod", Rule(_summed, 1, 2, _AXIS | {"start"}, bare=True)),
    **rules("max min amax amin nanmax nanmin", Rule(_extreme, 1, 9, _AXIS | {"key"}, bare=True)),
    **rules(_STATISTICS, Rule(_statistic, 1, 2, _AXIS | {"ddof", "correction", "unbiased"})),
    **{name: _along(name) for name in ("median", "any", "all", "cumsum", "cumprod", "argsort", "sort", "quantile")},
    **{name: _along(name, bare=True) for name in ("argmax", "argmin")},
    **{name: _along(name) for name in ("softmax", "log_softmax", "softmin")},
    "logsumexp": Rule(_log_sum_exp, 1, 2, _AXIS),
    "norm": Rule(_norm, 1, 3, _AXIS | {"ord", "p"}),
    **rules("transpose swapaxes swapdims t adjoint", Rule(_transposed, 1, 9, frozenset({"axes"}), starred=True)),
    **rules(
        "reshape view permute moveaxis movedim squeeze unsqueeze expand_dims flatten ravel repeat tile expand "
        "broadcast_to roll flip chunk split repeat_interleave tril triu diag narrow unbind select",
        Rule(_reshaped, 1, 9, _PARAMETERS, starred=True),
    ),
    "size": Rule(_size, 1, 2, frozenset({"dim"})),
    **rules("concatenate cat concat stack hstack vstack column_stack row_stack", Rule(_joined, 1, 2, _AXIS, method=False)),
    "append": Rule(_appended, 2, 2, method=False),
    **rules("zeros zeros_like", _filled("0", "0")),
    **rules("ones ones_like", _filled("1", "1")),
    **rules("full full_like", Rule(_full, 2, 2, method=False)),
    **rules("eye identity", Rule(_identity, 1, 2, method=False)),
    "empty": Rule(_empty, 0, 9, frozenset({"shape", "size"}), starred=True, method=False),
    "arange": Rule(_counted, 1, 3, method=False),
    **rules(_DRAWN, Rule(_drawn, 0, 9, frozenset({"size", "shape", "loc", "scale", "low", "high", "mean", "std"}))),
    "einsum": Rule(_einsum, 2, 9, bare=True, method=False),
}
