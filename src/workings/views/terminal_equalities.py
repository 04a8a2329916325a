"""Arithmetic in a terminal: a chain of equalities on one line, or going on below from an equals sign."""

from __future__ import annotations

from rich.cells import cell_len

from workings.views.paper import Paper


def put_equality(paper: Paper, text: str, right: str, indent: int = 0) -> None:
    """A line of arithmetic; a long one goes on below, further in, from an equals sign if it can."""
    room = paper.width - indent
    if cell_len(text) <= room:
        # The line itself is worth more than where it comes from.
        fits = cell_len(text) + cell_len(right) + 2 <= room
        head, sign, tail = _last_sign(text)
        paper.sides([(head + sign, ""), (tail, "result")], right if fits else "", indent)
        return
    pieces = _at_signs(text)
    pieces[:2] = [" ".join(pieces[:2])]
    line = pieces[0]
    lines: list[str] = []
    for piece in pieces[1:]:
        if cell_len(f"{line} {piece}") <= room - (4 if lines else 0):
            line = f"{line} {piece}"
        else:
            lines.append(line)
            line = piece
    lines.append(line)
    for number, each in enumerate(lines):
        paper.text(each, "", indent + (4 if number else 0), indent + 8)


def _at_signs(text: str) -> list[str]:
    """A chain of equalities cut before each sign that stands outside brackets."""
    pieces, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0)
        if not depth and sign in "=≈" and text[place - 1 : place + 2] == f" {sign} ":
            pieces.append(text[start:place].rstrip())
            start = place
    pieces.append(text[start:])
    return [p for p in pieces if p]


def _last_sign(text: str) -> tuple[str, str, str]:
    pieces = _at_signs(text)
    if len(pieces) < 2:
        return text, "", ""
    tail = pieces[-1]
    return text[: len(text) - len(tail)], tail[:2], tail[2:]
