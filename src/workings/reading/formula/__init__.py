"""One statement of a program as the formula a person would write on a board.

    >>> formula("S = Q @ K.T / np.sqrt(d_k)").text
    'S = Q Kᵀ / √d_k'

Only the source text is read: nothing is run, and a name means what it usually means (``np`` is NumPy, a capital letter
is a matrix). Axis -1 is said as "row", axis 0 as "column", as for a matrix; a value that replaces itself gets an arrow.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from workings.frozen import frozen
from workings.reading.formula.arrays import einsum_indices, index_symbols
from workings.reading.formula.building import cases
from workings.reading.formula.calls import IN_PLACE, resolve
from workings.reading.formula.expressions import Translator
from workings.reading.formula.functions import MAX
from workings.reading.formula.latex import LatexPrinter
from workings.reading.formula.nodes import (
    Apply,
    Node,
    NoMathematicsError,
    Number,
    Power,
    Relation,
    Sequence,
    Subscript,
    Symbol,
    Words,
    walk,
)
from workings.reading.formula.symbols import clean, escape, operator
from workings.reading.formula.syntax import depth, name_of, names, pairs_with_places
from workings.reading.formula.text import TextPrinter

if TYPE_CHECKING:
    from workings.reading.formula.marking import About

DEEPEST = 80  # levels of nesting beyond which nobody would write a formula, and the source is shown instead
LONGEST = 200_000  # characters; a longer statement is data, and would take seconds to read


@frozen
class Formula:
    """A statement as mathematics.

    Attributes:
        latex: LaTeX for a displayed formula, without the dollars; needs amsmath.
        text: the same on one line of Unicode.
        tree: what both were written from; None where it is the source itself.
    """

    latex: str
    text: str
    tree: Node | None = None

    def mathml(self, made: Mapping[str, About] | None = None, read: Mapping[str, About] | None = None) -> str:
        """The formula as a ``<math>`` element, for a page without JavaScript.

        Args:
            made: for names of the program that the statement defines, what their symbols carry as ``data-`` attributes.
            read: the same for names that it reads.
        """
        from workings.reading.formula.marking import formula_mathml

        return formula_mathml(self.latex, self.tree, made or {}, read or {})


def formula(
    text: str, symbols: Mapping[str, str] | None = None, types: Collection[str] | None = None
) -> Formula | None:
    """The formula of one Python statement, or None where it has no mathematics to show.

    Args:
        text: the statement's source, as it stands in the program.
        symbols: LaTeX for some of its variables, such as ``{"scores": "S", "W_Q": "W^Q"}``.
        types: the number types in which it writes numbers that they may not hold; a conversion to another one is the
            value itself. Without them, every conversion is taken for one of these, but to float64.

    A statement nested too deeply to read as a formula comes back as its own source.
    """
    source = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(source) > LONGEST:
        return None
    try:
        parsed = _parse(source)
        if parsed is None or not isinstance(parsed[1], _STATEMENTS):
            return None
        if depth(parsed[1]) > DEEPEST:
            return _verbatim(source)
        node = _statement(Translator(parsed[0], symbols or {}, names(parsed[1]), types), parsed[1])
        return Formula(LatexPrinter().show(node), TextPrinter().show(node), node)
    except (RecursionError, MemoryError):
        return _verbatim(source)
    except NoMathematicsError:
        return None


_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


def _parse(source: str) -> tuple[str, ast.stmt] | None:
    """The one statement of ``source`` with the text its positions refer to; lines may lack their brackets."""
    for candidate in (source, f"(\n{source}\n)"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(candidate).body
        except (SyntaxError, ValueError):
            continue
        return (candidate, body[0]) if len(body) == 1 else None
    return None


def _verbatim(source: str) -> Formula:
    return Formula(rf"\texttt{{{escape(source)}}}", clean(source))


# -- statements -----------------------------------------------------------------------------------------------------


def _statement(reader: Translator, node: ast.stmt) -> Node:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if _pairs(targets, values):
            pairs = zip(targets, values, strict=True)
            return Sequence(tuple(_definition(reader, [target], value) for target, value in pairs), separator=";")
        case ast.Assign(targets=targets, value=value):
            return _definition(reader, targets, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _definition(reader, [target], value)
        case ast.AugAssign(target=target, op=sign, value=value):
            return Relation((reader.expression(target), reader.combine(sign, target, value)), ("<-",), statement=True)
        case ast.Return(value=ast.expr() as value):
            return _value(reader, value)
        case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
            return _value(reader, value)
        case ast.Expr(value=ast.Call() as call):
            return _called(reader, call)
        case ast.Expr(value=value):
            return _value(reader, value)
    raise NoMathematicsError


def _pairs(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Whether several assignments in one can be read one by one: as many on each side, none used by another."""
    if len(targets) != len(values) or any(isinstance(each, ast.Starred) for each in (*targets, *values)):
        return False
    bound = {name for target in targets for name in names(target)}
    return not any(bound & names(value) for value in values)


