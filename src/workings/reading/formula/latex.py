"""Formulas as LaTeX with amsmath."""

from __future__ import annotations

from collections.abc import Iterable

from workings.reading.formula import nodes as tree
from workings.reading.formula.nodes import Node
from workings.reading.formula.printing import Printer, gathered
from workings.reading.formula.signs import FENCES, MARKS, RELATIONS, SEPARATORS, SIGNS, Level, Style
from workings.reading.formula.symbols import escape

_TALL = (r"\frac", r"\sum", r"\prod", r"\begin")


class LatexPrinter(Printer):
    """Displayed formulas; in an index or an exponent, a second printer whose fractions stay on the line."""

    def __init__(self, style: Style = Style.DISPLAY) -> None:
        self.style = style

    @property
    def small(self) -> LatexPrinter:
        return LatexPrinter(Style.SCRIPT)

    def fence(self, fence: str, inner: str) -> str:
        left, right, _, _ = FENCES[fence]
        if any(sign in inner for sign in _TALL):
            return rf"\left{left} {inner} \right{right}"
        gap = " " if left[-1].isalpha() or fence == "{" else ""
        return f"{left}{gap}{inner}{gap}{right}"

    def bracket(self, inner: str) -> str:
        return self.fence("(", inner)

    def sign(self, name: str) -> str:
        return SIGNS[name][0]

    def relation(self, name: str) -> str:
        return r"\lnot " if name == "not" else RELATIONS[name][0]

    def between(self, sign: str, left: Node | None, right: Node | None) -> str:
        if self.misleads(left, right):
            return r" \cdot "
        if not self.runs_on(left, right):
            return " "
        return r"\, " if sign == "@" or isinstance(left, tree.Number) else r" \cdot "

    def closed(self, node: tree.Apply) -> str:
        inner = self.fence("(", self.listed(node.arguments))
        return self.function(node.function) + (r"\!" if inner.startswith(r"\left") else "") + inner

    # -- leaves -----------------------------------------------------------------------------------------------------

    def write_symbol(self, node: tree.Symbol) -> str:
        return self.named(node, node.latex + (_script("_", self.indices(node.indices)) if node.indices else ""))

    def named(self, node: tree.Symbol, latex: str) -> str:
        """A symbol, or the letter of one, as it stands in the formula."""
        return latex

    def write_number(self, node: tree.Number) -> str:
        unit = "i" if node.imaginary else ""
        if not node.exponent:
            return node.digits + unit
        power = "10" + _script("^", node.exponent) + unit
        return power if node.digits == "1" else rf"{node.digits} \times {power}"

    def write_words(self, node: tree.Words) -> str:
        return rf"\text{{{escape(node.text)}}}"

    # -- operators --------------------------------------------------------------------------------------------------

    def write_fraction(self, node: tree.Fraction) -> str:
        if self.style is Style.SCRIPT:
            return f"{self.within(node.top, Level.PRODUCT)} / {self.within(node.bottom, Level.POWER)}"
        top, bottom = (
            self.small.show(part) if isinstance(part, tree.Fraction) else self.show(part)
            for part in (node.top, node.bottom)
        )
        return rf"\frac{{{top}}}{{{bottom}}}"

    def write_power(self, node: tree.Power) -> str:
        return self.powered(node.base) + _script("^", self.small.show(node.exponent))

    def write_mark(self, node: tree.Mark) -> str:
        return f"{self.within(node.base, Level.ATOM)}^{{{MARKS[node.sign][0]}}}"

    def write_root(self, node: tree.Root) -> str:
        return rf"\sqrt{{{self.show(node.operand)}}}"

    def write_of(self, node: tree.Of) -> str:
        return rf"\text{{{escape(node.words)} }} {self.within(node.operand, Level.POWER)}"

    def write_big(self, node: tree.Big) -> str:
        return f"{node.operator.latex}{self.limits(node.bounds)} {self.within(node.body, Level.OPEN)}"

    def write_fenced(self, node: tree.Fenced) -> str:
        return self.fence(node.fence, self.show(node.content))

    # -- indices and bounds -----------------------------------------------------------------------------------------

    def indices(self, indices: Iterable[Node]) -> str:
        """Letters side by side, anything longer between commas."""
        nodes = list(indices)
        shown = [self.small.within(index, Level.STATEMENT) for index in nodes]
        if all(isinstance(index, tree.Symbol) and not (index.wide or index.indices) for index in nodes):
            return " ".join(shown) if any(len(each) > 1 for each in shown) else "".join(shown)
        return r",\,".join(shown)

    def write_subscript(self, node: tree.Subscript) -> str:
        base, indices = gathered(node)
        if not isinstance(base, tree.Symbol):
            return self.within(base, Level.ATOM) + _script("_", self.indices(indices))
        stem = f"{{{base.latex}}}" if base.lowered else base.latex
        own = [self.indices(base.indices)] if base.indices else []
        return self.named(base, stem) + _script("_", r",\,".join([*own, self.indices(indices)]))

    def write_span(self, node: tree.Span) -> str:
        ends = [node.start, node.stop] + ([node.step] if node.step else [])
        parts = [self.show(end) if end else "" for end in ends]
        return (":" if all(len(part) < 3 for part in parts) else " : ").join(parts).strip()

    def write_ranged(self, node: tree.Ranged) -> str:
        return rf"{self.show(node.variable)} = {self.show(node.first)}, \dots, {self.show(node.last)}"

    def limits(self, bounds: tuple[Node, ...]) -> str:
        if not bounds:
            return ""
        small = self.small
        match bounds:
            case (tree.Ranged(variable=variable, first=first, last=last),):
                return f"_{{{small.show(variable)} = {small.show(first)}}}^{{{small.show(last)}}}"
        return _script("_", r",\,".join(small.show(bound) for bound in bounds))

    # -- collections ------------------------------------------------------------------------------------------------

    def write_sequence(self, node: tree.Sequence) -> str:
        least = Level.SEQUENCE if node.separator == ";" else Level.STATEMENT
        inner = SEPARATORS[node.separator][0].join(self.within(item, least) for item in node.items)
        return self.fence(node.fence, inner) if node.fence else inner

    def write_each(self, node: tree.Each) -> str:
        return self.fence(node.fence, self.show(node.body)) + self.limits(node.bounds)

    def write_matrix(self, node: tree.Matrix) -> str:
        rows = r" \\ ".join(_row([self.within(entry, Level.STATEMENT) for entry in row]) for row in node.rows)
        return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"

    def write_cases(self, node: tree.Cases) -> str:
        rows = [_row([self.show(value), rf"\text{{if }} {self.show(condition)}"]) for value, condition in node.branches]
        rows.append(_row([self.show(node.otherwise), r"\text{otherwise}"]))
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def _row(cells: list[str]) -> str:
    """One row of an alignment. A bracket right after the row's start would be read as an option."""
    return ("{}" if cells[0].startswith("[") else "") + " & ".join(cells)


def _script(mark: str, inner: str) -> str:
    return mark + (inner if len(inner) == 1 and inner.isalnum() else f"{{{inner}}}")
