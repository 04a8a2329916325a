"""A Working as LaTeX that compiles with pdflatex, with nothing beyond amsmath, booktabs and xcolor."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workings.frozen import evolve
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
from workings.views.latex_text import escape, formula_safe, set_width
from workings.views.page import tell
from workings.views.tables import Cell, Grid, Table, grid, slices

_MOST_ROWS, _MOST_COLUMNS, _MOST_SLICES = 20, 12, 8
_WIDTH = 84  # the characters of a table that fit side by side
_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage{amssymb}
\usepackage{booktabs}
\usepackage[table]{xcolor}
\setlength{\parindent}{0pt}
\setlength{\parskip}{5pt plus 2pt}
\setlength{\textwidth}{16.5cm}
\setlength{\oddsidemargin}{-0.3cm}
\setlength{\textheight}{23.5cm}
\setlength{\topmargin}{-1.5cm}
\raggedbottom
\raggedright
"""
_LEVELS = ("section*", "section*", "subsection*", "subsubsection*")


def render(working: Working, *, depth: str = "steps", standalone: bool = True) -> str:
    """The whole Working as LaTeX: a document, or with ``standalone`` False what stands between its beginning and end.

    The body alone needs amsmath, amssymb, booktabs and xcolor with its option ``table``. Raises ``ValueError`` for an
    unknown depth.
    """
    return write(tell(working, depth), standalone=standalone)


def write(document: Document, *, standalone: bool = True) -> str:
    """A page as LaTeX."""
    writer = _Writer()
    title = rf"{{\Large\bfseries {escape(document.title)}}}\hfill {escape(document.origin)}\par\medskip\hrule"
    parts = [title]
    for block in document.blocks:
        parts += writer.block(block)
    body = "\n\n".join(part for part in parts if part) + "\n"
    return f"{_PREAMBLE}\n\\begin{{document}}\n\n{body}\n\\end{{document}}\n" if standalone else body


class _Writer:
    def __init__(self) -> None:
        self.labels: dict[str, str] = {}

    def block(self, block: Block) -> Iterable[str]:
        match block:
            case Heading():
                return [self.heading(block)]
            case Prose(kind="sentence"):
                return [rf"\emph{{{escape(block.text)}}}"]
            case Prose(kind="error"):
                return [rf"\textbf{{{escape(block.text)}}}"]
            case Prose():
                return [rf"{{\small\itshape {escape(block.text)}}}"]
            case Displayed():
                return [_displayed(block)]
            case Step():
                return [self.step(block)]
            case Loop():
                return [self._line(rf"\texttt{{{escape(block.code)}:}}", escape(block.place), block.sentence)]
            case Over():
                return []
            case Same():
                chains = (" = ".join(rf"\texttt{{{escape(name)}}}" for name in chain) for chain in block.chains)
                return [rf"{{\small {', '.join(chains)}}}"]
            case Table():
                return table(block)
            case Pair():
                return table(block.before) + table(block.after)
            case Worked():
                return _worked(block)
            case Listing():
                return _listing(block)
            case Printed():
                lines = block.text.rstrip("\n").split("\n")
                shown = "\\\\\n".join(rf"\texttt{{{_spaced(line)}}}\strut" for line in lines)
                return [r"\section*{Printed}", "{\\small\n" + shown + "\n}"]

    def heading(self, block: Heading) -> str:
        number = rf"\S{block.number}\enspace " if block.number else ""
        command = _LEVELS[min(block.level, len(_LEVELS) - 1)]
        label = f" {block.label}" if block.label else ""
        return rf"\{command}{{{number}{escape(block.text)}{label}}}{self.label(block.path)}"

    def step(self, block: Step) -> str:
        result = f" = {_number(block.result)}" if block.result and not block.stated else ""
        if block.formula is not None:
            said = rf"$\displaystyle {formula_safe(block.formula.latex)}$" + result
        elif block.code:
            said = rf"\texttt{{{escape(block.code)}}}" + (rf" $\to$ {_number(block.result)}" if block.result else "")
        else:
            said = rf"\textbf{{{escape(block.name)}}}" + result
        times = rf" $\times${block.times}" if block.times > 1 else ""
        address = rf"\texttt{{{escape(block.path)}}}" if block.path and block.path != block.name else ""
        where = escape(block.place) + times if block.place else ""
        right = r" $\cdot$ ".join(part for part in (address, where) if part)
        return self.label(block.path) + self._line(said, right, block.sentence)

    @staticmethod
    def _line(left: str, right: str, sentence: str) -> str:
        below = rf"\\ \emph{{{escape(sentence)}}}" if sentence else ""
        remark = rf"\hspace*{{1em}}\hspace*{{\fill}}\mbox{{\small\color{{gray}}{right}}}" if right else ""
        return rf"\medskip{left}{remark}{below}"

    def label(self, path: str) -> str:
        """``\\label{…}`` for an address, once."""
        if not path or path in self.labels:
            return ""
        stem = re.sub(r"[^A-Za-z0-9.:-]+", "-", path)
        taken, count = set(self.labels.values()), 1
        name = stem
        while name in taken:
            count += 1
            name = f"{stem}-{count}"
        self.labels[path] = name
        return rf"\label{{{name}}}"


