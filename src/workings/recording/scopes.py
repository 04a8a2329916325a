"""Scopes of a source, the names they bind, and small pieces of syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)
# Names the rewriting brings in. They stand between double underscores, names that Python keeps to itself and does not
# mangle in class bodies, so that they do not meet the source's own.
RECORDER = "__workings__"
MODULE_FRAME = "__workings_frame_0__"
LAST = "__workings_last__"
OWN_NAMES = re.compile(r"__workings(_(frame|held)_\d+|_last)?__")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False, repr=False)
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


def names_bound(nodes: Iterable[ast.AST]) -> tuple[set[str], set[str]]:
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
                    bound.add(child.target.id)
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


_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''(?:\\.|[^\\])*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'"
    r"|#[^\n]*",
    re.DOTALL,
)  # not Python's tokenizer, which would take longer than the rest of the rewriting


# What tools read in comments: checkers, formatters, coverage, editors, and Python itself in its first lines.
_DIRECTIVE = re.compile(
    r"""(?:^|\s*\#+)\s*(?:
        !.*                                                                 # !/usr/bin/env python
        | -\*-.*-\*- | (?:en)?coding\s*[:=].* | vim?\s*:.*
        | noqa\b | nosec\b | NOSONAR\b | noinspection\b
        | type:\s*ignore\b | (?:mypy|pyright|pyre|ruff|flake8|pylint|isort|yapf|black|fmt|codespell|doctest)\s*:
        | pyre-(?:ignore|fixme|strict|unsafe)\b
        | pragma\s*: | cython\s*: | distutils\s*:
        | %%\s*(?:\[.*)?(?=\#|$) | (?:end)?region\b\s*(?=\#|$)
    )[^\#]*""",
    re.VERBOSE,
)


def without_directives(comment: str) -> str:
    """What a comment says to a reader: without what it says to tools, such as ``noqa: E501`` or ``fmt: off``."""
    return _DIRECTIVE.sub("", comment).strip().lstrip("#").strip()


@lru_cache(maxsize=64)
def comments_of(text: str, first: int = 1, last: int | None = None) -> tuple[dict[int, str], dict[int, str]]:
    """Comments beside code and comments on lines of their own, by line number, from one line to another.

    A comment that speaks to tools alone is there, and says nothing.
    What looks like a comment inside a string is passed over, since the string begins before it.
    """
    beside: dict[int, str] = {}
    alone: dict[int, str] = {}
    lines = text.splitlines()
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    chosen = "\n".join(lines[first - 1 : last])
    if "#" not in chosen:
        return beside, alone
    for found in _STRING_OR_COMMENT.finditer(chosen):
        if found[0].startswith("#"):
            start = chosen.rfind("\n", 0, found.start()) + 1
            row = first + chosen.count("\n", 0, start)
            target = beside if chosen[start : found.start()].strip() else alone
            target[row] = without_directives(found[0].lstrip("#").strip())
    return beside, alone


_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def placed(new: Node, at: ast.AST) -> Node:
    """A new node stands where ``at`` stands, unless it has a place. What is new inside it follows: see `located`."""
    if "lineno" not in new.__dict__:
        new.__dict__.update((name, getattr(at, name, None)) for name in _PLACE)
    return new


def located(tree: ast.Module) -> ast.Module:
    """Every node without a place stands where the node around it stands.

    As ``ast.fix_missing_locations`` does, in a quarter of its time: every equation that is shown comes through here.
    """
    stack: list[tuple[ast.AST, dict[str, Any]]] = [(tree, dict.fromkeys(_PLACE, 1))]
    while stack:
        node, place = stack.pop()
        inside = node.__dict__
        children = list(inside.values())
        if node._attributes:
            if "lineno" in inside:
                place = {name: inside.get(name) for name in _PLACE}
            else:
                inside.update(place)
        for child in children:
            if child.__class__ is list:
                stack += [(item, place) for item in child if isinstance(item, ast.AST)]
            elif isinstance(child, ast.AST) and child._fields:
                stack.append((child, place))
    return tree


def frame_name(number: int) -> str:
    """The variable that holds the frame of a scope."""
    return f"__workings_frame_{number}__"


def held_name(number: int) -> str:
    """A variable for a value that a statement uses more than once."""
    return f"__workings_held_{number}__"


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def plain_format(spec: ast.expr | None) -> str | None:
    """The format of a value in an f-string, where it is written out."""
    if spec is None:
        return ""
    if isinstance(spec, ast.JoinedStr) and all(isinstance(v, ast.Constant) for v in spec.values):
        return "".join(str(v.value) for v in spec.values if isinstance(v, ast.Constant))
    return None


def parameter(label: str, name: str, has_default: bool) -> ast.expr:
    return ast.Tuple([ast.Constant(label), load(name), ast.Constant(has_default)], ast.Load())


def pattern_shape(pattern: ast.pattern | None) -> Any:
    """What of a ``match`` pattern matters here: where its names stand in the subject, and where it looks at values."""
    if isinstance(pattern, ast.MatchAs):
        return ("as", pattern.name, pattern_shape(pattern.pattern))
    if isinstance(pattern, ast.MatchStar):
        return ("star", pattern.name)
    if isinstance(pattern, ast.MatchSequence):
        return ("sequence", tuple(pattern_shape(p) for p in pattern.patterns))
    if isinstance(pattern, ast.MatchMapping):
        keys = tuple(k.value if isinstance(k, ast.Constant) else None for k in pattern.keys)
        return ("mapping", keys, tuple(pattern_shape(p) for p in pattern.patterns), pattern.rest)
    if isinstance(pattern, ast.MatchClass):
        named = tuple(zip(pattern.kwd_attrs, (pattern_shape(p) for p in pattern.kwd_patterns), strict=True))
        return ("class", tuple(pattern_shape(p) for p in pattern.patterns), named)
    if isinstance(pattern, ast.MatchOr):
        return ("or", tuple(pattern_shape(p) for p in pattern.patterns))
    return ("value",) if isinstance(pattern, ast.MatchValue) else ("any",)


def captured(shape: Any) -> list[str]:
    """The names a pattern binds, each once."""
    if type(shape) is not tuple or not shape:
        return []
    kind = shape[0]
    if kind == "as":
        names = [shape[1], *captured(shape[2])]
    elif kind == "star":
        names = [shape[1]]
    elif kind in ("sequence", "or"):
        names = [n for p in shape[1] for n in captured(p)]
    elif kind == "mapping":
        names = [*(n for p in shape[2] for n in captured(p)), shape[3]]
    elif kind == "class":
        names = [n for p in shape[1] for n in captured(p)] + [n for _, p in shape[2] for n in captured(p)]
    else:
        names = []
    return list(dict.fromkeys(n for n in names if n))


def set_name(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), at)


def type_params(node: Any) -> dict[str, Any]:
    return {"type_params": node.type_params} if hasattr(node, "type_params") else {}


def parameter_names(args: ast.arguments) -> list[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return [a.arg for a in every] + [a.arg for a in (args.vararg, args.kwarg) if a is not None]


def target_shape(target: ast.expr) -> Any:
    """The shape of an assignment target made of names alone: a name, or a tuple of such; None for any other."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Starred):
        return f"*{target.value.id}" if isinstance(target.value, ast.Name) else None
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = tuple(target_shape(e) for e in target.elts)
        return None if any(p is None for p in parts) else parts
    return None
