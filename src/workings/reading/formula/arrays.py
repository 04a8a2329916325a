"""Functions of whole arrays: changes of shape, joining, making, and indexed sums."""

from __future__ import annotations

import ast
from functools import reduce

from workings.reading.formula.building import DOTS, SUM, chain, one_less, product
from workings.reading.formula.calls import Call, Rule, rules
from workings.reading.formula.nodes import (
    Apply,
    Big,
    Mark,
    Matrix,
    Node,
    NoMathematicsError,
    Number,
    Of,
    Power,
    Sequence,
    Subscript,
    Symbol,
    Words,
)
from workings.reading.formula.reductions import AXIS
from workings.reading.formula.symbols import operator
from workings.reading.formula.syntax import integer, name_of

# -- shapes ---------------------------------------------------------------------------------------------------------


def _transposed(call: Call) -> Node:
    """Transposing the last two axes is the matrix transpose; other axes are named."""
    axes = [integer(axis) for axis in call.arguments[1:]]
    last_two = sorted(map(str, axes)) == ["-1", "-2"]
    if call.name in ("t", "adjoint") or last_two or not (axes or call.keywords):
        return Mark(call.node(0), "transposed")
    return _reshaped(call)


_PARAMETERS = AXIS | {"shape", "reps", "axes", "k", "diagonal", "dims", "shifts", "offset"}


def _reshaped(call: Call) -> Node:
    """A new shape or order of axes, as a parameter beside the function's name."""
    if call.name == "split" and len(call.arguments) == 1:
        raise NoMathematicsError  # a string's method
    name: Node = operator(call.name)
    rest = list(call.arguments[1:])
    if len(rest) == 1 and isinstance(rest[0], (ast.Tuple, ast.List)):
        rest = list(rest[0].elts)
    rest += [value for key, value in call.keywords.items() if key in _PARAMETERS - AXIS]
    sized = call.name in ("reshape", "view", "expand", "broadcast_to", "repeat", "tile")
    items = tuple(
        Symbol(r"\ast", "*") if sized and integer(each) == -1 else node
        for each in rest
        for node in call.reader.expressions([each])
    )
    parameters = (chain("cross", items),) if items and sized else items
    parameters += tuple(_axis(call, value) for key, value in call.keywords.items() if key in AXIS)
    if parameters:
        name = Subscript(name, parameters, parameter=True)
    return Apply(name, (call.node(0),))


def _axis(call: Call, axis: ast.expr) -> Node:
    number = integer(axis)
    return call.reader.expression(axis) if number is None else Words(f"axis {number}")


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
    given = call.given(1, "axis", "dim")
    axis = integer(given) if given is not None else 0
    word: Node = operator("Stack" if "stack" in name else "Concat")
    if given is not None and axis != (0 if "stack" in name else -1):
        word = Subscript(word, (_axis(call, given),), parameter=True)
    if not isinstance(listed, (ast.List, ast.Tuple)):
        return Apply(word, (call.node(0),))
    items = call.reader.expressions(listed.elts)
    if name in _SIDE_BY_SIDE or (name in ("concatenate", "cat", "concat") and axis in (-1, 1)):
        return Sequence(items, "[", "|")
    if name in ("vstack", "row_stack") or (name == "stack" and axis == 0):
        return Matrix(tuple((item,) for item in items))
    return Apply(word, items)


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
    return Subscript(value, (chain("cross", shape),), parameter=True) if shape else value


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


_UNIFORM = {"rand", "rand_like", "uniform", "random"}
_NORMAL = {"randn", "randn_like", "normal", "standard_normal"}
_GENERATORS = {"rng", "random", "generator", "gen"}


def _draws(call: Call) -> bool:
    """Whether a call of one of these names comes from a generator, and is not somebody's ``plane.normal(x)``."""
    if call.path[:1] == ("torch",) or _GENERATORS & set(call.path[:-1]):
        return True
    source = call.arguments[0] if call.origin == "method" else None
    made = isinstance(source, ast.Call) and name_of(source) in ("default_rng", "RandomState")
    return made or (isinstance(call.function, ast.Attribute) and call.function.attr.endswith("_"))


def _drawn(call: Call) -> Node | None:
    """Random numbers as the distribution they come from, the normal one with its variance."""
    if not _draws(call):
        return None
    letter = "U" if call.name in _UNIFORM else "N"
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


def _taken(call: Call) -> Node:
    """Rows looked up by number; along another axis it is named like any other rearrangement."""
    axis = call.keywords.get("axis")
    if axis is not None and integer(axis) != 0:
        return _reshaped(call)
    return Subscript(call.node(0), (call.node(1),))


ARRAY_RULES: dict[str, Rule] = {
    **rules(
        "transpose matrix_transpose permute_dims swapaxes swapdims t adjoint",
        Rule(_transposed, 1, 9, frozenset({"axes"}), starred=True),
    ),
    **rules(
        "reshape view permute moveaxis movedim squeeze unsqueeze expand_dims flatten ravel repeat tile expand "
        "broadcast_to roll flip chunk split repeat_interleave tril triu diag narrow unbind select",
        Rule(_reshaped, 1, 9, _PARAMETERS, starred=True),
    ),
    "size": Rule(_size, 1, 2, frozenset({"dim"})),
    **rules(
        "concatenate cat concat stack hstack vstack column_stack row_stack", Rule(_joined, 1, 2, AXIS, method=False)
    ),
    "take": Rule(_taken, 2, 2, frozenset({"axis"}), method=False),
    "append": Rule(_appended, 2, 2, method=False),
    **rules("zeros zeros_like", _filled("0", "0")),
    **rules("ones ones_like", _filled("1", "1")),
    **rules("full full_like", Rule(_full, 2, 2, method=False)),
    **rules("eye identity", Rule(_identity, 1, 2, method=False)),
    "empty": Rule(_empty, 0, 9, frozenset({"shape", "size"}), starred=True, method=False),
    "arange": Rule(_counted, 1, 3, method=False),
    **rules(
        _UNIFORM | _NORMAL,
        Rule(_drawn, 0, 9, frozenset({"size", "shape", "loc", "scale", "low", "high", "mean", "std"})),
    ),
    "einsum": Rule(_einsum, 2, 9, bare=True, method=False),
}
