"""Formulas as one line of Unicode for a terminal."""

from __future__ import annotations

from workings.reading.formula import nodes as tree
from workings.reading.formula.nodes import Node
from workings.reading.formula.printing import Printer, gathered
from workings.reading.formula.signs import FENCES, MARKS, RELATIONS, SEPARATORS, SIGNS, Level, Style, level
from workings.reading.formula.symbols import SUBSCRIPTS, SUPERSCRIPTS, clean

_RAISED = set("0123456789−in")


class TextPrinter(Printer):
    """Plain text: fractions as strokes, small raised and lowered figures where Unicode has them."""

    style = Style.TEXT

    def bracket(self, inner: str) -> str:
        return f"({inner})"

    def sign(self, name: str) -> str:
        return SIGNS[name][1]

    def relation(self, name: str) -> str:
        return "¬" if name == "not" else RELATIONS[name][1]

    def between(self, sign: str, left: Node | None, right: Node | None) -> str:
        if self.misleads(left, right) or isinstance(left, tree.Root):
            return " · "
        called = isinstance(right, tree.Apply) and isinstance(right.function, tree.Symbol) and right.function.wide
        if sign == "@" or isinstance(left, tree.Number) or not (called or self.runs_on(left, right)):
            return " "
        return " · "

    def closed(self, node: tree.Apply) -> str:
        return f"{self.function(node.function)}({self.listed(node.arguments)})"

    # -- leaves -----------------------------------------------------------------------------------------------------

    def write_symbol(self, node: tree.Symbol) -> str:
        return node.text

    def write_number(self, node: tree.Number) -> str:
        unit = "i" if node.imaginary else ""
        if not node.exponent:
            return node.digits + unit
        power = "10" + node.exponent.translate(SUPERSCRIPTS) + unit
        return power if node.digits == "1" else f"{node.digits}×{power}"

    def write_words(self, node: tree.Words) -> str:
        return clean(node.text)

    # -- operators --------------------------------------------------------------------------------------------------

    def write_fraction(self, node: tree.Fraction) -> str:
        return f"{self.within(node.top, Level.PRODUCT)} / {self._below(node.bottom)}"

    def _below(self, node: Node) -> str:
        """A divisor; a sum of one thing ends where it does and needs no brackets."""
        if isinstance(node, tree.Big) and level(node.body, Style.TEXT) >= Level.POWER:
            return self.show(node)
        return self.within(node, Level.POWER)

    def write_power(self, node: tree.Power) -> str:
        base, exponent = self.powered(node.base), self.show(node.exponent)
        if set(exponent) <= _RAISED and exponent != "−":
            return base + exponent.translate(SUPERSCRIPTS)
        simple = level(node.exponent, Style.TEXT) == Level.ATOM and " " not in exponent and "^" not in exponent
        return f"{base}^{exponent}" if simple else f"{base}^({exponent})"

    def write_mark(self, node: tree.Mark) -> str:
        return self.within(node.base, Level.ATOM) + MARKS[node.sign][1]

    def write_root(self, node: tree.Root) -> str:
        inner = self.within(node.operand, Level.ATOM)
        return f"√({inner})" if " " in inner and not inner.startswith("(") else f"√{inner}"

    def write_of(self, node: tree.Of) -> str:
        return f"{node.words} {self.within(node.operand, Level.POWER)}"

    def write_big(self, node: tree.Big) -> str:
        return f"{node.operator.text}{self.limits(node.bounds)} {self.within(node.body, Level.OPEN)}"

    def write_fenced(self, node: tree.Fenced) -> str:
        _, _, left, right = FENCES[node.fence]
        return left + self.show(node.content) + right

    # -- indices and bounds -----------------------------------------------------------------------------------------

    def write_subscript(self, node: tree.Subscript) -> str:
        indices = [self.within(index, Level.STATEMENT) for index in node.indices]
        base = node.base
        if node.parameter:
            stem = self.show(base) if isinstance(base, tree.Symbol) else self.within(base, Level.ATOM)
            return stem + _parameter(indices)
        letter, every = gathered(node)
        if isinstance(letter, tree.Symbol) and not (letter.wide or letter.indices or letter.raised or letter.lowered):
            if len(every) == 1 and indices[0].isdigit():
                return letter.text + indices[0].translate(SUBSCRIPTS)
            if all(isinstance(index, tree.Symbol) and len(index.text) == 1 for index in every):
                return f"{letter.text}_{''.join(map(self.show, every))}"
        stem = base.text if isinstance(base, tree.Symbol) else self.within(base, Level.ATOM)
        return f"{stem}[{', '.join(indices)}]"

    def write_span(self, node: tree.Span) -> str:
        ends = [node.start, node.stop] + ([node.step] if node.step else [])
        parts = [self.show(end) if end else "" for end in ends]
        return (" : " if any(" " in part for part in parts) else ":").join(parts).strip()

    def write_ranged(self, node: tree.Ranged) -> str:
        return f"{self.show(node.variable)} = {self.show(node.first)}, …, {self.show(node.last)}"

    def limits(self, bounds: tuple[Node, ...]) -> str:
        match bounds:
            case ():
                return ""
            case (tree.Ranged(variable=variable, first=first, last=last),):
                last_shown = self.show(last).replace(" ", "")
                tail = last_shown if last_shown.isalnum() else f"{{{last_shown}}}"
                return f"_{{{self.show(variable)}={self.show(first).replace(' ', '')}}}^{tail}"
        return _parameter([self.show(bound) for bound in bounds])

    # -- collections ------------------------------------------------------------------------------------------------

    def write_sequence(self, node: tree.Sequence) -> str:
        least = Level.SEQUENCE if node.separator == ";" else Level.STATEMENT
        inner = SEPARATORS[node.separator][1].join(self.within(item, least) for item in node.items)
        _, _, left, right = FENCES.get(node.fence, ("", "", "", ""))
        return left + inner + right

    def write_each(self, node: tree.Each) -> str:
        _, _, left, right = FENCES[node.fence]
        bounds = ", ".join(self.show(bound) for bound in node.bounds)
        return f"{left}{self.show(node.body)} for {bounds}{right}"

    def write_matrix(self, node: tree.Matrix) -> str:
        return "[" + "; ".join(self.listed(row) for row in node.rows) + "]"

    def write_cases(self, node: tree.Cases) -> str:
        branches = [f"{self.show(value)} if {self.show(condition)}" for value, condition in node.branches]
        return "{ " + "; ".join([*branches, f"{self.show(node.otherwise)} otherwise"]) + " }"


def _parameter(indices: list[str]) -> str:
    if len(indices) != 1 or not indices[0].isalnum():
        return f"_{{{', '.join(indices)}}}"
    return indices[0].translate(SUBSCRIPTS) if indices[0].isdigit() else f"_{indices[0]}"
