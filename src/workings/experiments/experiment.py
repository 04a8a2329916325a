"""An experiment: a claim of the texts, how it is run, and what must come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from workings.experiments.outcome import Outcome

Text: TypeAlias = Literal["first", "second"]

SOURCES: dict[Text, str] = {
    "first": "Sitraka Forler, The attention mechanism and the transformer, step by step (2026)",
    "second": "Transformer Attention: What is Attention Actually Doing?",
}
"""The two texts."""

_TORCH = ("torch", "tokenizers", "safetensors")


class ExperimentError(Exception):
    """An experiment that there is not, or that cannot be run here; says what was expected."""


@dataclass(frozen=True)
class CounterCheck:
    """A computation that breaks the claim, by which the judgement shows that it can fail.

    Attributes:
        what: what is done otherwise, in words.
        arguments: what the experiment's function is given for it.
    """

    what: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A claim that can be run.

    Attributes:
        name: what it is called by.
        title: one line.
        text: which of the two texts claims it.
        place: where in that text.
        claim: what is claimed, in our words.
        expected: what must come out.
        see: a command that shows such numbers worked out.
        compute: runs it; its arguments are choices that break the claim, for counter-checks.
        counter: the counter-check.
        statistical: how often numbers are drawn, from which seed; empty where none are.
        needs_torch: whether it runs models of PyTorch.
    """

    name: str
    title: str
    text: Text
    place: str
    claim: str
    expected: str
    see: str
    compute: Callable[..., Outcome] = field(repr=False)
    counter: CounterCheck = field(repr=False)
    statistical: str = ""
    needs_torch: bool = False

    @property
    def source(self) -> str:
        """The text and the place in it."""
        return f"the {self.text} text, {self.place}"

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages that it needs and that are not installed here."""
        return tuple(package for package in _TORCH if find_spec(package) is None) if self.needs_torch else ()

    @property
    def lacking(self) -> str:
        """Why it cannot be run here; empty where it can."""
        if not self.missing:
            return ""
        return (
            f"{self.name}: {' and '.join(self.missing)} cannot be imported, which this experiment needs for its "
            "models; install what is needed with: pip install 'workings[torch]'"
        )

    def run(self, **choices: Any) -> Outcome:
        """Compute and judge. Raises ExperimentError where what it needs is not installed."""
        if self.missing:
            raise ExperimentError(self.lacking)
        return self.compute(**choices)

    def counter_check(self) -> Outcome:
        """Judge a computation that breaks the claim: the outcome must not hold. Raises as `run` does."""
        return self.run(**self.counter.arguments)
