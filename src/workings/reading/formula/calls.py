"""Calls taken apart: what is called, from where, with which arguments; and how an unknown function is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TYPE_CHECKING

from workings.frozen import frozen
from workings.reading.formula.nodes import Apply, Node, NoMathematicsError, Relation, Subscript, Words
from workings.reading.formula.symbols import operator, symbol
from workings.reading.formula.syntax import dotted, integer

if TYPE_CHECKING:
    from workings.reading.formula.expressions import Translator

MODULES = {
    "np", "numpy", "torch", "F", "math", "cmath", "nn", "functional", "jnp", "jax", "scipy", "special", "linalg",
    "statistics", "operator", "cp", "mx", "xp", "optim", "la", "LA",
}  # fmt: skip
_ELSEWHERE = {"json", "os", "sys", "re", "plt", "logging", "warnings", "time", "datetime", "pd", "ax", "fig", "pathlib"}
# PyTorch's methods that change their object end in an underscore.
IN_PLACE = re.compile(r"^(?!ix_$)[a-z][a-z0-9]*(_[a-z0-9]+)*_$")
# Options that say how a result is stored or computed, not what it is.
SILENT = {
    "dtype", "device", "keepdims", "keepdim", "requires_grad", "inplace", "copy", "order", "casting", "subok", "out",
    "memory_format", "non_blocking", "ndmin", "layout", "like", "strict", "generator", "training", "retain_graph",
    "create_graph", "set_to_none", "need_weights", "average_attn_weights",
}  # fmt: skip
_UFUNC_METHODS = {"reduce", "accumulate", "outer", "at", "reduceat"}
# Functions that say things, keep things or run things; and methods that do, where a function of the same name may not.
_NOT_MATHEMATICS = {
    "Counter", "Generator", "allclose", "bytes", "callable", "chr", "compile", "dataclass", "default_rng",
    "defaultdict", "deque", "dict", "dir", "empty_like", "enable_grad", "eval", "exec", "field", "format",
    "from_pretrained", "getattr", "hasattr", "hash", "id", "input", "is_available", "isinstance", "issubclass",
    "iter", "manual_seed", "namedtuple", "next", "no_grad", "open", "ord", "perf_counter", "print", "repr",
    "set_printoptions", "setattr", "str", "super", "type", "vars",
}  # fmt: skip
_METHODS_APART = {
    "append", "backward", "choice", "clear", "close", "decode", "encode", "endswith", "extend", "format", "insert",
    "join", "load_state_dict", "lower", "named_parameters", "parameters", "pop", "popleft", "read", "readlines",
    "register_buffer", "register_forward_hook", "register_hook", "remove", "retain_grad", "save_for_backward", "seed",
    "seek", "setdefault", "shuffle", "sort", "startswith", "state_dict", "step", "strip", "time", "update", "upper",
    "write", "zero_grad",
}  # fmt: skip


@frozen
class Call:
    """A call: for a method, its object is the first argument.

    ``origin`` is ``bare`` for a plain name, ``module`` for a function of a known library, ``method`` for a method of a
    value, ``own`` for one of ``self``, ``class`` for one of a class, ``value`` where what is called is
    itself an expression.
    """

    reader: Translator
    name: str
    origin: str
    path: tuple[str, ...]
    function: ast.expr
    arguments: tuple[ast.expr, ...]
    keywords: dict[str, ast.expr] = field(default_factory=dict)

    def node(self, position: int) -> Node:
        return self.reader.expression(self.arguments[position])

    def nodes(self, start: int = 0) -> tuple[Node, ...]:
        return self.reader.expressions(self.arguments[start:])

    def given(self, position: int, *names: str) -> ast.expr | None:
        """An argument by its position or one of its names."""
        if 0 < position < len(self.arguments):
            return self.arguments[position]
        return next((self.keywords[name] for name in names if name in self.keywords), None)

    def fits(self, rule: Rule) -> bool:
        starred = any(isinstance(argument, ast.Starred) for argument in self.arguments)
        if starred and not rule.starred:
            return False
        known = set(self.keywords) <= rule.keywords | SILENT
        return known and rule.least <= len(self.arguments) <= rule.most


@frozen
class Rule:
    """How calls of one name are written; ``read`` returns None where this call is not of that kind.

    A user may well have a function of the same name with another meaning: ``bare`` rules hold for a plain name all the
    same, the others only for functions of the libraries and, unless ``method`` is false, for methods of values.
    """

    read: Callable[[Call], Node | None]
    least: int = 1
    most: int = 1
    keywords: frozenset[str] = frozenset()
    bare: bool = False
    starred: bool = False
    method: bool = True

    @property
    def origins(self) -> tuple[str, ...]:
        return ("module",) + ("method",) * self.method + ("bare",) * self.bare


def rules(names: str | Iterable[str], rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(names.split() if isinstance(names, str) else names, rule)


def resolve(reader: Translator, node: ast.Call) -> Call:
    """What ``node`` calls. Raises where keyword arguments come out of a dictionary."""
    keywords: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise NoMathematicsError
        keywords[keyword.arg] = keyword.value
    function, arguments = node.func, tuple(node.args)
    path = dotted(function)
    name = function.attr if isinstance(function, ast.Attribute) else ""
    name = name[:-1] if IN_PLACE.match(name) else name
    if isinstance(function, ast.Name):
        return Call(reader, function.id, "bare", path, function, arguments, keywords)
    if not isinstance(function, ast.Attribute):
        return Call(reader, "", "value", path, function, arguments, keywords)
    if path and path[0] in MODULES:
        name = ".".join(path[-2:]) if path[-1] in _UFUNC_METHODS and len(path) > 2 else name
        if _constructs(path):
            raise NoMathematicsError
        return Call(reader, name, "module", path, function, arguments, keywords)
    if len(path) == 2 and path[0] in ("self", "cls"):
        return Call(reader, name, "own", path, function, arguments, keywords)
    if path and path[0] in _ELSEWHERE:
        raise NoMathematicsError
    if len(path) == 2 and re.fullmatch(r"[A-Z]\w*[a-z]\w+", path[0]):
        return Call(reader, ".".join(path), "class", path, function, arguments, keywords)
    return Call(reader, name, "method", path, function, (function.value, *arguments), keywords)


def _constructs(path: tuple[str, ...]) -> bool:
    """Whether a layer or an optimiser is made, which is no computation yet."""
    made = path[-1][:1].isupper() and ("nn" in path or "optim" in path)
    return made and path[-1] != "Parameter"


def unknown(call: Call) -> Node:
    """A function by its own name, its arguments in brackets."""
    if call.name in _NOT_MATHEMATICS or (call.origin in ("method", "own") and call.name in _METHODS_APART):
        raise NoMathematicsError
    arguments = call.arguments
    if call.origin == "value":
        function = _value(call)
    elif call.origin == "method" and (len(arguments) == 1 or not call.path):
        function = operator(call.name)
    elif call.origin == "method":
        path = call.path[1:-1] if call.path[0] in ("self", "cls") else call.path[:-1]
        function, arguments = operator(".".join((*path, call.name))), arguments[1:]
    else:
        function = named(call)
    return Apply(function, call.reader.expressions(arguments) + options(call))


def named(call: Call) -> Node:
    """The name of a function: W_q and φ as symbols, anything else as an operator."""
    shown = symbol(call.name, call.reader.symbols)
    letters = call.name in call.reader.symbols or bool(shown.indices) or (len(call.name) > 1 and not shown.wide)
    return shown if letters and not shown.wide else operator(call.name)


def _value(call: Call) -> Node:
    """What is called where it is an expression: the layer of ``nn.SiLU()(x)``, ``layers[0]``."""
    function = call.function
    if isinstance(function, ast.Call):
        path = dotted(function.func)
        if path and path[0] in MODULES:
            axes = [words for name in ("dim", "axis") if (words := axis_words(function, name))]
            settings = call.reader.expressions(function.args) + tuple(axes)
            return Subscript(operator(path[-1]), settings, parameter=True) if settings else operator(path[-1])
    return call.reader.expression(function)


def axis_words(call: ast.Call, name: str) -> Words | None:
    """An axis given by a keyword, in words."""
    axis = next((integer(keyword.value) for keyword in call.keywords if keyword.arg == name), None)
    return None if axis is None else Words(axis_name(axis))


def axis_name(axis: int) -> str:
    """What a reduction along an axis goes by: for a matrix, -1 is row by row and 0 column by column."""
    return {-1: "row", 0: "column"}.get(axis, f"axis {axis}")


def options(call: Call) -> tuple[Node, ...]:
    """Keyword arguments that say what is computed, as ``name = value``."""
    found: list[Node] = []
    for name, value in call.keywords.items():
        if name in SILENT:
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            shown: Node = Words(value.value)
        else:
            shown = call.reader.expression(value)
        found.append(Relation((Words(name), shown), ("=",), statement=True))
    return tuple(found)