def _displayed(block: Displayed) -> str:
    rows = re.split(r",\s*\\qquad\s*", block.latex)
    tag = rf" \tag*{{{block.label}}}" if block.label else r" \notag"
    lines = [rf"{row} \notag" for row in rows[:-1]] + [rows[-1] + tag]
    return "\\begin{gather}\n" + " \\\\\n".join(lines) + "\n\\end{gather}"


def _worked(block: Worked) -> list[str]:
    rows = []
    for label, line in block.lines:
        name, bracket, rest = label.partition("[")
        index = rf"$_{{\text{{{escape(rest.removesuffix(']'))}}}}}$" if bracket else ""
        shown = formula_safe(evolve(line, note="").text(latex=True, label=""))
        note = f" ({escape(line.note)})" if line.note else ""
        rows.append(rf"{escape(name)}{index} $= {shown}${note}")
    out = "{\\small\\hangindent=2em " + "\\par\n\\hangindent=2em ".join(rows) + "\\par}"
    return [out, rf"{{\small\itshape \ldots\ {escape(block.more)}}}"] if block.more else [out]


def _listing(block: Listing) -> list[str]:
    rows = "\n".join(rf"\item[{{{escape(name)}}}] {escape(said)}" for name, said in block.rows)
    listed = f"\\begin{{description}}\n{rows}\n\\end{{description}}"
    return [rf"\section*{{{escape(block.title)}}}", listed] if block.title else [listed]


def table(block: Table) -> list[str]:
    """A value as one tabular, or one for each matrix it consists of."""
    out = [rf"{{\small {block.moment}}}"] if block.moment else []
    if not block.array.size:
        return [*out, rf"{{\small\itshape empty: an array of {escape(block.shape_words)} numbers}}"]
    places = slices(block, _MOST_SLICES) if len(block.shape) > 2 else [()]
    cut = None in places
    for place in places:
        if place is None:
            out.append(r"\quad\ldots")
            continue
        found = _fitting(block, place)
        cut = cut or found.cut
        caption = [rf"{{\small\texttt{{{escape(found.caption)}}}}}\nopagebreak"] if found.caption else []
        out += [*caption, _tabular(found)]
    return out + ([rf"{{\small\itshape {escape(block.shape_words)} numbers, not all shown}}"] if cut else [])


def _fitting(block: Table, place: tuple[int, ...]) -> Grid:
    most = _MOST_COLUMNS
    while True:
        found = grid(block, _MOST_ROWS, most, place)
        columns = [[name, *(cells[at].text for _, cells in found.rows)] for at, name in enumerate(found.columns)]
        columns.append([name for name, _ in found.rows])
        if most <= 3 or sum(max(map(set_width, column)) + 3 for column in columns) <= _WIDTH:
            return found
        most -= 1


def _tabular(found: Grid) -> str:
    bare = all(not name for name, _ in found.rows)
    dim = "{}" if found.named_columns else r"\color{gray}{}"
    head = " & ".join(([] if bare else [""]) + [rf"{dim}{_short(name)}" for name in found.columns])
    rows = []
    for name, cells in found.rows:
        first = [] if bare else [("" if found.named_rows else r"\color{gray}") + "{}" + _short(name)]
        rows.append(" & ".join([*first, *map(_cell, cells)]) + r" \\")
    columns = ("" if bare else "l") + "r" * len(found.columns)
    body = "\n".join(rows)
    return (
        rf"\quad{{\small\begin{{tabular}}{{{columns}}}" + f"\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n"
        r"\end{tabular}}"
    )  # fmt: skip


def _cell(cell: Cell) -> str:
    text = _number(cell.text)
    if cell.largest:
        text = rf"\textbf{{{text}}}"
    if cell.shade is not None:
        text = rf"\cellcolor[gray]{{{1 - 0.4 * cell.shade:.2f}}}{text}"
    return text


def _short(label: str) -> str:
    return escape(label if len(label) <= 24 else label[:23] + "…")


def _number(text: str) -> str:
    return escape(text)


def _spaced(line: str) -> str:
    """Printed text with its spaces kept."""
    text = line.expandtabs(8)
    kept = len(text) - len(text.lstrip(" "))
    body = escape(text.strip(" ")) if text.strip(" ") else ""
    return "~" * kept + re.sub(" {2,}", lambda m: "~" * len(m[0]), body)
