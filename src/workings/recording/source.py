"""Python source, rewritten so that every operator, call, subscript, write and loop variable passes through the recorder.

Inside expressions values travel in boxes (:class:`workings.recording.recorder.Box`); statements take them out again, so
that variables, arguments and containers hold exactly the objects they would in a plain run. Line numbers are kept, so
tracebacks show the user's own lines.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import io
import linecache
import os
import sys
import sysconfig
import tokenize
import types
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from workings.recording.operations.functions import OPERATORS  # noqa: F401 - the signs below are its keys
from workings.recording.working import Site

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder

Node = TypeVar("Node", bound=ast.AST)
RECORDER = "_wk"
MODULE_FRAME = "_wf0"
SITES: list[Site] = []
# Functions that look at the frame that calls them: they must stand in the source as they are.
_FRAME_READERS = {"super", "locals", "globals", "vars", "dir", "eval", "exec", "input", "breakpoint", "compile"}
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass
class Scope:
    """A scope of the source, the variable that holds its frame, and the names it binds."""

    kind: str
    frame: str
    bound: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)  # declared global
    parent: Scope | None = None
    class_name: str = ""
    key: int = -1  # a function's site

    def frame_of(self, name: str) -> str:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.outside:
                return MODULE_FRAME
            if name in scope.bound and scope.kind != "class":
                return scope.frame
            scope = scope.parent
        return MODULE_FRAME


def _names_bound(nodes: Iterable[ast.AST]) -> tuple[set[str], set[str]]:
    """Names that statements bind in their own scope, and names they declare global."""
    bound: set[str] = set()
    outside: set[str] = set()
    not_here: set[str] = set()

    def visit(node: ast.AST, inside: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not inside:
                bound.add(node.name)
            for decorator in node.decorator_list:
                visit(decorator, inside)
            return
        if isinstance(node, ast.Lambda):
            return
        if isinstance(node, _COMPREHENSIONS):
            for child in ast.walk(node):
                if isinstance(child, ast.NamedExpr):
                    bound.add(child.target.id)  # type: ignore[attr-defined]
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            bound.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update((a.asname or a.name.split(".")[0]) for a in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.Global):
            outside.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            not_here.update(node.names)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    for node in nodes:
        visit(node, False)
    return bound - outside - not_here, outside


@lru_cache(maxsize=64)
def comments_of(text: str) -> tuple[dict[int, str], dict[int, str]]:
    """Comments beside code and comments on lines of their own, by line number."""
    beside: dict[int, str] = {}
    alone: dict[int, str] = {}
    lines = text.splitlines()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                target = alone if not lines[row - 1][:column].strip() else beside
                target[row] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return beside, alone


class Rewriter:
    """Rewrites one file's syntax tree."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.lines = text.splitlines()
        self.beside, self.alone = comments_of(text)
        self.keys: dict[ast.AST, int] = {}  # the sites of functions
        self._count = 0

    # -- small makers -------------------------------------------------------------------------------------------

    def number(self) -> int:
        self._count += 1
        return self._count

    def ask(self, method: str, *args: ast.expr, at: ast.AST) -> ast.expr:
        call = ast.Call(ast.Attribute(_load(RECORDER), method, ast.Load()), list(args), [])
        return _placed(call, at)

    def site(self, node: ast.stmt | ast.expr, targets: tuple[str, ...] = ()) -> ast.expr:
        first, last = node.lineno, getattr(node, "end_lineno", node.lineno) or node.lineno
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            last = max(first, min(body[0].lineno - 1, last))
            text = self.lines[first - 1].strip() if first <= len(self.lines) else ""
        else:
            text = self._segment(node)
        comment = self.beside.get(last) or self.beside.get(first) or self._above(first)
        SITES.append(Site(self.file, first, text, comment, targets))
        return ast.Constant(len(SITES) - 1)

    def _segment(self, node: ast.stmt | ast.expr) -> str:
        """The source of a node. Columns count bytes, so a line that is not ASCII is cut as bytes."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self.lines[first : last + 1]
        if not lines:
            return ""
        ends = [line.encode() for line in (lines[0], lines[-1])]
        if first == last:
            return ends[0][node.col_offset : node.end_col_offset].decode()
        return "\n".join([ends[0][node.col_offset :].decode(), *lines[1:-1], ends[1][: node.end_col_offset].decode()])

    def _above(self, line: int) -> str:
        found = []
        line -= 1
        while line in self.alone:
            found.append(self.alone[line])
            line -= 1
        return " ".join(reversed(found))

    # -- expressions: each gives a Box --------------------------------------------------------------------------

    def bare(self, node: ast.expr, scope: Scope) -> ast.expr:
        return self.ask("bare", self.box(node, scope), at=node)

    def box(self, node: ast.expr, scope: Scope) -> ast.expr:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            return self.ask("plain", node, at=node)
        return method(node, scope)  # type: ignore[no-any-return]

    def _frame(self, scope: Scope) -> ast.expr:
        return _load(scope.frame)

    def _constant(self, node: ast.Constant, scope: Scope) -> ast.expr:
        return self.ask("constant", node, at=node)

    def _name(self, node: ast.Name, scope: Scope) -> ast.expr:
        if node.id == "__class__":
            return self.ask("plain", node, at=node)
        if scope.kind == "class" and node.id in scope.bound:
            names = (ast.Constant(scope.class_name), ast.Constant(node.id))
            return self.ask("class_load", self._frame(scope), *names, node, at=node)
        return self.ask("load", _load(scope.frame_of(node.id)), ast.Constant(node.id), node, at=node)

    def _binop(self, node: ast.BinOp, scope: Scope) -> ast.expr:
        sign = ast.Constant(_SIGNS[type(node.op)])
        left, right = self.box(node.left, scope), self.box(node.right, scope)
        return self.ask("binary", self._frame(scope), sign, left, right, at=node)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> ast.expr:
        sign = ast.Constant(_SIGNS[type(node.op)])
        return self.ask("unary", self._frame(scope), sign, self.box(node.operand, scope), at=node)

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> ast.expr:
        out = self.box(node.values[-1], scope)
        for value in reversed(node.values[:-1]):
            out = self._either(isinstance(node.op, ast.And), self.box(value, scope), out, scope, value)
        return out

    def _either(self, both: bool, first: ast.expr, rest: ast.expr, scope: Scope, at: ast.expr) -> ast.expr:
        key = ast.Constant(self.number())
        test = self.ask("keep", self._frame(scope), key, first, at=at)
        kept = self.ask("kept", self._frame(scope), key, at=at)
        out = ast.IfExp(test, rest, kept) if both else ast.IfExp(test, kept, rest)
        return ast.copy_location(out, at)

    def _compare(self, node: ast.Compare, scope: Scope) -> ast.expr:
        left = self.box(node.left, scope)
        pairs = list(zip(node.ops, node.comparators, strict=True))
        out: list[ast.expr] = []
        for place, (op, right_node) in enumerate(pairs):
            right = self.box(right_node, scope)
            if place < len(pairs) - 1:
                key = ast.Constant(self.number())
                right = self.ask("hold", self._frame(scope), key, right, at=right_node)
                again = self.ask("kept", self._frame(scope), key, at=right_node)
            sign = _SIGNS[type(op)]
            if sign in ("is", "is not", "in", "not in"):
                out.append(self.ask("identity", self._frame(scope), left, right, ast.Constant(sign), at=node))
            else:
                out.append(self.ask("binary", self._frame(scope), ast.Constant(sign), left, right, at=node))
            if place < len(pairs) - 1:
                left = again
        result = out[-1]
        for earlier in reversed(out[:-1]):
            result = self._either(True, earlier, result, scope, node)
        return result

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> ast.expr:
        test = self.ask("truth", self._frame(scope), self.box(node.test, scope), at=node)
        return ast.copy_location(ast.IfExp(test, self.box(node.body, scope), self.box(node.orelse, scope)), node)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> ast.expr:
        name = ast.Constant(self._mangled(node.attr, scope))
        return self.ask("attribute", self._frame(scope), self.box(node.value, scope), name, at=node)

    def _mangled(self, name: str, scope: Scope) -> str:
        inner: Scope | None = scope
        while inner is not None and not inner.class_name:
            inner = inner.parent
        if inner is not None and name.startswith("__") and not name.endswith("__"):
            return f"_{inner.class_name.lstrip('_')}{name}"
        return name

    def _subscript(self, node: ast.Subscript, scope: Scope) -> ast.expr:
        return self.ask(
            "item", self._frame(scope), self.box(node.value, scope), self.box(node.slice, scope), at=node
        )

    def _slice(self, node: ast.Slice, scope: Scope) -> ast.expr:
        parts = [
            self.box(p, scope) if p is not None else self.ask("constant", ast.Constant(None), at=node)
            for p in (node.lower, node.upper, node.step)
        ]
        return self.ask("slice", *parts, at=node)

    def _several(self, nodes: list[ast.expr], scope: Scope) -> ast.expr:
        out: list[ast.expr] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                out.append(self.ask("starred", self.box(node.value, scope), at=node))
            else:
                out.append(self.box(node, scope))
        return ast.List(out, ast.Load())

    def _list(self, node: ast.List, scope: Scope) -> ast.expr:
        return self.ask("display", ast.Constant("list"), self._several(node.elts, scope), at=node)

    def _tuple(self, node: ast.Tuple, scope: Scope) -> ast.expr:
        return self.ask("display", ast.Constant("tuple"), self._several(node.elts, scope), at=node)

    def _set(self, node: ast.Set, scope: Scope) -> ast.expr:
        return self.ask("display", ast.Constant("set"), self._several(node.elts, scope), at=node)

    def _dict(self, node: ast.Dict, scope: Scope) -> ast.expr:
        keys = ast.List([self.box(k, scope) if k is not None else ast.Constant(None) for k in node.keys], ast.Load())
        return self.ask("dictionary", keys, self._several(node.values, scope), at=node)

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> ast.expr:
        made, parts = self._format(node, scope)
        return self.ask("text", made, ast.Constant(parts), at=node)

    def _format(self, node: ast.JoinedStr, scope: Scope) -> tuple[ast.expr, tuple[Any, ...] | None]:
        """An f-string whose values are seen, and what it is made of; None where a format is worked out itself."""
        values: list[ast.expr] = []
        parts: list[Any] | None = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                spec = value.format_spec
                plain = _plain_format(spec)
                if isinstance(spec, ast.JoinedStr) and plain is None:
                    spec, parts = self._format(spec, scope)[0], None
                shown = self.ask("shown", self.box(value.value, scope), at=value)
                new = ast.FormattedValue(shown, value.conversion, spec)
                values.append(ast.copy_location(new, value))
                if parts is not None:
                    parts.append((value.conversion, plain))
            else:
                values.append(value)
                if parts is not None:
                    parts.append(value.value if isinstance(value, ast.Constant) else "")
        made = ast.copy_location(ast.JoinedStr(values), node)
        return made, None if parts is None else tuple(parts)

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope) -> ast.expr:
        owner = scope
        while owner.kind == "comprehension" and owner.parent is not None:
            owner = owner.parent
        name = ast.Constant(node.target.id)
        stored = self.ask("store", _load(owner.frame_of(node.target.id)), name, self.box(node.value, scope), at=node)
        bound = ast.copy_location(ast.NamedExpr(node.target, stored), node)
        return self.ask("load", _load(owner.frame_of(node.target.id)), name, bound, at=node)

    def _call(self, node: ast.Call, scope: Scope) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Name) and func.id in _FRAME_READERS and func.id not in scope.bound:
            return self.ask("plain", node, at=node)
        args = self._several(node.args, scope)
        keywords: ast.expr = ast.Dict(
            [ast.Constant(k.arg) for k in node.keywords if k.arg is not None],
            [self.box(k.value, scope) for k in node.keywords if k.arg is not None],
        )
        for keyword in node.keywords:
            if keyword.arg is None:
                keywords = self.ask("merge", keywords, self.box(keyword.value, scope), at=node)
        if isinstance(func, ast.Attribute):
            holder, name = self.box(func.value, scope), ast.Constant(self._mangled(func.attr, scope))
            return self.ask("method", self._frame(scope), holder, name, args, keywords, at=node)
        return self.ask("call", self._frame(scope), self.box(func, scope), args, keywords, at=node)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> ast.expr:
        inner = Scope("function", f"_wf{self.number()}", set(_parameter_names(node.args)), parent=scope)
        enter = self._enter("lambda", node.args, inner, node)
        opened = ast.NamedExpr(ast.Name(inner.frame, ast.Store()), enter)
        body = self.ask("leave", opened, self.box(node.body, inner), at=node)
        made = ast.Lambda(self._with_defaults(node.args, scope, inner.key), body)
        return self.ask("plain", ast.copy_location(made, node), at=node)

    def _yield(self, node: ast.Yield, scope: Scope) -> ast.expr:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        given = self.ask("yielded", self._frame(scope), self.box(value, scope), at=node)
        return self.ask("resumed", self._frame(scope), ast.copy_location(ast.Yield(given), node), at=node)

    def _yieldfrom(self, node: ast.YieldFrom, scope: Scope) -> ast.expr:
        source = self.ask("delegate", self._frame(scope), self.box(node.value, scope), at=node)
        return self.ask("delegated", self._frame(scope), ast.copy_location(ast.YieldFrom(source), node), at=node)

    def _listcomp(self, node: ast.ListComp, scope: Scope) -> ast.expr:
        return self._comprehension(node, [node.elt], scope)

    def _setcomp(self, node: ast.SetComp, scope: Scope) -> ast.expr:
        return self._comprehension(node, [node.elt], scope)

    def _dictcomp(self, node: ast.DictComp, scope: Scope) -> ast.expr:
        return self._comprehension(node, [node.key, node.value], scope)

    def _generatorexp(self, node: ast.GeneratorExp, scope: Scope) -> ast.expr:
        return self._comprehension(node, [node.elt], scope)

    def _comprehension(self, node: Any, parts: list[ast.expr], scope: Scope) -> ast.expr:
        inner = Scope("comprehension", f"_wf{self.number()}", parent=scope)
        for generator in node.generators:
            inner.bound |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        lazy = isinstance(node, ast.GeneratorExp)
        key = ast.Constant(-1 if lazy else self.number())
        generators = []
        for place, old in enumerate(node.generators):
            spec = ast.Constant(_spec(old.target))
            if place == 0:
                source = self.ask("each", self._frame(scope), spec, self.box(old.iter, scope), key, at=old.iter)
                target: ast.expr = ast.Tuple([ast.Name(inner.frame, ast.Store()), old.target], ast.Store())
            else:
                source = self.ask("iterate", self._frame(inner), spec, self.box(old.iter, inner), at=old.iter)
                target = old.target
            tests = [self.ask("truth", self._frame(inner), self.box(t, inner), at=t) for t in old.ifs]
            generators.append(ast.comprehension(target, source, tests, 0))
        how = "yielded" if lazy else "member" if isinstance(node, ast.SetComp) else "collected"
        last = self.ask(how, self._frame(inner), self.box(parts[-1], inner), at=node)
        if isinstance(node, ast.DictComp):
            name = self.ask("collected_key", self._frame(inner), self.box(parts[0], inner), at=node)
            made: ast.expr = ast.DictComp(name, last, generators)
        else:
            made = type(node)(last, generators)
        made = ast.copy_location(made, node)
        if lazy:
            return self.ask("plain", made, at=node)
        tags = self.ask("collect", self._frame(scope), key, at=node)
        return self.ask("comprehension", self._frame(scope), tags, made, at=node)

    # -- statements ---------------------------------------------------------------------------------------------

    def body(self, statements: list[ast.stmt], scope: Scope) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in statements:
            out += self.statement(statement, scope)
        return out

    def statement(self, node: ast.stmt, scope: Scope) -> list[ast.stmt]:
        method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
        if method is None:
            return [node]
        return method(node, scope)  # type: ignore[no-any-return]

    def _line(self, node: ast.stmt, scope: Scope, targets: tuple[str, ...] = ()) -> ast.stmt:
        return self._express(self.ask("line", self._frame(scope), self.site(node, targets), at=node), node)

    def _express(self, value: ast.expr, at: ast.AST) -> ast.stmt:
        return _placed(ast.Expr(value), at)

    def _do_expr(self, node: ast.Expr, scope: Scope) -> list[ast.stmt]:
        if isinstance(node.value, ast.Constant):
            return [node]
        return [self._line(node, scope), self._express(self.box(node.value, scope), node)]

    def _do_assign(self, node: ast.Assign, scope: Scope) -> list[ast.stmt]:
        names = tuple(n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        line = self._line(node, scope, names or tuple(ast.unparse(t) for t in node.targets))
        value = self.box(node.value, scope)
        if len(node.targets) == 1:
            return [line, *self._assign(node.targets[0], value, scope, node)]
        held = f"_wt{self.number()}"
        out = [line, _set_name(held, value, node)]
        for target in node.targets:
            out += self._assign(target, _load(held), scope, node)
        return out

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope, at: ast.stmt) -> list[ast.stmt]:
        if isinstance(target, ast.Name):
            stored = self.ask("store", _load(scope.frame_of(target.id)), ast.Constant(target.id), value, at=at)
            return [ast.copy_location(ast.Assign([target], stored), at)]
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr, scope))
            return [self._express(self.ask("set_attribute", self._frame(scope), self.box(target.value, scope), name, value, at=at), at)]
        if isinstance(target, ast.Subscript):
            place = (self.box(target.value, scope), self.box(target.slice, scope))
            if isinstance(value, ast.Name):
                return [self._express(self.ask("set_item", self._frame(scope), *place, value, at=at), at)]
            held = f"_wt{self.number()}"  # Python evaluates the value before the place
            return [
                _set_name(held, value, at),
                self._express(self.ask("set_item", self._frame(scope), *place, _load(held), at=at), at),
            ]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self._unpack(target, value, scope, at)
        return [ast.copy_location(ast.Assign([target], self.ask("bare", value, at=at)), at)]

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, scope: Scope, at: ast.stmt) -> list[ast.stmt]:
        spec = _spec(target)
        names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
        if spec is not None and len({scope.frame_of(n) for n in names}) <= 1:
            frame = _load(scope.frame_of(names[0])) if names else self._frame(scope)
            taken = self.ask("unpack", frame, ast.Constant(spec), value, at=at)
            return [ast.copy_location(ast.Assign([target], taken), at)]
        star = next((i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)), -1)
        held = f"_wt{self.number()}"
        parts = self.ask("split", ast.Constant(len(target.elts)), ast.Constant(star), value, at=at)
        out = [_set_name(held, parts, at)]
        for place, part in enumerate(target.elts):
            inner = part.value if isinstance(part, ast.Starred) else part
            item = ast.Subscript(_load(held), ast.Constant(place), ast.Load())
            name = f"_wt{self.number()}"
            out += [_set_name(name, item, at), *self._assign(inner, _load(name), scope, at)]
        return out

    def _do_annassign(self, node: ast.AnnAssign, scope: Scope) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        names = (node.target.id,) if isinstance(node.target, ast.Name) else (ast.unparse(node.target),)
        return [self._line(node, scope, names), *self._assign(node.target, self.box(node.value, scope), scope, node)]

    def _do_augassign(self, node: ast.AugAssign, scope: Scope) -> list[ast.stmt]:
        sign, target = ast.Constant(_SIGNS[type(node.op)]), node.target
        root: Any = target
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        line = self._line(node, scope, (root.id,) if isinstance(root, ast.Name) else ())
        frame = self._frame(scope)
        if isinstance(target, ast.Name):
            left = self._name(ast.copy_location(ast.Name(target.id, ast.Load()), target), scope)
            value = self.ask("inplace", frame, sign, left, self.box(node.value, scope), at=node)
            return [line, *self._assign(target, value, scope, node)]
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr, scope))
            place = self.ask("begin_attribute", frame, self.box(target.value, scope), name, at=node)
            done = self.ask("end_attribute", frame, sign, place, self.box(node.value, scope), at=node)
        else:
            place = self.ask("begin_augmented", frame, self.box(target.value, scope), self.box(target.slice, scope), at=node)
            done = self.ask("end_augmented", frame, sign, place, self.box(node.value, scope), at=node)
        return [line, self._express(done, node)]

    def _do_return(self, node: ast.Return, scope: Scope) -> list[ast.stmt]:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        left = self.ask("leave", self._frame(scope), self.box(value, scope), at=node)
        return [self._line(node, scope, ("result",)), ast.copy_location(ast.Return(left), node)]

    def _do_delete(self, node: ast.Delete, scope: Scope) -> list[ast.stmt]:
        out: list[ast.stmt] = [self._line(node, scope)]
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                place = (self.box(target.value, scope), self.box(target.slice, scope))
                out.append(self._express(self.ask("delete_item", self._frame(scope), *place, at=node), node))
            else:
                out.append(ast.copy_location(ast.Delete([target]), node))
        return out

    def _do_if(self, node: ast.If, scope: Scope) -> list[ast.stmt]:
        site = self.site(node)
        test = self.ask("truth", self._frame(scope), self.box(node.test, scope), site, at=node.test)
        new = ast.If(test, self.body(node.body, scope), self.body(node.orelse, scope))
        return [self._line(node, scope), ast.copy_location(new, node)]

    def _do_while(self, node: ast.While, scope: Scope) -> list[ast.stmt]:
        test = self.ask("truth", self._frame(scope), self.box(node.test, scope), self.site(node), at=node.test)
        return [ast.copy_location(ast.While(test, self.body(node.body, scope), self.body(node.orelse, scope)), node)]

    def _do_for(self, node: ast.For, scope: Scope) -> list[ast.stmt]:
        spec = _spec(node.target)
        names = tuple(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
        simple = spec is not None and len({scope.frame_of(n) for n in names}) <= 1
        body = self.body(node.body, scope)
        source = self.box(node.iter, scope)
        target = node.target
        line = self._line(node, scope, names)
        if simple:
            frame = _load(scope.frame_of(names[0])) if names else self._frame(scope)
            items = self.ask("iterate", frame, ast.Constant(spec), source, self.site(node, names), at=node.iter)
        else:
            held = f"_wt{self.number()}"
            items = self.ask("boxes", self._frame(scope), source, self.site(node, names), at=node.iter)
            body = [*self._assign(target, _load(held), scope, node), *body]
            target = ast.Name(held, ast.Store())
        new = ast.For(target, items, body, self.body(node.orelse, scope))
        return [line, _placed(new, node)]

    def _do_assert(self, node: ast.Assert, scope: Scope) -> list[ast.stmt]:
        test = self.ask("truth", self._frame(scope), self.box(node.test, scope), at=node.test)
        return [self._line(node, scope), ast.copy_location(ast.Assert(test, node.msg), node)]

    def _do_raise(self, node: ast.Raise, scope: Scope) -> list[ast.stmt]:
        error = self.bare(node.exc, scope) if node.exc is not None else None
        return [self._line(node, scope), ast.copy_location(ast.Raise(error, node.cause), node)]

    def _do_with(self, node: ast.With, scope: Scope) -> list[ast.stmt]:
        body = self.body(node.body, scope)
        for item in reversed(node.items):
            manager = self.ask("manager", self._frame(scope), self.box(item.context_expr, scope), at=item.context_expr)
            held: ast.expr | None = None
            if item.optional_vars is not None:
                name = f"_wt{self.number()}"
                held = ast.Name(name, ast.Store())
                entered = self.ask("entered", self._frame(scope), _load(name), at=item.context_expr)
                body = [*self._assign(item.optional_vars, entered, scope, node), *body]
            new = ast.With([ast.withitem(manager, held)], body)
            body = [_placed(new, node)]
        return [self._line(node, scope), *body]

    def _do_try(self, node: ast.Try, scope: Scope) -> list[ast.stmt]:
        handlers = []
        for old in node.handlers:
            again = self._express(self.ask("caught", self._frame(scope), at=old), old)
            handlers.append(ast.copy_location(ast.ExceptHandler(old.type, old.name, [again, *self.body(old.body, scope)]), old))
        new = type(node)(
            self.body(node.body, scope), handlers, self.body(node.orelse, scope), self.body(node.finalbody, scope)
        )
        return [ast.copy_location(new, node)]

    _do_trystar = _do_try

    def _do_match(self, node: ast.Match, scope: Scope) -> list[ast.stmt]:
        key = ast.Constant(self.number())
        shapes = [_pattern(case.pattern) for case in node.cases]
        subject = self.ask(
            "subject", self._frame(scope), key, self.box(node.subject, scope), ast.Constant(tuple(shapes)), at=node.subject
        )
        cases = []
        for case, shape in zip(node.cases, shapes, strict=True):
            test: ast.expr | None = None
            if case.guard:
                test = self.ask("truth", self._frame(scope), self.box(case.guard, scope), at=case.guard)
            names = tuple(_captured(shape))
            if names:
                values = ast.Dict([ast.Constant(n) for n in names], [_load(n) for n in names])
                asked = self.ask("matched", self._frame(scope), key, ast.Constant(shape), values, at=node.subject)
                test = asked if test is None else ast.copy_location(ast.BoolOp(ast.And(), [asked, test]), node.subject)
            cases.append(ast.match_case(case.pattern, test, self.body(case.body, scope)))
        return [self._line(node, scope), _placed(ast.Match(subject, cases), node)]

    def _do_import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> list[ast.stmt]:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return [node]
        return [node, self._express(self.ask("imported", at=node), node)]

    _do_importfrom = _do_import

    def _do_classdef(self, node: ast.ClassDef, scope: Scope) -> list[ast.stmt]:
        inner = Scope("class", scope.frame, _names_bound(node.body)[0], parent=scope, class_name=node.name)
        body = [new for statement in node.body for new in self._in_class(statement, inner)]
        decorators = [self.bare(d, scope) for d in node.decorator_list]
        new = ast.ClassDef(node.name, node.bases, node.keywords, body, decorators, **_type_params(node))
        made = self.ask("class_made", self._frame(scope), ast.Constant(node.name), _load(node.name), at=node)
        if scope.kind == "class":
            return [ast.copy_location(new, node)]
        return [ast.copy_location(new, node), self._express(made, node)]

    def _in_class(self, node: ast.stmt, scope: Scope) -> list[ast.stmt]:
        """A statement of a class body: methods, and values whose origins the class remembers."""
        if isinstance(node, ast.FunctionDef):
            return self._do_functiondef(node, scope)
        if isinstance(node, ast.ClassDef):
            return self._do_classdef(node, scope)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:  # type: ignore[attr-defined]
            return [node]
        names = (ast.Constant(scope.class_name), ast.Constant(targets[0].id))
        node.value = self.ask("class_value", self._frame(scope), *names, self.box(node.value, scope), at=node)  # type: ignore[attr-defined]
        return [node]

    def _do_functiondef(self, node: ast.FunctionDef, scope: Scope) -> list[ast.stmt]:
        return [self.function(node, scope)]

    def function(self, node: ast.FunctionDef, scope: Scope) -> ast.FunctionDef:
        bound, outside = _names_bound(node.body)
        inner = Scope("function", f"_wf{self.number()}", bound | set(_parameter_names(node.args)), outside, scope)
        body = list(node.body)
        head: list[ast.stmt] = []
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            head.append(body.pop(0))
        enter = self._enter(node.name, node.args, inner, node)
        head.append(_set_name(inner.frame, enter, node))
        none = self.ask("constant", ast.Constant(None), at=node)
        last = ast.copy_location(ast.Return(self.ask("leave", self._frame(inner), none, at=node)), node)
        new_body = [*head, *self.body(body, inner), last]
        decorators = [self.bare(d, scope) for d in node.decorator_list]
        new = ast.FunctionDef(
            node.name, self._with_defaults(node.args, scope, inner.key), new_body, decorators, node.returns,
            node.type_comment, **_type_params(node),
        )  # fmt: skip
        return _placed(new, node)

    def _enter(self, name: str, args: ast.arguments, scope: Scope, node: ast.stmt | ast.expr) -> ast.expr:
        """The call that opens a function's frame, with its parameters: label, value, whether it has a default."""
        site = self.site(node)
        assert isinstance(site, ast.Constant)
        scope.key = self.keys[node] = site.value
        plain = [*args.posonlyargs, *args.args]
        first = len(plain) - len(args.defaults)
        pairs = [_parameter(a.arg, a.arg, place >= first) for place, a in enumerate(plain)]
        if args.vararg:
            pairs.append(_parameter("*" + args.vararg.arg, args.vararg.arg, False))
        for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            pairs.append(_parameter(argument.arg, argument.arg, default is not None))
        if args.kwarg:
            pairs.append(_parameter("**" + args.kwarg.arg, args.kwarg.arg, False))
        parameters = ast.Tuple(pairs, ast.Load())
        return self.ask("enter", ast.Constant(name), ast.Constant("call"), site, parameters, at=node)

    def _with_defaults(self, args: ast.arguments, scope: Scope, key: int) -> ast.arguments:
        """Parameters whose defaults remember their origins."""

        def default(node: ast.expr) -> ast.expr:
            if isinstance(node, ast.Constant) and node.value is None:
                return node
            return self.ask("default", ast.Constant(key), self.box(node, scope), at=node)

        return ast.arguments(
            args.posonlyargs, args.args, args.vararg, args.kwonlyargs,
            [None if d is None else default(d) for d in args.kw_defaults], args.kwarg, [default(d) for d in args.defaults],
        )  # fmt: skip


