"""A Working as Markdown: headings and anchors, formulas for MathJax, tables with the heaviest weights bold."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workings.recording.working import Working
from workings.views.document import (
    Block,
    Displayed,
    Document,
    Heading,
    Listing,
    Loop,
    Over,
    Pair,
    Printed,
    Prose,
    Same,
    Step,
    Worked,
)
from workings.views.page import tell
from workings.views.tables import GAP, Cell, Grid, Table, grid, inline, slices, visible

_MOST_ROWS, _MOST_COLUMNS, _MOST_SLICES = 20, 12, 8
_INLINE = 8
_SPECIAL = re.compile(r"([\\`*_\[\]<>|$~#&{}])")
_AT_START = re.compile(r"^(\s*)([-+]|\d+(?=[.)]))")


def render(working: Working, *, depth: str = "steps") -> str:
    """The whole Working as GitHub-flavoured Markdown. Raises ``ValueError`` for an unknown depth."""
    return write(tell(working, depth))


def write(document: Document) -> str:
    """A page as Markdown."""
    writer = _Writer()
    parts = [f"# {escape(document.title)}", f"*{escape(document.origin)}*"]
    for block in document.blocks:
        parts += writer.block(block)
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """Text that Markdown and HTML leave as it is, on one line."""
    out = _SPECIAL.sub(r"\\\1", visible(text)).replace(r"\<", "&lt;").replace(r"\>", "&gt;").replace(r"\&", "&amp;")
    return _AT_START.sub(lambda m: m[1] + (m[2] + "\\" if m[2].isdigit() else "\\" + m[2]), out)


def code(text: str) -> str:
    """Text in a code span, whatever backticks are in it."""
    inner = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    air = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{fence}{air}{inner}{air}{fence}"


class _Writer:
    def __init__(self) -> None:
        self.anchors: dict[str, str] = {}

    def block(self, block: Block) -> Iterable[str]:
        match block:
            case Heading():
                return [self.heading(block)]
            case Prose(kind="sentence"):
                return [escape(block.text)]
            case Prose(kind="error"):
                return [f"**{escape(block.text)}**"]
            case Prose():
                return [f"*{escape(block.text)}*"]
            case Displayed():
                return ["\n".join(["$$", displayed(block.latex, block.label), "$$"])]
            case Step():
                return [self.step(block)]
            case Loop():
                return [_joined(code(block.code + ":"), *(escape(t) for t in (block.sentence, block.place) if t))]
            case Over():
                return []
            case Same():
                return [", ".join(" = ".join(code(name) for name in chain) for chain in block.chains)]
            case Table():
                return table(block)
            case Pair():
                return table(block.before) + table(block.after)
            case Worked():
                lines = [code(line.text(label=label)) for label, line in block.lines]
                more = [f"*… {escape(block.more)}*"] if block.more else []
                return ["  \n".join(lines), *more]
            case Listing():
                rows = "\n".join(f"- {escape(name)}: {escape(said)}" for name, said in block.rows)
                return [f"## {escape(block.title)}", rows] if block.title else [rows]
            case Printed():
                return ["## Printed", _fenced(block.text)]

    def heading(self, block: Heading) -> str:
        number = f"§{block.number} " if block.number else ""
        label = f" {block.label}" if block.label else ""
        marks = "#" * min(block.level + 1, 6)
        return f"{self.anchor(block.path)}\n{marks} {number}{escape(block.text)}{label}"

    def step(self, block: Step) -> str:
        result = f" = {block.result}" if block.result and not block.stated else ""
        if block.formula is not None:
            said = f"${block.formula.latex}${result}"
        elif block.code:
            said = code(block.code) + (f" → {block.result}" if block.result else "")
        else:
            said = f"**{escape(block.name)}**{result}"
        times = f" ×{block.times}" if block.times > 1 else ""
        address = code(block.path) if block.path and block.path != block.name else ""
        line = _joined(said, address, escape(block.place) + times if block.place else "")
        return f"{self.anchor(block.path)}{line}" + (f"  \n{escape(block.sentence)}" if block.sentence else "")

    def anchor(self, path: str) -> str:
        """``<a id="…"></a>`` for an address, once."""
        if not path or path in self.anchors:
            return ""
        stem = re.sub(r"[^\w.-]+", "-", path)
        taken, count = set(self.anchors.values()), 1
        name = stem
        while name in taken:
            count += 1
            name = f"{stem}-{count}"
        self.anchors[path] = name
        return f'<a id="{name}"></a>'


def displayed(latex: str, label: str) -> str:
    """A displayed formula with its numbers, such as (3)(5), as its tag."""
    number = label[1:-1].replace(")(", "),(") if label else ""
    return latex + (rf" \tag{{{number}}}" if number else "")


def table(block: Table) -> list[str]:
    """A value as one table, or one for each matrix it consists of."""
    out = [f"*{block.moment}*"] if block.moment else []
    if not block.array.size:
        return [*out, f"*empty: an array of {block.shape_words} numbers*"]
    if len(block.shape) == 1 and block.labels[0] is None and not block.shaded and block.shape[0] <= _INLINE:
        return [*out, code(inline(block))]
    places = slices(block, _MOST_SLICES) if len(block.shape) > 2 else [()]
    cut = None in places
    for place in places:
        if place is None:
            out.append(GAP)
            continue
        found = grid(block, _MOST_ROWS, _MOST_COLUMNS, place)
        cut = cut or found.cut
        out += ([code(found.caption)] if found.caption else []) + [_grid(found)]
    return out + ([f"*{block.shape_words} numbers, not all shown*"] if cut else [])


def _grid(found: Grid) -> str:
    bare = all(not name for name, _ in found.rows)
    head = ([] if bare else [""]) + [escape(name) for name in found.columns]
    rule = ([] if bare else [":--"]) + ["--:"] * len(found.columns)
    rows = [([] if bare else [escape(name)]) + [_cell(cell) for cell in cells] for name, cells in found.rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def _cell(cell: Cell) -> str:
    return f"**{cell.text}**" if cell.largest else cell.text


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _fenced(text: str) -> str:
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    inner = "".join(c if c.isprintable() or c in "\n\t" else "�" for c in text.rstrip("\n"))
    return f"{fence}text\n{inner}\n{fence}"
