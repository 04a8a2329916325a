"""What a page says of the symbols in its formulas: which value each stands for, what it means, where it is made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from workings.equations import EQUATIONS, equation_of
from workings.reading.formula.marking import About, equation_mathml
from workings.reading.glossary import Word, word
from workings.reading.names import Names
from workings.recording.operations import meaning
from workings.recording.operations.catalogue import describe
from workings.recording.working import Group, Ref, Step
from workings.views import document
from workings.views.live.parts import seen
from workings.views.live.program import Program
from workings.views.naming import last_name

_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'


class Symbols:
    """The symbols of one document. A symbol is known where its value is shown as a step of its own.

    Attributes:
        words: the words of the glossary that symbols refer to, with their sentences; they gather as formulas are made.
    """

    def __init__(self, program: Program, blocks: list[document.Block]) -> None:
        self.program = program
        self.working = working = program.working
        self.names = Names(working)
        self.words: dict[str, str] = {}
        self.shown: dict[Ref, document.Step] = {}
        for block in blocks:
            if isinstance(block, document.Step) and block.path and program.numeric(ref := working.find(block.path)):
                self.shown.setdefault(ref, block)
        self.lines: dict[tuple[int, int], list[Step]] = defaultdict(list)
        self.last: dict[int, int] = {}  # of each group with all that is inside it, the step that ran last
        for step in working.steps:
            self.lines[step.group, step.statement].append(step)
            for group in self._around(step.group):
                self.last[group.number] = step.number

    def formula(self, block: document.Step) -> str:
        """The formula of a step, each name that it makes or reads with its value; empty where it has none."""
        if block.formula is None:
            return ""
        if block.line is None:
            return _within(block.formula.mathml())
        group, statement = block.line
        made = self._known(self.names.made(group, statement), group, own=False)
        read = self._known(self.names.read(group, statement), group, own=not block.helper)
        return _within(block.formula.mathml(made, read))

    def equation(self, block: document.Displayed) -> str:
        """An equation: its letters with the values that they stand for here, its functions with their words."""
        known = self._known(self.names.within(block.group), block.group)
        count = Counter(block.symbols.values())
        letters = {letter: known.get(name) if count[letter] == 1 else None for name, letter in block.symbols.items()}
        return _within(equation_mathml(block.latex, letters, self._function))

    def data(self) -> dict[str, dict[str, Any]]:
        """Each value that is shown, by its address: where its numbers are, a sentence, its line and its place."""
        view = self.program.view
        return {block.path: {"at": view(ref), **self._about(ref, block)} for ref, block in self.shown.items()}

    def _known(self, values: Mapping[str, Ref], group: int, *, own: bool = True) -> dict[str, About]:
        """What symbols carry: their value's address, its word, and the name of their ``own``, if it is another."""
        equation = self.working.groups[group].equation
        out: dict[str, About] = {}
        for name, ref in values.items():
            if ref in self.shown:
                path = self.shown[ref].path
                outside = last_name(path)
                here = {"symbol": name} if own and name != outside else {}
                out[name] = {"value": path, **here, **self._word(name, outside, equation)}
        return out

    def _word(self, name: str, outside: str, equation: str) -> dict[str, str]:
        """The word of the glossary that explains a value, or a name that one of the word's equations gives it.

        The names of an example are those of the glossary; in a script the same name may mean anything.
        """
        found = word(outside) if self.working.source.kind == "example" else None
        here = word(name)
        if found is None and here is not None and equation in here.equations:
            found = here
        return self._said_of(found)

    def _function(self, name: str) -> About | None:
        return self._said_of(word(name)) or None

    def _said_of(self, found: Word | None) -> dict[str, str]:
        if found is None:
            return {}
        self.words[found.name] = found.sentence
        return {"word": found.name}

    def _about(self, ref: Ref, block: document.Step) -> dict[str, str]:
        site = self.working.steps[ref.step].site
        code = site.text.strip().splitlines()[0] if site is not None and site.text else ""
        about = {"said": block.sentence or self._said(ref), "code": code, "place": block.place}
        return {key: seen(text) for key, text in about.items() if text}

    def _said(self, ref: Ref) -> str:
        """What an equation says of its result; else what the one operation of a line does."""
        step = self.working.steps[ref.step]
        around = next((group for group in self._around(step.group) if group.equation), None)
        if around is not None and self.last[around.number] == step.number:
            equation = equation_of(EQUATIONS[around.equation])
            return equation.sentence if equation is not None else ""
        made = [s for s in self.lines[step.group, step.statement] if meaning.kind(s) not in ("given", "size")]
        return describe(step.operation, step.output).sentence if made == [step] else ""

    def _around(self, number: int | None) -> list[Group]:
        """A group and those around it, from the inside out."""
        out = []
        while number is not None:
            out.append(self.working.groups[number])
            number = out[-1].parent
        return out


def _within(math: str) -> str:
    """A ``<math>`` element as HTML has it, which needs no namespace."""
    return math.replace(_NAMESPACE, "", 1)
