"""Lines of arithmetic: a number, how it was made, and what it is; alone and one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workings.frozen import frozen
from workings.reading.exact import sign_between, sign_of
from workings.reading.notation import Notation
from workings.recording.operations.expression import Expression, Relation
from workings.recording.working import Ref, Site


@frozen
class Line:
    """One line of arithmetic: a number, how it was made, and what it is."""

    name: str
    ref: Ref
    value: Any
    decimals: int
    expression: Expression | None = None
    expanded: Expression | None = None
    site: Site | None = None
    note: str = ""
    becomes: bool = False
    """Whether the arithmetic gives another number, which the type cannot hold: the note says what became of it."""

    def text(self, *, latex: bool = False, label: str | None = None) -> str:
        """``scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02``.

        ``label`` stands in place of the name; an empty one leaves it out.
        """
        notation = Notation(self.decimals, latex)
        result = notation.number(self.value)
        signs = {"=": "=", "≈": r"\approx", "→": r"\to"} if latex else {sign: sign for sign in "=≈→"}
        parts: list[str] = []
        label = self.name if label is None else label
        if label:
            parts += [latex_name(label) if latex else label, "="]
        written = notation.write(self.expression) if self.expression is not None else result
        if self.expression is not None and self.expanded is not None:
            whole = notation.write(self.expanded)
            if whole not in (written, result):
                truth = isinstance(self.value, bool)
                between = "=" if truth else sign_of(self.expanded, self.expression, self.decimals)
                parts += [_apart(whole, self.expanded, latex), signs[between]]
        if self.expression is not None and written != result:
            sign = "→" if self.becomes else sign_between(self.expression, self.value, self.decimals)
            parts += [_apart(written, self.expression, latex), signs[sign]]
        parts.append(result)
        if self.note:
            parts.append(rf"\quad\text{{{latex_text(self.note)}}}" if latex else f" ({self.note})")
        return " ".join(parts)


def _apart(text: str, expression: Expression, latex: bool) -> str:
    """A written expression between the signs of a line; one with a sign of its own is kept apart by brackets."""
    if not isinstance(expression, Relation) or expression.sign in ("//", "mod"):
        return text
    return rf"\left({text}\right)" if latex else f"({text})"


@dataclass(eq=False, repr=False)
class Arithmetic:
    """A number's lines, the ones it depends on first. Prints as they would stand on the board."""

    lines: list[Line] = field(default_factory=list)
    more: int = 0

    @property
    def last(self) -> Line:
        return self.lines[-1]

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    @property
    def prefix(self) -> str:
        """The groups that all lines stand in, with a dot at the end; empty where they share none."""
        return shared_prefix([line.name for line in self.lines])

    def __str__(self) -> str:
        cut = len(self.prefix)
        out = [line.text(label=line.name[cut:]) for line in self.lines]
        if self.more:
            out.insert(0, f"… {self.more} earlier lines are not shown; ask for more depth")
        return "\n".join(out)

    def latex(self) -> str:
        """An ``align*`` environment."""
        rows = [line.text(latex=True).replace("=", "&=", 1) for line in self.lines]
        return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"

    def _repr_latex_(self) -> str:
        return self.latex()

    def _repr_html_(self) -> str:
        from workings.views.notebook import plain

        return plain(str(self))


def shared_prefix(names: list[str]) -> str:
    """The groups that all addresses stand in, with a dot at the end; empty where they share none."""
    heads = [name.split("[")[0].split(".")[:-1] for name in names]
    shared = []
    for parts in zip(*heads, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return ".".join(shared) + "." if shared else ""


def latex_name(name: str) -> str:
    """An address as it stands in a formula."""
    path, bracket, rest = name.rpartition("[") if name.endswith("]") else (name, "", "")
    out = rf"\text{{{latex_text(path)}}}"
    if bracket:
        out += rf"_{{\text{{{latex_text(rest.removesuffix(']'))}}}}}"
    return out


_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": r"$-$", "×": r"$\times$", "≈": r"$\approx$",
}  # fmt: skip


def latex_text(text: str) -> str:
    """Text made safe for LaTeX."""
    return "".join(_LATEX_ESCAPES.get(c, c) for c in text)