def _definition(reader: Translator, targets: list[ast.expr], value: ast.expr) -> Node:
    if isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool)):
        raise NoMathematicsError
    if any(isinstance(target, ast.Name) and re.fullmatch(r"__\w+__", target.id) for target in targets):
        raise NoMathematicsError
    left = [reader.expression(target) for target in targets]
    reader.spelled = any(isinstance(each, Symbol) and each.text[:1] in ("μ", "σ") for each in left)
    right = reader.expression(value)
    if isinstance(value, ast.Call) and isinstance(targets[0], ast.Tuple) and pairs_with_places(value):
        right = _with_places(right)
    if right in left or (isinstance(right, Apply) and not right.arguments):
        raise NoMathematicsError
    if len(left) == 1 and (output := _einsum_output(value)):
        left = [Subscript(left[0], index_symbols(output))] if isinstance(left[0], Symbol) else left
    signs = ["="] * (len(left) - 1) + [_sign(targets, value, right)]
    return Relation((*left, right), tuple(signs), statement=True)


def _with_places(largest: Node) -> Node:
    """PyTorch's pair for ``values, places = x.max(dim=1)``."""
    if not (isinstance(largest, Apply) and isinstance(largest.function, Subscript)):
        return largest
    name = largest.function
    word = operator("argmax" if name.base == MAX else "argmin")
    places = Apply(Subscript(word, name.indices, parameter=True), largest.arguments, bare=True)
    return Sequence((largest, places), "(")


def _sign(targets: list[ast.expr], value: ast.expr, right: Node) -> str:
    """An arrow where a value replaces itself; "in" for a place made empty; "drawn from" for random numbers."""
    if isinstance(right, Power) and isinstance(right.base, Symbol) and right.base.text == "ℝ":
        return "in"
    if _is_drawn(right):
        return "~"
    used = {ast.unparse(part) for part in ast.walk(value) if isinstance(part, (ast.Name, ast.Subscript, ast.Attribute))}
    parts = [part for target in targets for part in getattr(target, "elts", [target])]
    return "<-" if any(ast.unparse(part).removesuffix("[()]") in used for part in parts) else "="


def _is_drawn(node: Node) -> bool:
    """Whether random numbers are part of a value."""
    return any(isinstance(part, Symbol) and part.latex.startswith(r"\mathcal") for part in walk(node))


def _einsum_output(value: ast.expr) -> str:
    """The indices left over by an einsum that is the whole value, or all of it but a scale."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)) and _scalar(value.right):
        value = value.left
    if isinstance(value, ast.Call) and name_of(value) == "einsum" and value.args:
        specification = value.args[0]
        if isinstance(specification, ast.Constant) and isinstance(specification.value, str):
            found = einsum_indices(specification.value)
            return found[1] if found else ""
    return ""


def _scalar(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Pow) and isinstance(node.right, (ast.Constant, ast.UnaryOp))
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and name_of(node) == "sqrt")


def _value(reader: Translator, value: ast.expr) -> Node:
    """An expression alone, as returned or shown; names by themselves say nothing new."""
    if isinstance(value, ast.Constant):
        raise NoMathematicsError
    if isinstance(value, ast.Tuple) and value.elts:
        node: Node = Sequence(reader.expressions(value.elts))
    else:
        node = reader.expression(value)
    if all(map(_says_nothing, node.items if isinstance(node, Sequence) and not node.fence else (node,))):
        raise NoMathematicsError
    return node


def _says_nothing(node: Node) -> bool:
    return isinstance(node, (Symbol, Words, Number)) or (isinstance(node, Apply) and not node.arguments)


def _called(reader: Translator, node: ast.Call) -> Node:
    """A call that stands alone: a change in place, an entry appended, or a value shown."""
    name = name_of(node)
    if isinstance(node.func, ast.Attribute):
        target = node.func.value
        if name == "append" and len(node.args) == 1 and not isinstance(node.args[0], (ast.Name, ast.Constant)):
            place = Subscript(reader.expression(target), (Words("next"),))
            return Relation((place, reader.expression(node.args[0])), ("=",), statement=True)
        if name == "copyto" and len(node.args) == 2:
            return _copied(reader, node)
        if IN_PLACE.match(name) or (name == "fill" and len(node.args) == 1):
            return _changed(reader, target, node)
    call = resolve(reader, node)
    if call.origin == "method" and (reader.rule(call) is None or name in ("add", "copy", "sort", "eval")):
        raise NoMathematicsError  # a method that is called for what it does
    value = reader.read_call(node)
    out = next((keyword.value for keyword in node.keywords if keyword.arg == "out"), None)
    if out is not None:
        return Relation((reader.expression(out), value), ("<-",), statement=True)
    if _says_nothing(value):
        raise NoMathematicsError
    return value


def _copied(reader: Translator, call: ast.Call) -> Node:
    """``np.copyto(target, values, where=mask)``."""
    left, right = reader.expressions(call.args)
    kept = [reader.expression(keyword.value) for keyword in call.keywords if keyword.arg == "where"]
    return Relation((left, cases(right, kept[0], left) if kept else right), ("<-",), statement=True)


def _changed(reader: Translator, target: ast.expr, call: ast.Call) -> Node:
    """``x.mul_(y)`` as x ← x y."""
    root = target
    while isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute) and IN_PLACE.match(root.func.attr):
        root = root.func.value
    left, name = reader.expression(root), name_of(call).rstrip("_")
    if root is not target and any(ast.unparse(root) in ast.unparse(each) for each in call.args):
        raise NoMathematicsError  # the argument is read after the first change, which one formula cannot say
    if name == "zero":
        right: Node = Number("0")
    elif name in ("copy", "fill") and len(call.args) == 1:
        right = reader.expression(call.args[0])
    else:
        right = reader.read_call(call)
    if left == right:
        raise NoMathematicsError
    return Relation((left, right), ("~" if _is_drawn(right) else "<-",), statement=True)