def _placed(new: Node, at: ast.AST) -> Node:
    """A new node and the new nodes inside it stand where ``at`` stands; nodes that have a place keep it."""
    place = {name: getattr(at, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    stack: list[ast.AST] = [new]
    while stack:
        node = stack.pop()
        if "lineno" in node._attributes and "lineno" not in node.__dict__:
            node.__dict__.update(place)
        elif "lineno" in node._attributes and node is not new:
            continue
        stack.extend(ast.iter_child_nodes(node))
    return new


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _plain_format(spec: ast.expr | None) -> str | None:
    """The format of a value in an f-string, where it is written out."""
    if spec is None:
        return ""
    if isinstance(spec, ast.JoinedStr) and all(isinstance(v, ast.Constant) for v in spec.values):
        return "".join(str(v.value) for v in spec.values if isinstance(v, ast.Constant))
    return None


def _parameter(label: str, name: str, has_default: bool) -> ast.expr:
    return ast.Tuple([ast.Constant(label), _load(name), ast.Constant(has_default)], ast.Load())


def _pattern(pattern: ast.pattern | None) -> Any:
    """What of a ``match`` pattern matters here: where its names stand in the subject, and where it looks at values."""
    if isinstance(pattern, ast.MatchAs):
        return ("as", pattern.name, _pattern(pattern.pattern))
    if isinstance(pattern, ast.MatchStar):
        return ("star", pattern.name)
    if isinstance(pattern, ast.MatchSequence):
        return ("sequence", tuple(_pattern(p) for p in pattern.patterns))
    if isinstance(pattern, ast.MatchMapping):
        keys = tuple(k.value if isinstance(k, ast.Constant) else None for k in pattern.keys)
        return ("mapping", keys, tuple(_pattern(p) for p in pattern.patterns), pattern.rest)
    if isinstance(pattern, ast.MatchClass):
        named = tuple(zip(pattern.kwd_attrs, (_pattern(p) for p in pattern.kwd_patterns), strict=True))
        return ("class", tuple(_pattern(p) for p in pattern.patterns), named)
    if isinstance(pattern, ast.MatchOr):
        return ("or", tuple(_pattern(p) for p in pattern.patterns))
    return ("value",) if isinstance(pattern, ast.MatchValue) else ("any",)


def _captured(shape: Any) -> list[str]:
    """The names a pattern binds, each once."""
    if type(shape) is not tuple or not shape:
        return []
    kind = shape[0]
    if kind == "as":
        names = [shape[1], *_captured(shape[2])]
    elif kind == "star":
        names = [shape[1]]
    elif kind in ("sequence", "or"):
        names = [n for p in shape[1] for n in _captured(p)]
    elif kind == "mapping":
        names = [*(n for p in shape[2] for n in _captured(p)), shape[3]]
    elif kind == "class":
        names = [n for p in shape[1] for n in _captured(p)] + [n for _, p in shape[2] for n in _captured(p)]
    else:
        names = []
    return list(dict.fromkeys(n for n in names if n))


def _set_name(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return _placed(ast.Assign([ast.Name(name, ast.Store())], value), at)


def _type_params(node: Any) -> dict[str, Any]:
    return {"type_params": node.type_params} if hasattr(node, "type_params") else {}


def _parameter_names(args: ast.arguments) -> list[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return [a.arg for a in every] + [a.arg for a in (args.vararg, args.kwarg) if a is not None]


def _spec(target: ast.expr) -> Any:
    """The shape of an assignment target made of names alone: a name, or a tuple of such; None for any other."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Starred):
        return f"*{target.value.id}" if isinstance(target.value, ast.Name) else None
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = tuple(_spec(e) for e in target.elts)
        return None if any(p is None for p in parts) else parts
    return None


# -- compiling ------------------------------------------------------------------------------------------------------


def compile_module(text: str, file: str) -> types.CodeType:
    """A whole file, rewritten. Its globals must hold the recorder and its own frame (``_wk`` and ``_wf0``)."""
    tree = ast.parse(text, file)
    bound, _ = _names_bound(tree.body)
    rewriter = Rewriter(file, text)
    tree.body = rewriter.body(tree.body, Scope("module", MODULE_FRAME, bound))
    return compile(ast.fix_missing_locations(tree), file, "exec")


_TREES: dict[str, tuple[str, ast.Module]] = {}
_CODES: dict[types.CodeType, types.CodeType | None] = {}
_KEYS: dict[types.CodeType, int] = {}


def is_rewritten(code: types.CodeType) -> bool:
    return RECORDER in code.co_freevars or RECORDER in code.co_names


def rewritten(function: types.FunctionType, recorder: Recorder) -> types.FunctionType | None:
    """The function, rewritten for this recorder; itself if it is already; None where its source cannot be followed."""
    code = function.__code__
    if is_rewritten(code):
        return function
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR) or not is_user_file(code.co_filename):
        return None
    if code not in _CODES:
        _CODES[code] = _compile_function(function)
    new_code = _CODES[code]
    if new_code is None:
        return None
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[RECORDER] = types.CellType(recorder)
    cells[MODULE_FRAME] = types.CellType(recorder.module(function.__globals__))
    closure = tuple(cells[name] for name in new_code.co_freevars)
    new = types.FunctionType(new_code, function.__globals__, function.__name__, function.__defaults__, closure)
    new.__kwdefaults__ = function.__kwdefaults__
    new.__dict__.update(function.__dict__)
    new.__qualname__ = function.__qualname__
    new.__doc__ = function.__doc__
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    recorder.module_defaults[_KEYS[new_code]] = defaults
    return new


def wrapping(function: types.FunctionType, recorder: Recorder) -> types.FunctionType | None:
    """A library's function made around a function of the user's (``contextmanager``): the same, around the followed one."""
    cells = []
    changed = False
    for cell in function.__closure__ or ():
        try:
            inner = cell.cell_contents
        except ValueError:
            inner = None
        followed = rewritten(inner, recorder) if isinstance(inner, types.FunctionType) else None
        changed = changed or followed is not None
        cells.append(types.CellType(followed) if followed is not None else cell)
    if not changed:
        return None
    new = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def _compile_function(function: types.FunctionType) -> types.CodeType | None:
    code = function.__code__
    found = _find(code)
    if found is None:
        return None
    node, text, class_name = found
    rewriter = Rewriter(code.co_filename, text)
    module = Scope("module", MODULE_FRAME)
    scope = Scope("class", MODULE_FRAME, parent=module, class_name=class_name) if class_name else module
    if isinstance(node, ast.Lambda):
        boxed = rewriter._lambda(node, scope)
        inner: ast.stmt = ast.Return(boxed.args[0])  # type: ignore[attr-defined]
        body: list[ast.stmt] = [inner]
    else:
        plain = ast.FunctionDef(node.name, node.args, node.body, [], None, None, **_type_params(node))
        plain = ast.copy_location(plain, node)
        plain.args = _without_defaults(node.args)
        body = [rewriter.function(plain, scope)]
        if node.name not in code.co_freevars:  # a function that calls itself means the global of that name
            body.insert(0, ast.Global([node.name]))
    outer_args = [RECORDER, MODULE_FRAME, *code.co_freevars]
    outer = ast.FunctionDef(
        "_wk_outer",
        ast.arguments([], [ast.arg(a) for a in outer_args], None, [], [], None, []),
        body, [], None, None, **({"type_params": []} if sys.version_info >= (3, 12) else {}),
    )  # fmt: skip
    tree = ast.fix_missing_locations(ast.copy_location(ast.Module([outer], []), node))
    if class_name:  # names like __x inside the body are mangled by the class they stand in
        holder = ast.ClassDef(class_name, [], [], [outer], [], **({"type_params": []} if sys.version_info >= (3, 12) else {}))
        tree = ast.fix_missing_locations(ast.Module([holder], []))
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    found_code = _code_named(compile(tree, code.co_filename, "exec"), name)
    if found_code is not None:
        _KEYS[found_code] = rewriter.keys[node if isinstance(node, ast.Lambda) else plain]
    return found_code


def _without_defaults(args: ast.arguments) -> ast.arguments:
    """Defaults are taken from the function object; in the copy they only need to be there."""
    none = ast.Constant(None)
    return ast.arguments(
        args.posonlyargs, args.args, args.vararg, args.kwonlyargs,
        [none if d is not None else None for d in args.kw_defaults], args.kwarg, [none for _ in args.defaults],
    )  # fmt: skip


def _code_named(code: types.CodeType, name: str) -> types.CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name and RECORDER in constant.co_freevars:
                return constant
            found = _code_named(constant, name)
            if found is not None:
                return found
    return None


def _find(code: types.CodeType) -> tuple[ast.FunctionDef | ast.Lambda, str, str] | None:
    """The syntax tree of a function, by its file, line and name; None where the source is not to be had."""
    file = code.co_filename
    text = "".join(linecache.getlines(file))
    if not text:
        return None
    if file not in _TREES or _TREES[file][0] != text:
        try:
            _TREES[file] = (text, ast.parse(text, file))
        except SyntaxError:
            return None
    found: list[tuple[ast.FunctionDef | ast.Lambda, str]] = []

    def visit(node: ast.AST, class_name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = child.name if isinstance(child, ast.ClassDef) else class_name
            if isinstance(child, ast.FunctionDef) and child.name == code.co_name:
                first = min([child.lineno, *[d.lineno for d in child.decorator_list]])
                if first == code.co_firstlineno:
                    found.append((child, class_name))
            elif isinstance(child, ast.Lambda) and code.co_name == "<lambda>" and child.lineno == code.co_firstlineno:
                found.append((child, class_name))
            visit(child, inner)

    visit(_TREES[file][1], "")
    if len(found) > 1:
        places = set(code.co_positions())
        found = [f for f in found if isinstance(f[0], ast.Lambda) and _span(f[0].body) in places]
    if len(found) != 1:
        return None
    return found[0][0], text, found[0][1]


def _span(node: ast.expr) -> tuple[int | None, ...]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


_LIBRARY_FOLDERS = tuple(
    os.path.realpath(path) + os.sep
    for path in {sysconfig.get_path(k) for k in ("stdlib", "platstdlib", "purelib", "platlib")} | {os.path.dirname(os.__file__)}
    if path
)
_OWN = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
# Parts of this package that are written to be recorded like anyone's code.
_RECORDED = tuple(os.path.join(_OWN, part) for part in ("equations" + os.sep, "equations.py", "recording/operations/lowered.py", "examples/programs.py", "reading/backward.py"))
_USER_FILES: dict[str, bool] = {}


def is_user_file(file: str) -> bool:
    """Whether code of this file is followed: the user's own, not a library's, not the recorder's."""
    known = _USER_FILES.get(file)
    if known is None:
        known = _USER_FILES[file] = _is_user_file(file)
    return known


def _is_user_file(file: str) -> bool:
    if file.startswith("<") and not (file.startswith("<ipython") or file.startswith("<stdin") or file.startswith("<workings")):
        return False
    path = os.path.realpath(file)
    if path.startswith(_OWN):
        return path.startswith(_RECORDED) and not os.path.basename(path).startswith("_")
    if "site-packages" in path or "dist-packages" in path:
        return False
    return not path.startswith(_LIBRARY_FOLDERS)


def is_user_module(module: types.ModuleType) -> bool:
    """Whether a module is the user's own."""
    file = getattr(module, "__file__", None)
    return module.__name__ == "__main__" or bool(file and is_user_file(file))


def is_user_type(kind: type) -> bool:
    """Whether a class is the user's own."""
    module = sys.modules.get(getattr(kind, "__module__", "") or "")
    if module is None:
        return getattr(kind, "__module__", "") not in ("builtins", None)
    if module is builtins:
        return False
    file = getattr(module, "__file__", None)
    return file is None and module.__name__ == "__main__" or bool(file and is_user_file(file))


def adopt_class(kind: type, recorder: Recorder) -> None:
    """For the time of a recording, the methods of a user's class are its rewritten ones."""
    for owner in kind.__mro__:
        if owner in recorder.adopted or not is_user_type(owner):
            continue
        recorder.adopted.add(owner)
        for name, member in list(vars(owner).items()):
            new = _adopted(member, recorder)
            if new is not None and new is not member:
                recorder.patched.append((owner, name, member))
                setattr(owner, name, new)


def _adopted(member: Any, recorder: Recorder) -> Any:
    if isinstance(member, types.FunctionType):
        return rewritten(member, recorder) or wrapping(member, recorder)
    if isinstance(member, (staticmethod, classmethod)) and isinstance(member.__func__, types.FunctionType):
        new = rewritten(member.__func__, recorder)
        return type(member)(new) if new is not None and new is not member.__func__ else None
    if isinstance(member, property):
        parts = (member.fget, member.fset, member.fdel)
        own = tuple(_adopted(p, recorder) or p for p in parts)
        return property(*own, member.__doc__) if any(a is not b for a, b in zip(own, parts, strict=True)) else None
    if isinstance(member, functools.cached_property):
        function = _adopted(member.func, recorder)
        if function is None or function is member.func:
            return None
        cached = functools.cached_property(function)
        if member.attrname is not None:
            cached.__set_name__(object, member.attrname)
        return cached
    return None
