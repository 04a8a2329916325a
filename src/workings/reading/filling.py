"""The formulas of the catalogue as syntax trees: operands filled in, and what a call does not have left out."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from workings.reading.formula import Formula, formula
from workings.recording.operations.catalogue import describe

_SHORT = 8  # characters of a number that stands in a formula as it is
Values = dict[str, ast.expr | None]
Several = dict[str, list[ast.expr]]


def template(operation: str, output: int | None = None) -> tuple[ast.arguments, ast.expr]:
    """The formula of an operation in the catalogue, as the names of its operands and an expression with them."""
    return _parsed(describe(operation, output).formula)


@lru_cache(maxsize=1024)
def _parsed(line: str) -> tuple[ast.arguments, ast.expr]:
    whole = ast.parse(f"lambda {line}", mode="eval").body
    assert isinstance(whole, ast.Lambda)
    return whole.args, whole.body


def general(operation: str) -> Formula | None:
    """What an operation does to any operands, with the names the catalogue gives them: ``A B``."""
    names, body = template(operation)
    settings: Values = {name.arg: None for name in names.kwonlyargs}
    every: Several = {names.vararg.arg: [ast.Name(names.vararg.arg)]} if names.vararg else {}
    line = filled(body, settings, every)
    return formula(ast.unparse(line)) if line is not None else None


def filled(node: ast.expr, values: Values, every: Several) -> ast.expr | None:
    """An expression with its names replaced; what has no value is left out, with the sign beside it."""
    match node:
        case ast.Name(id=name):
            if name in every:
                return every[name][0] if len(every[name]) == 1 else ast.List(every[name])
            return values.get(name, node)
        case ast.Constant(value=None):
            return None
        case ast.BinOp(left=left, op=sign, right=right):
            return _joined(filled(left, values, every), sign, filled(right, values, every))
        case ast.UnaryOp(op=op, operand=operand):
            inner = filled(operand, values, every)
            return None if inner is None else ast.UnaryOp(op, inner)
        case ast.Compare(left=left, ops=ops, comparators=others):
            parts = [filled(part, values, every) for part in (left, *others)]
            return ast.Compare(_sure(parts[0]), ops, [_sure(p) for p in parts[1:]])
        case ast.IfExp(test=ast.Name(id=name), body=body, orelse=other):
            return filled(body if values.get(name, node) is not None else other, values, every)
        case ast.Attribute(value=value, attr=attribute):
            inner = filled(value, values, every)
            return None if inner is None else ast.Attribute(inner, attribute)
        case ast.Subscript(value=value, slice=key):
            inner, place = filled(value, values, every), filled(key, values, every)
            return inner if inner is None or place is None else ast.Subscript(inner, place)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            given = _several(arguments, values, every)
            named = [ast.keyword(k.arg, v) for k in keywords if (v := filled(k.value, values, every)) is not None]
            return ast.Call(function, given, named)
        case ast.List(elts=items):
            return ast.List(_several(items, values, every))
    return node


def _several(nodes: Sequence[ast.expr], values: Values, every: Several) -> list[ast.expr]:
    out: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
            out += every.get(node.value.id, [])
        elif (given := filled(node, values, every)) is not None:
            out.append(given)
    return out


def _sure(node: ast.expr | None) -> ast.expr:
    return node if node is not None else ast.Constant(...)


def _joined(left: ast.expr | None, sign: ast.operator, right: ast.expr | None) -> ast.expr | None:
    """Two operands and their sign, the way a person writes them: numbers in front, one minus sign for two."""
    if left is None or right is None:
        return left if right is None else right
    if isinstance(sign, ast.Mult) and _is_number(right) and not _is_number(left):
        left, right = right, left
    if isinstance(sign, ast.Add) and (less := _opposite(right)) is not None:
        return ast.BinOp(left, ast.Sub(), less)
    if isinstance(sign, ast.Sub) and (more := _opposite(right)) is not None:
        return ast.BinOp(left, ast.Add(), more)
    return ast.BinOp(left, sign, right)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _opposite(node: ast.expr) -> ast.expr | None:
    """The same without its minus sign; None where it has none."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return operand
        case ast.BinOp(
            left=ast.UnaryOp(op=ast.USub(), operand=operand), op=ast.Mult() | ast.Div() as sign, right=right
        ):
            return ast.BinOp(operand, sign, right)
    return None


# -- numbers -----------------------------------------------------------------------------------------------------------


def number(value: Any) -> ast.expr:
    """Numbers as a person writes them in a formula: as they are where that is short, else with four figures."""
    if isinstance(value, list):
        return ast.List([number(v) for v in value])
    if isinstance(value, (bool, complex)):
        return ast.Constant(value)
    if isinstance(value, int):
        return ast.Constant(value) if value >= 0 else _minus(ast.Constant(-value))
    if math.isinf(value) or math.isnan(value):
        sign = ast.Name("nan" if math.isnan(value) else "inf")
        return _minus(sign) if value < 0 else sign
    if value < 0:
        return _minus(number(-value))
    if value == int(value) and value < 10_000:
        return ast.Constant(int(value))
    return ast.Constant(value if len(repr(value)) <= _SHORT else float(f"{value:.4g}"))


def _minus(value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.USub(), value)
