"""A Working in a terminal: aligned tables, shaded weights, formulas in Unicode, within the width there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from workings.reading.line import Arithmetic, shared_prefix
from workings.recording.working import Ref, Working
from workings.views.document import (
    Block,
    Displayed,
    Document,
    Heading,
    Listing,
    Loop,
    Pair,
    Printed,
    Prose,
    Same,
    Step,
    Worked,
)
from workings.views.naming import shortened_address
from workings.views.page import tell
from workings.views.paper import Paper, aligned, shortened, wrapped
from workings.views.plain import plain_lines
from workings.views.tables import Table, visible
from workings.views.terminal_equalities import put_equality
from workings.views.terminal_tables import put_table

if TYPE_CHECKING:
    from workings.reading.replay import Replay

_INDENT = 2
_TABLE = 6


def render(working: Working, *, depth: str = "steps", colour: bool | None = None, width: int | None = None) -> str:
    """The whole Working as text.

    ``depth`` is "sentences", "steps" or "numbers"; ``colour`` None asks the terminal; ``width`` None takes its width,
    80 where there is none. Raises ``ValueError`` for another depth.
    """
    paper = Paper(width, colour)
    put_document(paper, tell(working, depth))
    return paper.finished()


def render_value(working: Working, ref: Ref, colour: bool = False, width: int | None = None) -> str:
    """One value: its address, its shape and its numbers."""
    from workings.recording.operations.bound import as_array
    from workings.views.tables import is_distribution, scalar

    paper = Paper(width, colour)
    array = as_array(working.value(ref))
    path = working.index.element_path(ref)
    if not array.shape:
        paper.text(f"{visible(path)} = {scalar(array[()], working.decimals)}", hang=4)
        return paper.finished()
    labels = working.labels(ref.step)[len(ref.index) :]
    table = Table(path.split(".")[-1], path, array, labels, working.decimals, is_distribution(array))
    paper.sides([(shortened(visible(path), paper.width), "name")], table.shape_words if array.ndim > 1 else "")
    put_table(paper, table, _INDENT)
    return paper.finished()


def render_arithmetic(
    working: Working, arithmetic: Arithmetic, colour: bool | None = None, width: int | None = None
) -> str:
    """One number worked out, a line for each number it was made from."""
    from workings.views.notices import place

    paper = Paper(width, colour)
    names = [_short_name(working, line.name) for line in arithmetic]
    prefix = shared_prefix(names)
    if prefix:
        paper.text(f"in {visible(prefix.removesuffix('.'))}", "dim")
    if arithmetic.more:
        paper.text(f"… {arithmetic.more} earlier lines are left out; ask for more depth", "note")
    for name, line in zip(names, arithmetic, strict=True):
        put_equality(paper, line.text(label=visible(name[len(prefix) :])), place(line.site, working.source.file))
    return paper.finished()


def _short_name(working: Working, name: str) -> str:
    """A line's address without the groups it does not need."""
    path, bracket, rest = name.partition("[")
    if path in working:
        path = shortened_address(working, path, working.find(path))
    return path + bracket + rest


def render_replay(replay: Replay, *, colour: bool | None = None, width: int | None = None) -> str:
    """A what-if: what was changed, what moved most and by how much, and the results before and after."""
    from workings.views.replaying import tell_replay

    paper = Paper(width, colour)
    put_document(paper, tell_replay(replay))
    return paper.finished()


def render_blocks(blocks: Sequence[Block], *, colour: bool | None = None, width: int | None = None) -> str:
    """A part of a page."""
    paper = Paper(width, colour)
    _put_blocks(paper, blocks)
    return paper.finished()


def put_document(paper: Paper, document: Document) -> None:
    paper.sides([(shortened(visible(document.title), paper.width), "title")], visible(document.origin))
    paper.put(("─" * paper.width, "dim"))
    _put_blocks(paper, document.blocks)


def _put_blocks(paper: Paper, blocks: Sequence[Block]) -> None:
    before: Block | None = None
    for block in blocks:
        _put(paper, block, before)
        before = block


