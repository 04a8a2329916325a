"""`workings show … --predict`: each value is asked for before it is shown."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workings.commands.output import write_now
from workings.reading.numbers import number, rounded
from workings.recording.address import AddressError
from workings.recording.operations import meaning
from workings.recording.operations.bound import scalar
from workings.recording.working import Ref, Working
from workings.views import terminal
from workings.views.document import Block, Document
from workings.views.page import tell
from workings.views.paper import Paper
from workings.views.tables import Table, visible


def predict(working: Working, depth: str, colour: bool, width: int) -> None:
    """Show a Working value by value, and ask for each before it is shown. The end of the input ends the asking."""
    document = tell(working, depth)
    title = Document(document.title, document.origin, [])
    paper = Paper(width, colour)
    terminal.put_document(paper, title)
    write_now(paper.finished() + "\n")
    asking = _Asking(working, width)
    for question in working.questions:
        now = number(working.element(question.at), working.decimals)
        asking.ask(f"{question.ask} {_address(working, question.at)} is {now} now.", None)
        truth = working.replay(dict(question.changes)).value(question.at)
        asking.tell_number(scalar(truth))
    waiting: list[Block] = []
    for block in document.blocks:
        ref = _made(working, block)
        if ref is not None and isinstance(block, Table) and not asking.over:
            write_now(terminal.render_blocks(waiting, colour=colour, width=width))
            waiting = []
            _ask(asking, working, block, ref)
        waiting.append(block)
    write_now(terminal.render_blocks(waiting, colour=colour, width=width))
    asking.end()


def _made(working: Working, block: Block) -> Ref | None:
    """The value of a table, if it was computed."""
    if not isinstance(block, Table) or not block.path or not block.array.size or block.array.dtype.kind not in "fiub":
        return None
    try:
        ref = working.find(block.path)
    except AddressError:
        return None
    return ref if meaning.kind(working.steps[ref.step]) not in ("given", "movement", "opaque", "size") else None


def _ask(asking: _Asking, working: Working, table: Table, ref: Ref) -> None:
    row = table.array[0] if table.array.ndim == 2 else table.array
    names = table.labels[-1]
    if table.shaded and names is not None and row.ndim == 1 and np.sum(row == row.max()) == 1:
        whose = f", row {visible(table.labels[0][0])}" if table.array.ndim == 2 and table.labels[0] else ""
        asking.ask(f"Which gets the most of {table.path}{whose}?", names)
        asking.tell_choice(int(row.argmax()))
        return
    first = Ref(ref.step, (*ref.index, *(0,) * table.array.ndim))
    asking.ask(f"What will {_address(working, first)} be?", None)
    asking.tell_number(scalar(table.array.reshape(-1)[0]))


def _address(working: Working, ref: Ref) -> str:
    return visible(working.index.element_path(ref))


@dataclass
class _Asking:
    """The questions so far, and what was answered."""

    working: Working
    width: int
    asked: int = 0
    right: int = 0
    over: bool = False
    guess: float | None = None

    def ask(self, question: str, choices: Sequence[str] | None) -> None:
        """Ask until an answer can be read. Nothing typed means: show it."""
        self.guess = None
        if self.over:
            return
        offered = f" ({', '.join(map(visible, choices))})" if choices is not None else ""
        paper = Paper(self.width, False)
        paper.text(f"{question}{offered}")
        write_now(f"\n{paper.finished()}")
        while True:
            write_now("Your guess (Enter: show it): ")
            line = sys.stdin.readline()
            if not line:
                self.over = True
                write_now("\n")
                return
            text = line.strip()
            if not text:
                return
            self.guess = _number(text) if choices is None else _choice(text, choices)
            if self.guess is not None:
                self.asked += 1
                return
            expected = "a number, such as 0.25" if choices is None else f"one of {', '.join(map(visible, choices))}"
            write_now(f"{text!r} is no answer; expected {expected}.\n")

    def tell_number(self, truth: object) -> None:
        """Say what it is, and how far off the guess was."""
        decimals = self.working.decimals
        shown = number(truth, decimals)
        if self.guess is None:
            write_now(f"It is {shown}.\n\n" if not self.over else "")
            return
        value = float(truth)  # type: ignore[arg-type]
        fits = math.isfinite(value) and rounded(value, decimals) == rounded(self.guess, decimals)
        self.right += fits or value == self.guess
        off = number(abs(self.guess - value), decimals)
        write_now(f"Right: it is {shown}.\n\n" if fits else f"It is {shown}: you are {off} off.\n\n")

    def tell_choice(self, truth: int) -> None:
        """Say whether the guess was right; the table that follows says the rest."""
        if self.guess is not None:
            self.right += self.guess == truth
            write_now("Right.\n\n" if self.guess == truth else "Not so; see:\n\n")

    def end(self) -> None:
        """How many guesses were right."""
        if self.asked:
            write_now(f"\n{self.right} of {self.asked} guesses were right.\n")


def _number(text: str) -> float | None:
    try:
        value = float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _choice(text: str, choices: Sequence[str]) -> float | None:
    """A word, whole or begun, in either case."""
    names = [visible(choice).casefold() for choice in choices]
    wanted = text.casefold()
    fits = [place for place, name in enumerate(names) if name == wanted] or [
        place for place, name in enumerate(names) if name.startswith(wanted)
    ]
    return float(fits[0]) if len(fits) == 1 else None
