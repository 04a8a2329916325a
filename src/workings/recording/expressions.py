"""Expressions, rewritten: each gives a box on the recorder's side."""

from __future__ import annotations

import ast
from typing import Any, cast

from workings.recording.scopes import (
    RECORDER,
    Scope,
    comments_of,
    frame_name,
    load,
    parameter,
    parameter_names,
    placed,
    plain_format,
    target_shape,
)
from workings.recording.working import Site

SITES: list[Site] = []
# Functions that look at the frame that calls them: they must stand in the source as they are.
_FRAME_READERS = {"super", "locals", "globals", "vars", "dir", "eval", "exec", "input", "breakpoint", "compile"}
SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip


class Expressions:
    """Rewrites the expressions of one file."""

    def __init__(self, file: str, text: str, first: int = 1, last: int | None = None) -> None:
        self.file = file
        self.text = text
        self.lines = text.splitlines()
        self.beside, self.alone = comments_of(text, first, last)
        self.keys: dict[ast.AST, int] = {}  # the sites of functions
        self._count = 0

    # -- small makers -------------------------------------------------------------------------------------------

    def number(self) -> int:
        self._count += 1
        return self._count

    def ask(self, method: str, *args: ast.expr, at: ast.AST) -> ast.expr:
        call = ast.Call(ast.Attribute(load(RECORDER), method, ast.Load()), list(args), [])
        return placed(call, at)

    def site(self, node: ast.stmt | ast.expr, targets: tuple[str, ...] = ()) -> ast.expr:
        first, last = node.lineno, getattr(node, "end_lineno", node.lineno) or node.lineno
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            last = max(first, min(body[0].lineno - 1, last))
            text = self.lines[first - 1].strip() if first <= len(self.lines) else ""
            end = body[-1].end_lineno or 0
        else:
            text, end = self._segment(node), 0
        comment = self.beside.get(last) or self.beside.get(first) or self._above(first)
        SITES.append(Site(self.file, first, text, comment, targets, end))
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
        return " ".join(filter(None, reversed(found)))

    # -- expressions: each gives a Box --------------------------------------------------------------------------

    def bare(self, node: ast.expr, scope: Scope) -> ast.expr:
        return self.ask("bare", self.box(node, scope), at=node)

    def box(self, node: ast.expr, scope: Scope) -> ast.expr:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            return self.ask("plain", node, at=node)
        return method(node, scope)  # type: ignore[no-any-return]

    def _frame(self, scope: Scope) -> ast.expr:
        return load(scope.frame)

    def _constant(self, node: ast.Constant, scope: Scope) -> ast.expr:
        return self.ask("constant", node, at=node)

    def _name(self, node: ast.Name, scope: Scope) -> ast.expr:
        if node.id == "__class__":
            return self.ask("plain", node, at=node)
        if scope.kind == "class" and node.id in scope.bound:
            names = (ast.Constant(scope.class_name), ast.Constant(node.id))
            return self.ask("class_load", self._frame(scope), *names, node, at=node)
        return self.ask("load", load(scope.frame_of(node.id)), ast.Constant(node.id), node, at=node)

    def _binop(self, node: ast.BinOp, scope: Scope) -> ast.expr:
        sign = ast.Constant(SIGNS[type(node.op)])
        left, right = self.box(node.left, scope), self.box(node.right, scope)
        return self.ask("binary", self._frame(scope), sign, left, right, at=node)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> ast.expr:
        sign = ast.Constant(SIGNS[type(node.op)])
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
            sign = SIGNS[type(op)]
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
        place = [self.box(node.value, scope), self.box(node.slice, scope)]
        if isinstance(node.slice, ast.Tuple):
            place.append(ast.Constant(True))
        return self.ask("item", self._frame(scope), *place, at=node)

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
        return self.ask("text", made, ast.Constant(cast(Any, parts)), at=node)

    def _format(self, node: ast.JoinedStr, scope: Scope) -> tuple[ast.expr, tuple[Any, ...] | None]:
        """An f-string whose values are seen, and what it is made of; None where a format is worked out itself."""
        values: list[ast.expr] = []
        parts: list[Any] | None = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                spec = value.format_spec
                plain = plain_format(spec)
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
        stored = self.ask("store", load(owner.frame_of(node.target.id)), name, self.box(node.value, scope), at=node)
        bound = ast.copy_location(ast.NamedExpr(node.target, stored), node)
        return self.ask("load", load(owner.frame_of(node.target.id)), name, bound, at=node)

    def _call(self, node: ast.Call, scope: Scope) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Name) and func.id in _FRAME_READERS and func.id not in scope.bound:
            own = func.id in ("locals", "vars", "dir") and not node.args and scope.kind in ("function", "comprehension")
            return self.ask("own_names" if own else "plain", node, at=node)
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
        inner = Scope("function", frame_name(self.number()), set(parameter_names(node.args)), parent=scope)
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
        inner = Scope("comprehension", frame_name(self.number()), parent=scope)
        for generator in node.generators:
            inner.bound |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        lazy = isinstance(node, ast.GeneratorExp)
        key = ast.Constant(-1 if lazy else self.number())
        generators = []
        for place, old in enumerate(node.generators):
            spec = ast.Constant(target_shape(old.target))
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

    def _enter(self, name: str, args: ast.arguments, scope: Scope, node: ast.stmt | ast.expr) -> ast.expr:
        """The call that opens a function's frame, with its parameters: label, value, whether it has a default."""
        site = self.site(node)
        assert isinstance(site, ast.Constant)
        scope.key = self.keys[node] = cast(int, site.value)
        plain = [*args.posonlyargs, *args.args]
        first = len(plain) - len(args.defaults)
        pairs = [parameter(a.arg, a.arg, place >= first) for place, a in enumerate(plain)]
        if args.vararg:
            pairs.append(parameter("*" + args.vararg.arg, args.vararg.arg, False))
        for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            pairs.append(parameter(argument.arg, argument.arg, default is not None))
        if args.kwarg:
            pairs.append(parameter("**" + args.kwarg.arg, args.kwarg.arg, False))
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
            [None if d is None else default(d) for d in args.kw_defaults], args.kwarg,
            [default(d) for d in args.defaults],
        )  # fmt: skip
