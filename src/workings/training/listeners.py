"""What a training tells while it runs, and who may listen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, final

Ended: TypeAlias = Literal["finished", "early", "time", "stopped"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a training goes on, and how often what happens.

    Attributes:
        steps: the last step.
        minutes: of training, over all its parts, after which it ends.
        validate_every, save_every, report_every: steps between them. The last step is followed by all three.
        patience: validations without a new best after which it ends; None: it goes on.
    """

    steps: int
    minutes: float | None = None
    validate_every: int = 500
    save_every: int = 500
    report_every: int = 50
    patience: int | None = None


@dataclass(frozen=True, kw_only=True)
class Report:
    """One or several steps. `loss` is the mean over their real targets, `accuracy` the share that scored highest."""

    step: int
    loss: float
    accuracy: float
    tokens: int
    rate: float
    norm: float
    seconds: float
    """Of these steps."""


@dataclass(frozen=True, kw_only=True)
class Validation:
    """The plain loss, without smoothing, on text that is not trained on; `best` says whether none was lower before."""

    step: int
    loss: float
    accuracy: float
    tokens: int
    best: bool


@dataclass(frozen=True)
class Finding:
    """What a check before the first step found."""

    check: str
    fine: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a training ended.

    "finished": all steps done; "early": validation had stopped improving; "time": the minutes were used up; "stopped":
    by a signal, saved, to be resumed.
    """

    ended: Ended
    step: int
    loss: float | None
    """The last one that was reported."""
    best_step: int | None
    best_loss: float | None
    seconds: float
    """Of training, over all its parts."""
    run: Path | None = None
    """Where everything is kept."""


class Listener:
    """Hears of everything and does nothing; override what is of interest."""

    def checked(self, finding: Finding) -> None:
        """A check before the first step is done."""

    def began(self, step: int, limits: Limits) -> None:
        """The loop begins after `step` steps."""

    def stepped(self, report: Report) -> None:
        """A step was made."""

    def reported(self, report: Report) -> None:
        """Some steps were made: their means."""

    def validated(self, validation: Validation) -> None:
        """The validation text was scored."""

    def saved(self, step: int) -> None:
        """The state was saved."""

    def said(self, text: str) -> None:
        """Something to know, in words."""

    def ended(self, outcome: Outcome) -> None:
        """The loop is over."""


@final
class Listeners(Listener):
    """Several, in order."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.listeners = listeners

    def checked(self, finding: Finding) -> None:
        for listener in self.listeners:
            listener.checked(finding)

    def began(self, step: int, limits: Limits) -> None:
        for listener in self.listeners:
            listener.began(step, limits)

    def stepped(self, report: Report) -> None:
        for listener in self.listeners:
            listener.stepped(report)

    def reported(self, report: Report) -> None:
        for listener in self.listeners:
            listener.reported(report)

    def validated(self, validation: Validation) -> None:
        for listener in self.listeners:
            listener.validated(validation)

    def saved(self, step: int) -> None:
        for listener in self.listeners:
            listener.saved(step)

    def said(self, text: str) -> None:
        for listener in self.listeners:
            listener.said(text)

    def ended(self, outcome: Outcome) -> None:
        for listener in self.listeners:
            listener.ended(outcome)
