"""Tables in a terminal: numbers right-aligned under their labels, weights shaded, cut to the width."""

from __future__ import annotations

from rich.cells import cell_len

from workings.views.paper import Paper, Piece, aligned, block, shade, shortened
from workings.views.tables import GAP, Cell, Grid, Table, grid, inline, slices

_MOST_ROWS = 12
_MOST_SLICES = 4
_LABEL = 16  # the widest label, in columns
_INLINE = 8  # the longest vector without labels that is written on one line


def put_table(paper: Paper, table: Table, indent: int) -> None:
    """A value: a vector on a line, a matrix, or the matrices an array with more axes consists of."""
    room = paper.width - indent
    if table.moment:
        paper.put((" " * indent + table.moment, "dim"))
    if not table.array.size:
        paper.text(f"empty: an array of {table.shape_words} numbers", "dim", indent)
        return
    if len(table.shape) == 1 and table.labels[0] is None and not table.shaded and table.shape[0] <= _INLINE:
        line = inline(table)
        if cell_len(line) <= room:
            paper.put((" " * indent, ""), (line, ""))
            return
    cut = False
    if len(table.shape) <= 2:
        cut = _put_grid(paper, table, (), indent)
    else:
        for place in slices(table, _MOST_SLICES):
            if place is None:
                paper.put((" " * indent + GAP, "dim"))
                cut = True
            else:
                cut = _put_grid(paper, table, place, indent) or cut
    if cut:
        paper.put((" " * indent + f"{table.shape_words} numbers, not all shown", "dim"))


def _put_grid(paper: Paper, table: Table, place: tuple[int, ...], indent: int) -> bool:
    room = paper.width - indent
    found = _fitting(table, place, room, paper.colour)
    if found.caption:
        paper.put((" " * indent + shortened(found.caption, room), "dim"))
    left, widths = _widths(found, paper.colour)
    if found.columns:
        header: list[Piece] = [(" " * (indent + left), "")]
        for name, width in zip(found.columns, widths, strict=True):
            header.append(("  " + aligned(_short(name), width, right=True), "" if found.named_columns else "dim"))
        paper.put(*header)
    for name, cells in found.rows:
        line: list[Piece] = [(" " * indent, ""), (aligned(_short(name), left), "" if found.named_rows else "dim")]
        for cell, width in zip(cells, widths, strict=True):
            line += _cell(cell, width, paper.colour)
        paper.put(*line)
    return found.cut


def _cell(cell: Cell, width: int, colour: bool) -> list[Piece]:
    if cell.shade is None:
        return [("  " + aligned(cell.text, width, right=True), "dim" if cell.text == GAP else "")]
    if not colour:
        return [("  " + aligned(f"{cell.text} {block(cell.shade)}", width, right=True), "")]
    style = (shade(cell.shade) + (" bold" if cell.largest else "")).strip()
    return [(" ", ""), (" " + aligned(cell.text, width - 1, right=True) + " ", style)]


def _fitting(table: Table, place: tuple[int, ...], room: int, colour: bool) -> Grid:
    """As many columns as there is room for."""
    most = min(table.shape[-1], max(room // 3, 1))
    while True:
        found = grid(table, _MOST_ROWS, most, place)
        left, widths = _widths(found, colour)
        if left + sum(widths) + 2 * len(widths) <= room or most <= 2:
            return found
        most -= 1


def _widths(found: Grid, colour: bool) -> tuple[int, list[int]]:
    left = max(cell_len(_short(name)) for name, _ in found.rows)
    widths = []
    for at, name in enumerate(found.columns):
        cells = [cells[at] for _, cells in found.rows]
        mark = 2 if any(c.shade is not None for c in cells) else 0
        widths.append(max(cell_len(_short(name)), *(cell_len(c.text) + (mark if c.text != GAP else 0) for c in cells)))
    return left, widths


def _short(label: str) -> str:
    return shortened(label, _LABEL)
