"""Tables in a terminal: numbers right-aligned under their labels, weights shaded, cut to the width."""

from __future__ import annotations

from functools import cached_property

from rich.cells import cell_len

from workings.frozen import frozen
from workings.views.paper import Paper, Piece, aligned, block, shade, shortened
from workings.views.tables import GAP, Cell, Grid, Table, grid, inline, slices

_MOST_ROWS = 12
_MOST_SLICES = 4
# The widest label, in columns, and whether weights without colour carry a bar: tried from the roomiest to the tightest.
_LAYOUTS = ((16, True), (10, True), (10, False), (6, False))
_ROOMY = 60
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
    layout = _fitting(table, place, room, paper.colour)
    found, widths = layout.grid, layout.widths
    if found.caption:
        paper.put((" " * indent + shortened(found.caption, room), "dim"))
    header: list[Piece] = [(" " * (indent + layout.left), "")]
    for name, width in zip(found.columns, widths, strict=True):
        header.append(("  " + aligned(layout.label(name), width, right=True), "" if found.named_columns else "dim"))
    paper.put(*header)
    for name, cells in found.rows:
        label = aligned(layout.label(name), layout.left)
        line: list[Piece] = [(" " * indent, ""), (label, "" if found.named_rows else "dim")]
        for cell, width in zip(cells, widths, strict=True):
            line += _cell(cell, width, paper.colour, layout.bars)
        paper.put(*line)
    return found.cut


def _cell(cell: Cell, width: int, colour: bool, bars: bool) -> list[Piece]:
    if cell.shade is None or not (colour or bars):
        return [("  " + aligned(cell.text, width, right=True), "dim" if cell.text == GAP else "")]
    if not colour:
        return [("  " + aligned(f"{cell.text} {block(cell.shade)}", width, right=True), "")]
    style = (shade(cell.shade) + (" bold" if cell.largest else "")).strip()
    return [(" ", ""), (" " + aligned(cell.text, width - 1, right=True) + " ", style)]


@frozen
class _Layout:
    """A grid with the widths of its columns."""

    grid: Grid
    longest: int  # label
    bars: bool
    colour: bool

    def label(self, text: str) -> str:
        return shortened(text, self.longest)

    @cached_property
    def left(self) -> int:
        return max(cell_len(self.label(name)) for name, _ in self.grid.rows)

    @cached_property
    def widths(self) -> list[int]:
        out = []
        for at, name in enumerate(self.grid.columns):
            cells = [cells[at] for _, cells in self.grid.rows]
            mark = 2 if (self.bars or self.colour) and any(c.shade is not None for c in cells) else 0
            numbers = (cell_len(c.text) + (mark if c.text != GAP else 0) for c in cells)
            out.append(max(cell_len(self.label(name)), *numbers))
        return out

    @property
    def total(self) -> int:
        return self.left + sum(self.widths) + 2 * len(self.widths)


def _fitting(table: Table, place: tuple[int, ...], room: int, colour: bool) -> _Layout:
    """The roomiest layout that shows every column; where none does, as many columns as fit."""
    columns = table.shape[-1]
    whole = grid(table, _MOST_ROWS, min(columns, max(room // 3, 1)), place)
    for longest, bars in _LAYOUTS:
        layout = _Layout(whole, longest, bars, colour)
        if layout.total <= room:
            return layout
    longest, bars = _LAYOUTS[1] if room >= _ROOMY else _LAYOUTS[-1]
    found = None
    few, many = 2, len(whole.columns)  # fewer columns are narrower: looked for between them
    while few <= many:
        most = (few + many) // 2
        layout = _Layout(grid(table, _MOST_ROWS, most, place), longest, bars, colour)
        if layout.total <= room:
            found, few = layout, most + 1
        else:
            many = most - 1
    return found or _Layout(grid(table, _MOST_ROWS, 1, place), longest, False, colour)
