"""Statements, rewritten: values come out of their boxes, and names, places and scopes learn their origins."""

from __future__ import annotations

import ast
from typing import Any, cast

from workings.recording.expressions import SIGNS, Expressions
from workings.recording.scopes import (
    Scope,
    captured,
    frame_name,
    held_name,
    load,
    names_bound,
    parameter_names,
    pattern_shape,
    placed,
    set_name,
    target_shape,
    type_params,
)


class Rewriter(Expressions):
    """Rewrites one file's syntax tree."""

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
        return placed(ast.Expr(value), at)

    def _do_expr(self, node: ast.Expr, scope: Scope) -> list[ast.stmt]:
        if isinstance(node.value, ast.Constant):
            return [node]
        return [self._line(node, scope), self._express(self.box(node.value, scope), node)]

    def _do_assign(self, node: ast.Assign, scope: Scope) -> list[ast.stmt]:
        names = tuple(
            n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )
        line = self._line(node, scope, names or tuple(ast.unparse(t) for t in node.targets))
        value = self.box(node.value, scope)
        if len(node.targets) == 1:
            return [line, *self._assign(node.targets[0], value, scope, node)]
        held = held_name(self.number())
        out = [line, set_name(held, value, node)]
        for target in node.targets:
            out += self._assign(target, load(held), scope, node)
        return out

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope, at: ast.stmt) -> list[ast.stmt]:
        if isinstance(target, ast.Name):
            stored = self.ask("store", load(scope.frame_of(target.id)), ast.Constant(target.id), value, at=at)
            return [ast.copy_location(ast.Assign([target], stored), at)]
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr, scope))
            return [
                self._express(
                    self.ask("set_attribute", self._frame(scope), self.box(target.value, scope), name, value, at=at), at
                )
            ]
        if isinstance(target, ast.Subscript):
            place = (self.box(target.value, scope), self.box(target.slice, scope))
            if isinstance(value, ast.Name):
                return [self._express(self.ask("set_item", self._frame(scope), *place, value, at=at), at)]
            held = held_name(self.number())  # Python evaluates the value before the place
            return [
                set_name(held, value, at),
                self._express(self.ask("set_item", self._frame(scope), *place, load(held), at=at), at),
            ]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self._unpack(target, value, scope, at)
        return [ast.copy_location(ast.Assign([target], self.ask("bare", value, at=at)), at)]

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, scope: Scope, at: ast.stmt) -> list[ast.stmt]:
        spec = target_shape(target)
        names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
        if spec is not None and len({scope.frame_of(n) for n in names}) <= 1:
            frame = load(scope.frame_of(names[0])) if names else self._frame(scope)
            taken = self.ask("unpack", frame, ast.Constant(spec), value, at=at)
            return [ast.copy_location(ast.Assign([target], taken), at)]
        star = next((i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)), -1)
        held = held_name(self.number())
        parts = self.ask("split", ast.Constant(len(target.elts)), ast.Constant(star), value, at=at)
        out = [set_name(held, parts, at)]
        for place, part in enumerate(target.elts):
            inner = part.value if isinstance(part, ast.Starred) else part
            item = ast.Subscript(load(held), ast.Constant(place), ast.Load())
            name = held_name(self.number())
            out += [set_name(name, item, at), *self._assign(inner, load(name), scope, at)]
        return out

    def _do_annassign(self, node: ast.AnnAssign, scope: Scope) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        names = (node.target.id,) if isinstance(node.target, ast.Name) else (ast.unparse(node.target),)
        return [self._line(node, scope, names), *self._assign(node.target, self.box(node.value, scope), scope, node)]

    def _do_augassign(self, node: ast.AugAssign, scope: Scope) -> list[ast.stmt]:
        sign, target = ast.Constant(SIGNS[type(node.op)]), node.target
        root: Any = target
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        attribute = any(isinstance(part, ast.Attribute) for part in ast.walk(target))
        named = (root.id,) if isinstance(root, ast.Name) and not attribute else (ast.unparse(target),)
        line = self._line(node, scope, named)
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
            place = self.ask(
                "begin_augmented", frame, self.box(target.value, scope), self.box(target.slice, scope), at=node
            )
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
        there = self.ask("there", self._frame(scope), self.site(node), at=node.test)
        test = self.ask("again", there, self.box(node.test, scope), at=node.test)
        return [ast.copy_location(ast.While(test, self.body(node.body, scope), self.body(node.orelse, scope)), node)]

    def _do_for(self, node: ast.For, scope: Scope) -> list[ast.stmt]:
        spec = target_shape(node.target)
        names = tuple(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
        simple = spec is not None and len({scope.frame_of(n) for n in names}) <= 1
        body = self.body(node.body, scope)
        source = self.box(node.iter, scope)
        target = node.target
        line = self._line(node, scope, names)
        if simple:
            frame = load(scope.frame_of(names[0])) if names else self._frame(scope)
            items = self.ask("iterate", frame, ast.Constant(spec), source, self.site(node, names), at=node.iter)
        else:
            held = held_name(self.number())
            items = self.ask("boxes", self._frame(scope), source, self.site(node, names), at=node.iter)
            body = [*self._assign(target, load(held), scope, node), *body]
            target = ast.Name(held, ast.Store())
        new = ast.For(target, items, body, self.body(node.orelse, scope))
        return [line, placed(new, node)]

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
                name = held_name(self.number())
                held = ast.Name(name, ast.Store())
                entered = self.ask("entered", self._frame(scope), load(name), at=item.context_expr)
                body = [*self._assign(item.optional_vars, entered, scope, node), *body]
            new = ast.With([ast.withitem(manager, held)], body)
            body = [placed(new, node)]
        return [self._line(node, scope), *body]

    def _do_try(self, node: ast.Try, scope: Scope) -> list[ast.stmt]:
        handlers = []
        for old in node.handlers:
            again = self._express(self.ask("caught", self._frame(scope), at=old), old)
            handlers.append(
                ast.copy_location(ast.ExceptHandler(old.type, old.name, [again, *self.body(old.body, scope)]), old)
            )
        new = type(node)(
            self.body(node.body, scope), handlers, self.body(node.orelse, scope), self.body(node.finalbody, scope)
        )
        return [ast.copy_location(new, node)]

    _do_trystar = _do_try

    def _do_match(self, node: ast.Match, scope: Scope) -> list[ast.stmt]:
        key = ast.Constant(self.number())
        shapes = [pattern_shape(case.pattern) for case in node.cases]
        subject = self.ask(
            "subject",
            self._frame(scope),
            key,
            self.box(node.subject, scope),
            ast.Constant(cast(Any, tuple(shapes))),
            at=node.subject,
        )
        cases = []
        for case, shape in zip(node.cases, shapes, strict=True):
            test: ast.expr | None = None
            if case.guard:
                test = self.ask("truth", self._frame(scope), self.box(case.guard, scope), at=case.guard)
            names = tuple(captured(shape))
            if names:
                values = ast.Dict([ast.Constant(n) for n in names], [load(n) for n in names])
                asked = self.ask("matched", self._frame(scope), key, ast.Constant(shape), values, at=node.subject)
                test = asked if test is None else ast.copy_location(ast.BoolOp(ast.And(), [asked, test]), node.subject)
            cases.append(ast.match_case(case.pattern, test, self.body(case.body, scope)))
        return [self._line(node, scope), placed(ast.Match(subject, cases), node)]

    def _do_import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> list[ast.stmt]:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return [node]
        if isinstance(node, ast.Import):
            return [node, self._express(self.ask("imported", at=node), node)]
        names = [a.asname or a.name for a in node.names if a.name != "*"]
        values = ast.Dict([ast.Constant(n) for n in names], [load(n) for n in names])
        frame = load(scope.frame_of(names[0])) if names else self._frame(scope)
        module = ast.Constant(node.module if not node.level else None)
        origins = ast.Dict(
            [ast.Constant(a.asname or a.name) for a in node.names], [ast.Constant(a.name) for a in node.names]
        )
        made = self.ask("imported_names", frame, module, origins, values, at=node)
        return [node, self._express(self.ask("imported", at=node), node), self._express(made, node)]

    _do_importfrom = _do_import

    def _do_classdef(self, node: ast.ClassDef, scope: Scope) -> list[ast.stmt]:
        inner = Scope("class", scope.frame, names_bound(node.body)[0], parent=scope, class_name=node.name)
        body = [new for statement in node.body for new in self._in_class(statement, inner)]
        decorators = [self.bare(d, scope) for d in node.decorator_list]
        new = ast.ClassDef(node.name, node.bases, node.keywords, body, decorators, **type_params(node))
        made = self.ask("class_made", self._frame(scope), ast.Constant(node.name), load(node.name), at=node)
        if scope.kind == "class":
            return [ast.copy_location(new, node)]
        return [ast.copy_location(new, node), self._express(made, node)]

    def _in_class(self, node: ast.stmt, scope: Scope) -> list[ast.stmt]:
        """A statement of a class body: methods, and values whose origins the class remembers."""
        if isinstance(node, ast.FunctionDef):
            return self._do_functiondef(node, scope)
        if isinstance(node, ast.ClassDef):
            return self._do_classdef(node, scope)
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:  # type: ignore[attr-defined]
            return [node]
        names = (ast.Constant(scope.class_name), ast.Constant(targets[0].id))
        node.value = self.ask("class_value", self._frame(scope), *names, self.box(node.value, scope), at=node)  # type: ignore[attr-defined]
        return [node]

    def _do_functiondef(self, node: ast.FunctionDef, scope: Scope) -> list[ast.stmt]:
        return [self.function(node, scope)]

    def function(self, node: ast.FunctionDef, scope: Scope) -> ast.FunctionDef:
        bound, outside = names_bound(node.body)
        inner = Scope("function", frame_name(self.number()), bound | set(parameter_names(node.args)), outside, scope)
        body = list(node.body)
        head: list[ast.stmt] = []
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            head.append(body.pop(0))
        enter = self._enter(node.name, node.args, inner, node)
        head.append(set_name(inner.frame, enter, node))
        none = self.ask("constant", ast.Constant(None), at=node)
        last = ast.copy_location(ast.Return(self.ask("leave", self._frame(inner), none, at=node)), node)
        new_body = [*head, *self.body(body, inner), last]
        decorators = [self.bare(d, scope) for d in node.decorator_list]
        new = ast.FunctionDef(
            node.name, self._with_defaults(node.args, scope, inner.key), new_body, decorators, node.returns,
            node.type_comment, **type_params(node),
        )  # fmt: skip
        return placed(new, node)
