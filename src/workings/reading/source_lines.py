"""What the text of a line says by itself: which names run through it, what it returns, what it hands to a call."""

from __future__ import annotations

import ast
from contextlib import suppress
from functools import lru_cache


@lru_cache(maxsize=4096)
def running(text: str) -> frozenset[str]:
    """The variables that comprehensions of a line run through; those of a loop belong to its line."""
    if " for " not in text:
        return frozenset()
    with suppress(SyntaxError):  # a line that opens a block has no meaning by itself
        tree = ast.parse(f"async def line():\n{_indented(text)}")
        parts = [n.target for n in ast.walk(tree) if isinstance(n, ast.comprehension)]
        return frozenset(n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name))
    return frozenset()


def _indented(text: str) -> str:
    return f" {text} pass" if text.rstrip().endswith(":") else f" {text}"


@lru_cache(maxsize=4096)
def argument_of(text: str, name: str) -> str:
    """What a line works out for the one call of a name in it; empty where it is not certain which part that is."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node.func) == name]
    given = [*calls[0].args, *(each.value for each in calls[0].keywords)] if len(calls) == 1 else []
    made = [node for node in given if not isinstance(node, (ast.Name, ast.Attribute, ast.Constant))]
    return ast.get_source_segment(text, made[0]) or "" if len(made) == 1 else ""


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


@lru_cache(maxsize=4096)
def body(text: str) -> str:
    """What stands behind the parameters of a ``lambda``."""
    try:
        function = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return text
    return ast.get_source_segment(text, function.body) or text if isinstance(function, ast.Lambda) else text


@lru_cache(maxsize=4096)
def returned(text: str) -> int:
    """How many values a line returns: 1 unless it returns several, written out."""
    if not text.startswith("return") or "," not in text:
        return 1
    try:
        (line,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return 1
    return len(line.value.elts) if isinstance(line, ast.Return) and isinstance(line.value, ast.Tuple) else 1


def own_name(target: str) -> str:
    """The name of what an assignment changes: of ``W[0]``, ``self.W`` and ``layers[0].W`` it is ``W``."""
    while target.endswith("]") and "[" in target:
        depth = 0
        for place in range(len(target) - 1, -1, -1):
            depth += (target[place] == "]") - (target[place] == "[")
            if not depth:
                break
        target = target[:place]
    return target.rpartition(".")[2]


@lru_cache(maxsize=4096)
def place_written(text: str) -> str:
    """The place that a line puts a value into, ``grid[0][1]`` or ``layer.W``; empty where it is no one such place."""
    try:
        (line,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return ""
    targets = line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AugAssign) else []
    if len(targets) != 1 or not isinstance(targets[0], (ast.Subscript, ast.Attribute)):
        return ""
    return (ast.get_source_segment(text, targets[0]) or "").replace("'", "").replace('"', "").removeprefix("self.")


@lru_cache(maxsize=4096)
def is_number(text: str) -> bool:
    """Whether a line only gives one name to a number that is written out."""
    try:
        (line,) = ast.parse(text).body
        ast.literal_eval(line.value)  # type: ignore[attr-defined]
    except (SyntaxError, ValueError, AttributeError, TypeError):
        return False
    targets = line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
    return len(targets) == 1 and isinstance(targets[0], (ast.Name, ast.Subscript, ast.Attribute))
