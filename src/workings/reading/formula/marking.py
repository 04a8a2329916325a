"""Formulas as MathML whose symbols carry data: which value of a program each stands for.

A symbol travels through the converter in a group of its own that begins with a character of the private area.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape

from workings.reading.formula import nodes as tree
from workings.reading.formula.latex import LatexPrinter
from workings.reading.formula.mathml import mathml
from workings.reading.formula.signs import Style

About = Mapping[str, str]
"""What a symbol carries: ``{"value": "plain.scores"}`` is ``data-value="plain.scores"``."""

_FIRST = 0xE100
_MARKED = re.compile("<mrow><mi>([\ue100-\uf8ff])</mi>")


class _Marks:
    """What the symbols of one formula carry, each under the character it begins with."""

    def __init__(self) -> None:
        self.found: list[About] = []

    def around(self, latex: str, about: About) -> str:
        if about not in self.found:
            self.found.append(about)
        return f"{{{chr(_FIRST + self.found.index(about))}{latex}}}"

    def written(self, latex: str) -> str:
        """MathML with the data in the place of the marks."""
        return _MARKED.sub(lambda match: self._opening(self.found[ord(match[1]) - _FIRST]), mathml(latex))

    def _opening(self, about: About) -> str:
        return "<mrow" + "".join(f' data-{name}="{escape(text)}"' for name, text in about.items()) + ">"


class _MarkingPrinter(LatexPrinter):
    """LaTeX with a mark before every symbol of which something is known."""

    def __init__(self, marks: _Marks, made: Mapping[str, About], read: Mapping[str, About], style: Style) -> None:
        super().__init__(style)
        self.marks, self.made, self.read = marks, made, read

    @property
    def small(self) -> LatexPrinter:
        return _MarkingPrinter(self.marks, self.made, self.read, Style.SCRIPT)

    @property
    def defining(self) -> LatexPrinter:
        return _MarkingPrinter(self.marks, {}, self.made, self.style)

    def named(self, node: tree.Symbol, latex: str) -> str:
        about = self.read.get(node.name)
        return latex if about is None else self.marks.around(latex, about)


def formula_mathml(latex: str, node: tree.Node | None, made: Mapping[str, About], read: Mapping[str, About]) -> str:
    """The ``<math>`` element of a statement, as :meth:`Formula.mathml` says."""
    if node is None or not (made or read):
        return mathml(latex)
    marks = _Marks()
    return marks.written(_MarkingPrinter(marks, made, read, Style.DISPLAY).show(node))


# -- equations, which are written as LaTeX ----------------------------------------------------------------------------

_GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_SIMPLE = re.compile(rf"\\?[A-Za-z]+(?:{_GROUP})?(?:[_^](?:{_GROUP}|[A-Za-z0-9]))*'*$")
_BOXED = r"\\(?:begin|end|operatorname|text|mathrm|mathsf|mathcal|mathbb|vec)\{[^{}]*\}"
_RAISED = rf"\^(?:{_GROUP}|\\?\w)"
# A letter with something above it is another letter, but for a transposed matrix.
_END = r"(?!')(?!\^(?!\{\\mathsf\s*T\}))"


def equation_mathml(latex: str, symbols: Mapping[str, About | None], function: Callable[[str], About | None]) -> str:
    """The ``<math>`` element of an equation.

    Args:
        symbols: what the equation's letters carry, by their LaTeX; None for a letter of which nothing is known.
        function: says what the name of a function carries.
    """
    simple = {symbol: about for symbol, about in symbols.items() if _SIMPLE.match(symbol)}
    known = "|".join(_whole(symbol) for symbol in sorted(simple, key=len, reverse=True))
    parts = re.compile("|".join(filter(None, [known, _BOXED, _RAISED, r"\\[A-Za-z]+"])))
    marks = _Marks()

    def marked(match: re.Match[str]) -> str:
        part = match[0]
        about = simple.get(part)
        if about is None and part.startswith(r"\operatorname{"):
            about = function(part.removeprefix(r"\operatorname{").removesuffix("}"))
        return part if about is None else marks.around(part, about)

    return marks.written(parts.sub(marked, latex))


def _whole(symbol: str) -> str:
    """A symbol where it stands by itself, not as the beginning of another."""
    letters = "(?![A-Za-z])" if symbol.startswith("\\") and symbol[-1].isalpha() else ""
    return re.escape(symbol) + letters + _END
