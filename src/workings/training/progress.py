"""A training on the terminal: one line that moves, and a line for everything that stays."""

from __future__ import annotations

import math
import time
from typing import final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from workings.training.listeners import Finding, Limits, Listener, Outcome, Report, Validation

_ENDED = {
    "finished": "All steps are done",
    "early": "Validation has stopped improving",
    "time": "The time is used up",
    "stopped": "Stopped",
}


@final
class Terminal(Listener):
    """Tells a person, on standard error. Where that is no terminal, it prints the reports line by line."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._limits = Limits(steps=0)
        self._first = 0
        self._since = 0.0
        self._speed = _Speed()
        self._validated = ""

    def said(self, text: str) -> None:
        self._print(text)

    def checked(self, finding: Finding) -> None:
        self._print(
            f"  {'✓' if finding.fine else '!'} {finding.check}: {finding.said}", "" if finding.fine else "yellow"
        )

    def began(self, step: int, limits: Limits) -> None:
        self._limits, self._first, self._since = limits, step, time.monotonic()
        if self.console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), TextColumn("{task.fields[line]}"))
            self._bar = Progress(*columns, console=self.console, transient=True)
            self._task = self._bar.add_task("", total=limits.steps, completed=step, line="")
            self._bar.start()

    def stepped(self, report: Report) -> None:
        self._speed.add(report)
        if self._bar is not None:
            line = "  ".join(part for part in (self._course(report), self._validated, self._left(report.step)) if part)
            self._bar.update(self._task, description=self._step(report.step), completed=report.step, line=line)

    def reported(self, report: Report) -> None:
        if self._bar is None:
            self._print(f"{self._step(report.step)}  {self._course(report)}  {self._left(report.step)}")

    def validated(self, validation: Validation) -> None:
        self._validated = f"validation {validation.loss:.4f}"
        best = ", the best so far" if validation.best else ""
        self._print(
            f"step {validation.step:,}: validation loss {validation.loss:.4f}, perplexity "
            f"{_perplexity(validation.loss)}, accuracy {validation.accuracy:.1%}{best}"
        )

    def ended(self, outcome: Outcome) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        best = "" if outcome.best_loss is None else f"; best at step {outcome.best_step:,}: {outcome.best_loss:.4f}"
        self._print(f"{_ENDED[outcome.ended]} after step {outcome.step:,}, {duration(outcome.seconds)}{best}.")

    def close(self) -> None:
        """Leave the terminal as it was, whatever happened."""
        if self._bar is not None:
            self._bar.stop()

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style), soft_wrap=True)

    def _step(self, step: int) -> str:
        return f"step {step:,}/{self._limits.steps:,}"

    def _course(self, report: Report) -> str:
        return f"loss {report.loss:.4f}  {self._speed.tokens_a_second():,.0f} tokens/s"

    def _left(self, step: int) -> str:
        """The time until the steps are done, or until the minutes are used up."""
        done = step - self._first
        passed = time.monotonic() - self._since
        left = passed / done * (self._limits.steps - step) if done else math.inf
        if self._limits.minutes is not None:
            left = min(left, max(0.0, 60 * self._limits.minutes - passed))
        return f"{duration(left)} left" if math.isfinite(left) else ""


class _Speed:
    """Tokens a second, over about the last twenty steps."""

    def __init__(self) -> None:
        self.tokens = self.seconds = 0.0

    def add(self, report: Report) -> None:
        self.tokens = 0.95 * self.tokens + report.tokens
        self.seconds = 0.95 * self.seconds + report.seconds

    def tokens_a_second(self) -> float:
        return self.tokens / self.seconds if self.seconds else 0.0


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, as far as they matter."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def _perplexity(loss: float) -> str:
    return f"{math.exp(loss):.4g}" if loss < 700 else "beyond measure"
