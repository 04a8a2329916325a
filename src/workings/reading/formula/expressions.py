"""Python expressions read as mathematics: syntax tree in, formula tree out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from typing import Any

from workings.frozen import evolve
from workings.reading.formula import calls, syntax
from workings.reading.formula.arrays import ARRAY_RULES
from workings.reading.formula.building import DOTS, cases, fraction, one_less, power, product
from workings.reading.formula.functions import FUNCTION_RULES
from workings.reading.formula.nodes import (
    Apply,
    Binary,
    Each,
    Fenced,
    Mark,
    Matrix,
    Negative,
    Node,
    NoMathematicsError,
    Not,
    Number,
    Of,
    Ranged,
    Relation,
    Sequence,
    Span,
    Subscript,
    Symbol,
    Words,
)
from workings.reading.formula.reductions import REDUCTION_RULES
from workings.reading.formula.symbols import number, operator, symbol, upright

LONGEST = 8  # rows, columns or entries of a literal that are still written out
_CONSTANTS = {
    "inf": Symbol(r"\infty", "∞"),
    "infty": Symbol(r"\infty", "∞"),
    "nan": Symbol(r"\mathrm{NaN}", "NaN", wide=True),
    "pi": Symbol(r"\pi", "π"),
    "e": Symbol("e", "e"),
    "newaxis": Words("new"),
}
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Mod: "mod", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.And: "and", ast.Or: "or",
    ast.Eq: "=", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "=",
    ast.IsNot: "!=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_RULES = FUNCTION_RULES | REDUCTION_RULES | ARRAY_RULES


class Translator:
    """Reads the expressions of one statement, whose source is needed for numbers as they were written."""

    def __init__(
        self, source: str, symbols: Mapping[str, str], names: Container[str] = (), types: Collection[str] | None = None
    ) -> None:
        self.lines = [line.encode() for line in source.split("\n")]
        self.symbols = symbols
        self.types = types
        self.spelled_exp = "e" in names and "e" not in symbols  # a variable e beside Euler's number
        self.spelled = False  # mean and variance by name, where the target already is μ or σ

    def expression(self, node: ast.expr) -> Node:
        read: Callable[[Any], Node] | None = getattr(self, "read_" + type(node).__name__.lower(), None)
        if read is None:
            raise NoMathematicsError
        return read(node)

    def expressions(self, nodes: Iterable[ast.expr]) -> tuple[Node, ...]:
        """Several expressions; a starred one stands for itself and more."""
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += [self.expression(node.value), DOTS]
            else:
                found.append(self.expression(node))
        return tuple(found)

    # -- leaves -----------------------------------------------------------------------------------------------------

    def read_name(self, node: ast.Name) -> Node:
        if node.id in ("inf", "nan") and node.id not in self.symbols:
            return _CONSTANTS[node.id]
        return evolve(symbol(node.id, self.symbols), name=node.id)

    def read_constant(self, node: ast.Constant) -> Node:
        if isinstance(node.value, (str, bytes)):
            raise NoMathematicsError
        if node.value is Ellipsis:
            return DOTS
        if node.value is None or isinstance(node.value, bool):
            return Words(str(node.value).lower())
        return number(self.lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode())

    def read_attribute(self, node: ast.Attribute) -> Node:
        path = syntax.dotted(node)
        name = node.attr
        if path and path[0] in calls.MODULES:
            if name in _CONSTANTS:
                return _CONSTANTS[name]
            raise NoMathematicsError
        if name in ("T", "mT"):
            return Mark(self.expression(node.value), "transposed")
        if name in ("H", "mH"):
            return Mark(self.expression(node.value), "conjugate")
        own = len(path) == 2 and path[0] in ("self", "cls")
        if name in ("shape", "size") and not own:
            return Of(f"{name} of", self.expression(node.value))
        if name == "data" or (name == "values" and isinstance(node.value, ast.Call)):
            return self.expression(node.value)
        if name == "grad" and not own:
            return Subscript(operator("grad", r"\mathrm{grad}"), (self.expression(node.value),), parameter=True)
        if not path and syntax.reaches(node):
            whole = ast.unparse(node).replace("'", "").replace('"', "").removeprefix("self.")
            return Symbol(upright(whole), whole, wide=True)
        if not path:
            return Apply(operator(name), (self.expression(node.value),))
        path = path[1:] if path[0] in ("self", "cls") else path
        whole = ".".join(path)
        if len(path) == 1 or whole in self.symbols:
            return symbol(whole, self.symbols)
        return Symbol(upright(whole), whole, wide=True)

    # -- operators --------------------------------------------------------------------------------------------------

    def read_binop(self, node: ast.BinOp) -> Node:
        found = self.combine(node.op, node.left, node.right)
        if isinstance(found, Binary) and found.sign == "@" and syntax.bracketed(node):
            # An elementwise product done before a matrix product: the two do not associate.
            return Binary("@", Sequence((found.left,), "("), found.right)
        return found

    def combine(self, sign: ast.operator, first: ast.expr, second: ast.expr) -> Node:
        """The formula of two expressions and the operator between them."""
        if isinstance(sign, ast.Pow):
            return power(self.expression(first), self.expression(second))
        left, right = self.expression(first), self.expression(second)
        listed = isinstance(first, ast.List) or isinstance(second, ast.List)
        if listed and isinstance(sign, ast.Add):
            return Apply(operator("Concat"), (left, right))
        if listed and isinstance(sign, ast.Mult):
            return Binary("cross", left, right)
        if isinstance(sign, ast.Div):
            return fraction(left, right)
        if isinstance(sign, ast.FloorDiv):
            return Fenced("floor", fraction(left, right))
        if isinstance(sign, (ast.Mult, ast.MatMult)):
            return product(_SIGNS[type(sign)], left, right)
        return Binary(_SIGNS[type(sign)], left, right)

    def read_unaryop(self, node: ast.UnaryOp) -> Node:
        operand = self.expression(node.operand)
        if isinstance(node.op, ast.USub):
            return Negative(operand)
        return operand if isinstance(node.op, ast.UAdd) else Not(operand)

    def read_boolop(self, node: ast.BoolOp) -> Node:
        first, *rest = self.expressions(node.values)
        for other in rest:
            first = Binary(_SIGNS[type(node.op)], first, other)
        return first

    def read_compare(self, node: ast.Compare) -> Node:
        items = self.expressions([node.left, *node.comparators])
        return Relation(items, tuple(_SIGNS[type(op)] for op in node.ops))

    def read_ifexp(self, node: ast.IfExp) -> Node:
        return cases(self.expression(node.body), self.expression(node.test), self.expression(node.orelse))

    def read_namedexpr(self, node: ast.NamedExpr) -> Node:
        return Relation((self.expression(node.target), self.expression(node.value)), ("=",), statement=True)

    def read_lambda(self, node: ast.Lambda) -> Node:
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        if not names or node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
            raise NoMathematicsError
        variables = tuple(symbol(name, self.symbols) for name in names)
        left = variables[0] if len(variables) == 1 else Sequence(variables, "(")
        return Relation((left, self.expression(node.body)), ("|->",), statement=True)

    def read_call(self, node: ast.Call) -> Node:
        call = calls.resolve(self, node)
        rule = self.rule(call)
        found = rule.read(call) if rule else None
        return calls.unknown(call) if found is None else found

    def rule(self, call: calls.Call) -> calls.Rule | None:
        """How a call is written, if it is a known function called in a known way."""
        rule = _RULES.get(call.name)
        known = rule is not None and call.origin in rule.origins and call.fits(rule)
        return rule if known else None

    # -- indices ----------------------------------------------------------------------------------------------------

    def read_subscript(self, node: ast.Subscript) -> Node:
        base, keys = node.value, node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(base, ast.Attribute):
            path = syntax.dotted(base)
            if path and path[0] in calls.MODULES and base.attr in ("c_", "r_"):
                separator = "|" if base.attr == "c_" else ","
                return Sequence(self.expressions(keys), "[", separator)
            if base.attr == "shape" and len(keys) == 1 and not isinstance(keys[0], ast.Slice):
                return self.size(self.expression(base.value), keys[0])
        kept = isinstance(base, ast.Call) and syntax.reduces(base) and all(map(syntax.keeps_all, keys))
        if kept or (isinstance(base, ast.Call) and syntax.takes_values(base, keys)):
            return self.expression(base)
        if isinstance(node.ctx, ast.Load) and len(keys) == 1 and syntax.keeps_all(keys[0]) and syntax.is_span(keys[0]):
            return self.expression(base)
        return Subscript(self.expression(base), tuple(map(self.index, keys))) if keys else self.expression(base)

    def index(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Slice):
            ends = (self.expression(end) if end else None for end in (node.lower, node.upper, node.step))
            return Span(*ends)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return Words(node.value)
        if isinstance(node, ast.Constant) and node.value is None:
            return Words("new")
        return self.expression(node)

    def size(self, operand: Node, axis: ast.expr) -> Node:
        """The length of one axis, by its everyday name where that is certain."""
        named = {-1: "columns of", -2: "rows of"}.get(syntax.integer(axis) or 0)
        if named:
            return Of(named, operand)
        return Apply(Subscript(operator("size"), (self.expression(axis),), parameter=True), (operand,))

    # -- collections ------------------------------------------------------------------------------------------------

    def read_tuple(self, node: ast.Tuple) -> Node:
        if not node.elts:
            raise NoMathematicsError
        return Sequence(self.expressions(node.elts), "(")

    def read_set(self, node: ast.Set) -> Node:
        return Sequence(self.expressions(node.elts), "{")

    def read_list(self, node: ast.List | ast.Tuple) -> Node:
        """A literal: a matrix where it is one, a few numbers in a row, or how large it is."""
        shape = syntax.literal_shape(node)
        if len(shape) > 2:
            return Words(f"({' × '.join(map(str, shape))} array)")
        if len(shape) == 2:
            if max(shape) > LONGEST:
                return Words(f"({shape[0]} × {shape[1]} matrix)")
            return Matrix(tuple(self.expressions(row.elts) for row in node.elts))  # type: ignore[attr-defined]
        if len(node.elts) > LONGEST:
            numbers = all(isinstance(entry, (ast.Constant, ast.UnaryOp)) for entry in node.elts)
            return Words(f"({len(node.elts)} {'numbers' if numbers else 'entries'})")
        return Sequence(self.expressions(node.elts), "[")

    def read_dict(self, node: ast.Dict) -> Node:
        if not node.keys or len(node.keys) > LONGEST:
            raise NoMathematicsError
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise NoMathematicsError
            pairs.append(Relation((self.index(key), self.expression(value)), ("|->",), statement=True))
        return Sequence(tuple(pairs), "{")

    def read_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Node:
        fence = "{" if isinstance(node, ast.SetComp) else "["
        return Each(self.expression(node.elt), self.bounds(node.generators), fence)

    read_listcomp = read_setcomp = read_generatorexp = read_comprehension

    def read_dictcomp(self, node: ast.DictComp) -> Node:
        pair = Relation((self.index(node.key), self.expression(node.value)), ("|->",), statement=True)
        return Each(pair, self.bounds(node.generators), "{")

    def bounds(self, generators: list[ast.comprehension]) -> tuple[Node, ...]:
        """What a comprehension runs over, and the conditions it sets."""
        found: list[Node] = []
        for each in generators:
            found.append(self._bound(self.expression(each.target), each.iter))
            found += self.expressions(each.ifs)
        return tuple(found)

    def _bound(self, target: Node, source: ast.expr) -> Node:
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range":
            ends = self.expressions(source.args)
            if len(ends) in (1, 2) and not source.keywords and DOTS not in ends:
                return Ranged(target, ends[0] if len(ends) == 2 else Number("0"), one_less(ends[-1]))
        return Relation((target, self.expression(source)), ("in",))