def _put(paper: Paper, block: Block, before: Block | None) -> None:
    match block:
        case Heading():
            _heading(paper, block)
        case Prose():
            _prose(paper, block, before)
        case Displayed():
            _displayed(paper, block)
        case Step():
            _step(paper, block, before)
        case Loop():
            paper.blank()
            left = [(f"{block.code}:", "name")]
            paper.sides(left, block.place, _INDENT, 4)
            _sentence(paper, block.sentence)
        case Same():
            said = ",  ".join(" = ".join(map(visible, chain)) for chain in block.chains)
            paper.text(said, "dim", _INDENT, _INDENT + 4)
        case Table():
            put_table(paper, block, _TABLE if paper.width >= 60 else _INDENT)
        case Pair():
            _pair(paper, block)
        case Worked():
            for label, line in block.lines:
                put_equality(paper, line.text(label=label), "", _INDENT + 2)
            if block.more:
                paper.text(f"… {block.more}", "note", _INDENT + 2)
        case Listing():
            _listing(paper, block)
        case Printed():
            paper.blank()
            paper.put(("Printed", "heading"))
            for row in block.text.rstrip("\n").split("\n"):
                text = "".join(c if c.isprintable() else " " if c == "\t" else "�" for c in row.rstrip("\r"))
                room = paper.width - _INDENT
                for piece in [text] if cell_len(text) <= room else wrapped(text, room, room):
                    paper.put((" " * _INDENT, ""), (piece, ""))


def _heading(paper: Paper, block: Heading) -> None:
    paper.blank()
    number = f"§{block.number} " if block.number else ""
    label = f"  {block.label}" if block.label else ""
    text = shortened(number + visible(block.text) + label, paper.width)
    right = " · ".join(p for p in (visible(block.path) if block.path else "", block.place) if p)
    if block.level > 1:
        paper.sides([(text, "sub")], right)
        return
    line = "─" * (paper.width - cell_len(text) - cell_len(right) - 2)
    if len(line) < 2:
        paper.sides([(text, "heading")], right)
    else:
        paper.put((text, "heading"), (f" {line} " if right else f" {line}─", "dim"), (right, "dim"))


def _prose(paper: Paper, block: Prose, before: Block | None) -> None:
    if block.kind == "note":
        if not isinstance(before, (Table, Worked, Prose)):
            paper.blank()
        paper.text(block.text, "note", _TABLE if isinstance(before, Table) else _INDENT)
    elif block.kind == "error":
        paper.text(block.text, "error")
    else:
        if not isinstance(before, Heading):
            paper.blank()
        paper.text(block.text, "sentence", _INDENT)


def _pair(paper: Paper, block: Pair) -> None:
    """Before and after, side by side where the width allows it."""
    sides = Paper(paper.width, paper.colour), Paper(paper.width, paper.colour)
    for side, table in zip(sides, (block.before, block.after), strict=True):
        put_table(side, table, 0)
    left = Paper(paper.width, paper.colour)
    for line in sides[0].lines:
        left.put((" " * _TABLE, ""), *line)
    if not paper.beside(left, sides[1], 4):
        for table in (block.before, block.after):
            put_table(paper, table, _TABLE if paper.width >= 60 else _INDENT)


def _displayed(paper: Paper, block: Displayed) -> None:
    paper.blank()
    lines = plain_lines(block.latex)
    for number, line in enumerate(lines):
        paper.sides([(line, "formula")], block.label if number == len(lines) - 1 else "", _TABLE, 4)


def _step(paper: Paper, block: Step, before: Block | None) -> None:
    paper.blank()
    result = f" = {block.result}" if block.result and not block.stated else ""
    if block.formula is not None:
        said = block.formula.text + result
    elif block.code and block.result and "=" not in block.code:
        said = f"{visible(block.code)} → {block.result}"
    else:
        said = (visible(block.code) if block.code else visible(block.name)) + result
    times = f" ×{block.times}" if block.times > 1 else ""
    address = visible(block.path) if block.path else ""
    right = " · ".join(p for p in (address if address != said else "", block.place + times) if p)
    paper.sides([(said, "name")], right, _INDENT, 4)
    _sentence(paper, block.sentence)


def _sentence(paper: Paper, sentence: str) -> None:
    if sentence:
        paper.text(visible(sentence), "sentence", _INDENT)


def _listing(paper: Paper, block: Listing) -> None:
    if block.title:
        paper.blank()
        paper.put((block.title, "heading"))
    left = min(max((cell_len(visible(name)) for name, _ in block.rows), default=0), paper.width // 2)
    for name, said in block.rows:
        lines = wrapped(visible(said), paper.width - left - 4, paper.width - left - 4)
        for number, line in enumerate(lines):
            paper.put(("  " + aligned(visible(name) if not number else "", left) + "  ", "dim"), (line, ""))
