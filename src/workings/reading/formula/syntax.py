"""Questions about a program's syntax tree, answered without knowing any mathematics."""

from __future__ import annotations

import ast

from workings.reading.formula.nodes import NoMathematicsError

_REDUCTIONS = {
    "sum", "mean", "max", "min", "amax", "amin", "var", "std", "prod", "norm", "median", "einsum", "argmax", "argmin",
}  # fmt: skip


def dotted(node: ast.expr) -> tuple[str, ...]:
    """``torch.nn.functional.softmax`` as its names; empty for anything but names joined by dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def reaches(node: ast.expr) -> bool:
    """Whether an expression only says where something stands: ``net[0].weight``."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, (ast.Constant, ast.Name, ast.UnaryOp)):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def name_of(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def integer(node: ast.expr | None) -> int | None:
    """The value of an integer literal."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def reduces(call: ast.Call) -> bool:
    """Whether a call takes an axis away, so that a new axis beside it only puts it back for broadcasting."""
    return name_of(call) in _REDUCTIONS


def literal_shape(node: ast.expr) -> tuple[int, ...]:
    """The shape of a literal of lists, as far as it is regular. Raises where its first entry is a string."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            raise NoMathematicsError
        return ()
    if not node.elts:
        raise NoMathematicsError
    inner = {literal_shape(entry) for entry in node.elts}
    return (len(node.elts), *(inner.pop() if len(inner) == 1 else ()))


def bracketed(node: ast.BinOp) -> bool:
    """Whether the source has brackets round a product of two arrays that stands on the left."""
    left = node.left
    if not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mult):
        return False
    scaled = isinstance(left.left, ast.Constant) or isinstance(left.right, ast.Constant)
    return not scaled and (left.lineno, left.col_offset) != (node.lineno, node.col_offset)


def is_span(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) or (isinstance(node, ast.Constant) and node.value is Ellipsis)


def keeps_all(node: ast.expr) -> bool:
    """Whether an index keeps every entry: a full slice, an ellipsis, a new axis."""
    if isinstance(node, ast.Slice):
        return not (node.lower or node.upper or node.step)
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is Ellipsis
    return isinstance(node, ast.Attribute) and node.attr == "newaxis"


def pairs_with_places(call: ast.Call) -> bool:
    """Whether a call gives PyTorch's pair of values and places: ``torch.max(x, dim=1)``."""
    return name_of(call) in ("max", "min") and any(keyword.arg == "dim" for keyword in call.keywords)


def takes_values(call: ast.Call, keys: list[ast.expr]) -> bool:
    """Whether the values are taken from such a pair: ``torch.max(x, dim=1)[0]``."""
    return pairs_with_places(call) and len(keys) == 1 and integer(keys[0]) == 0


def depth(node: ast.AST) -> int:
    deepest, pending = 0, [(node, 1)]
    while pending:
        part, level = pending.pop()
        deepest = max(deepest, level)
        pending += [(child, level + 1) for child in ast.iter_child_nodes(part)]
    return deepest


def names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
