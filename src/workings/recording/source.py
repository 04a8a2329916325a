"""Python source, rewritten so that operators, calls, subscripts, writes and loop variables pass through the recorder.

Inside expressions values travel in boxes (:class:`workings.recording.frames.Box`); statements take them out again, so
that variables, arguments and containers hold exactly the objects they would in a plain run. Line numbers are kept, so
tracebacks show the user's own lines.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import tokenize
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workings.recording.expressions import SITES
from workings.recording.scopes import (
    LAST,
    MODULE_FRAME,
    RECORDER,
    Scope,
    located,
    names_bound,
    placed,
    set_name,
    type_params,
)
from workings.recording.statements import Rewriter
from workings.recording.user_code import is_user_file

if TYPE_CHECKING:
    from workings.recording.recorder import Recorder


def compile_module(text: str, file: str, *, keep_last: bool = False) -> types.CodeType:
    """A whole file, rewritten. Its globals hold the recorder and its own frame (``RECORDER`` and ``MODULE_FRAME``).

    With `keep_last`, what a last line gives that is no more than an expression is left in ``LAST``.
    """
    tree = ast.parse(text, file)
    bound, _ = names_bound(tree.body)
    rewriter = Rewriter(file, text)
    last = tree.body[-1] if tree.body else None
    tree.body = rewriter.body(tree.body, Scope("module", MODULE_FRAME, bound))
    if keep_last and isinstance(last, ast.Expr):
        written = tree.body[-1]
        assert isinstance(written, ast.Expr)
        tree.body[-1] = set_name(LAST, written.value, last)
    return compile(located(tree), file, "exec")


def read_text(file: str | Path) -> str:
    """The text of a source file, in the encoding it declares (UTF-8 where it declares none)."""
    with tokenize.open(file) as opened:
        return opened.read()


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
    """A library's function around one of the user's (``contextmanager``): the same, around the followed one."""
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
    new = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells)
    )
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def _compile_function(function: types.FunctionType) -> types.CodeType | None:
    code = function.__code__
    found = _find(code)
    if found is None:
        return None
    node, text, class_name = found
    rewriter = Rewriter(code.co_filename, text, node.lineno, node.end_lineno)
    module = Scope("module", MODULE_FRAME)
    scope = Scope("class", MODULE_FRAME, parent=module, class_name=class_name) if class_name else module
    if isinstance(node, ast.Lambda):
        boxed = rewriter._lambda(node, scope)
        inner: ast.stmt = ast.Return(boxed.args[0])  # type: ignore[attr-defined]
        body: list[ast.stmt] = [inner]
    else:
        plain = ast.FunctionDef(node.name, node.args, node.body, [], None, None, **type_params(node))
        plain = ast.copy_location(plain, node)
        plain.args = _without_defaults(node.args)
        body = [rewriter.function(plain, scope)]
        if node.name not in code.co_freevars:  # a function that calls itself means the global of that name
            body.insert(0, ast.Global([node.name]))
    outer_args = [RECORDER, MODULE_FRAME, *code.co_freevars]
    outer = ast.FunctionDef(
        "__workings_outer__",
        ast.arguments([], [ast.arg(a) for a in outer_args], None, [], [], None, []),
        body, [], None, None, **_no_type_params(),
    )  # fmt: skip
    holder: ast.stmt = outer
    if class_name:  # names like __x inside the body are mangled by the class they stand in
        holder = ast.ClassDef(class_name, [], [], [outer], [], **_no_type_params())
    tree = located(ast.Module([placed(holder, node)], []))
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    found_code = _code_named(compile(tree, code.co_filename, "exec"), name)
    if found_code is not None:
        _KEYS[found_code] = rewriter.keys[node if isinstance(node, ast.Lambda) else plain]
    return found_code


def _no_type_params() -> dict[str, Any]:
    return {"type_params": []} if sys.version_info >= (3, 12) else {}


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
    lines = linecache.getlines(file)
    if not lines:
        return None
    text = "".join(lines)
    alone = _parsed_alone(code, lines)
    if alone is not None:
        return alone, text, ""
    if file not in _TREES or _TREES[file][0] != text:
        try:
            _TREES[file] = (text, ast.parse(text, file))
        except SyntaxError:
            return None
    found: list[tuple[ast.FunctionDef | ast.Lambda, str]] = []

    wanted = code.co_name == "<lambda>"

    def visit(node: ast.AST, class_name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and not wanted:
                continue  # no function is defined inside an expression, except a lambda
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


def _parsed_alone(code: types.CodeType, lines: list[str]) -> ast.FunctionDef | None:
    """A function at the margin of its file, from its own lines: reading a long file takes longer than rewriting it.

    None where it stands elsewhere, or does not end where the next line at the margin begins.
    """
    first = code.co_firstlineno - 1
    if first >= len(lines) or not lines[first].startswith(("def ", "@")):
        return None
    last = first
    while not lines[last].startswith("def "):
        last += 1
        if last == len(lines):
            return None
    last += 1
    while last < len(lines) and (lines[last].startswith((" ", "\t", ")", "#")) or not lines[last].strip()):
        last += 1
    try:
        (node,) = ast.parse("".join(lines[first:last]), code.co_filename).body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return None
    return ast.increment_lineno(node, first)


def _span(node: ast.expr) -> tuple[int | None, ...]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


__all__ = ["LAST", "MODULE_FRAME", "RECORDER", "SITES", "compile_module", "is_rewritten", "rewritten", "wrapping"]
