"""The course of a training: steps, reports, validation, saving, stopping."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, final

from torch import Tensor

from workings.training.distribution import Processes
from workings.training.errors import TrainingError
from workings.training.listeners import Ended, Limits, Listener, Outcome, Report, Validation
from workings.training.run_directory import RunDirectory
from workings.training.stopping import Stopping
from workings.training.trainer import NotFinite


class Steps(Protocol):
    """What can be trained: `Trainer`, or anything that steps and saves as it does."""

    done: int
    processes: Processes

    def step(self, *wishes: bool) -> tuple[Report, list[bool]]: ...

    def weights(self) -> dict[str, Tensor]: ...

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]: ...

    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None: ...


Validate: TypeAlias = Callable[[float | None, Callable[[], bool]], Validation | None]
"""Scores text that is not trained on. Is given the best loss so far and what says that it should stop; see
`Trainer.validate`."""


def fit(
    trainer: Steps,
    limits: Limits,
    *,
    validate: Validate | None = None,
    run: RunDirectory | None = None,
    listener: Listener | None = None,
    resume: bool = False,
) -> Outcome:
    """Train until the limits are reached, validation stops improving, or a signal asks to stop.

    Resumed, it goes on from the state in the run directory as if it had never stopped: on the same machine, the
    weights become bit for bit those of a training that did not.

    Args:
        trainer: the model and its batches.
        limits: how long, and how often what.
        validate: scores the weights as they are; the best are kept. None: the last ones are.
        run: where everything is kept; None: nowhere.
        listener: who is told.
        resume: begin from the state that `run` holds, if it holds one.

    Raises:
        TrainingError: the loss is not finite, or something cannot be read or written. The last saved state stays.
    """
    course = _Course(trainer, limits, validate, run, listener or Listener())
    with Stopping() as stopping:
        return course.go(stopping, resume)


@dataclass
class _Meter:
    """Sums since the last report; kept in the state, so that reports too are as if nothing had happened."""

    loss: float = 0.0
    correct: float = 0.0
    tokens: int = 0
    norm: float = 0.0
    seconds: float = 0.0

    def add(self, report: Report) -> None:
        self.loss += report.loss * report.tokens
        self.correct += report.accuracy * report.tokens
        self.tokens += report.tokens
        self.norm = max(self.norm, report.norm)
        self.seconds += report.seconds

    def report(self, step: int, rate: float) -> Report:
        targets = max(self.tokens, 1)  # an interval may have none: words passed over, windows without a neighbour
        return Report(
            step=step,
            loss=self.loss / targets,
            accuracy=self.correct / targets,
            tokens=self.tokens,
            rate=rate,
            norm=self.norm,
            seconds=self.seconds,
        )


@dataclass
class _Standing:
    """What the loop knows beside the trainer's state."""

    seconds: float = 0.0
    validated: int = 0
    best_step: int | None = None
    best_loss: float | None = None
    worse: int = 0
    loss: float | None = None
    meter: _Meter = field(default_factory=_Meter)


@final
class _Course:
    def __init__(
        self, trainer: Steps, limits: Limits, validate: Validate | None, run: RunDirectory | None, listener: Listener
    ) -> None:
        self.trainer, self.limits, self.validate, self.listener = trainer, limits, validate, listener
        self.run = run
        self.standing = _Standing()
        self.saved = -1
        self.clock = time.monotonic()

    def go(self, stopping: Stopping, resume: bool) -> Outcome:
        if resume and self.run is not None:
            with self.trainer.processes.together():
                self._resume(self.run)
        self.clock = time.monotonic() - self.standing.seconds
        self.listener.began(self.trainer.done, self.limits)
        asked, late = False, self._late(self.standing.seconds)
        while True:
            if not asked and (late or self._due(self.limits.validate_every)):
                asked = not self._validate(stopping)
            ended = self._end(asked, late)
            if ended is not None or self._due(self.limits.save_every):
                self._save()
            if ended is not None:
                return self._ended(ended)
            asked, late = self._step(stopping)

    def _due(self, every: int) -> bool:
        done = self.trainer.done
        return done > 0 and (done % every == 0 or done >= self.limits.steps)

    def _end(self, asked: bool, late: bool) -> Ended | None:
        """Whether and why it is over. A signal counts for less than the end that is reached anyway."""
        if self.limits.patience is not None and self.standing.worse >= self.limits.patience:
            return "early"
        if asked and (self._to_validate() or self.trainer.done < self.limits.steps):
            return "stopped"
        if self.trainer.done >= self.limits.steps:
            return "finished"
        return "time" if late else None

    def _late(self, seconds: float) -> bool:
        return self.limits.minutes is not None and seconds >= 60 * self.limits.minutes

    def _seconds(self) -> float:
        return time.monotonic() - self.clock

    def _step(self, stopping: Stopping) -> tuple[bool, bool]:
        """One step; whether a signal came, and whether the time is up, in any process."""
        try:
            report, (asked, late) = self.trainer.step(stopping.asked, self._late(self._seconds()))
        except NotFinite as error:  # as in every process
            with self.trainer.processes.together():
                raise self._lost(error) from error
        meter = self.standing.meter
        meter.add(report)
        self.listener.stepped(report)
        if self._due(self.limits.report_every):
            mean = meter.report(report.step, report.rate)
            self.standing.loss, self.standing.meter = mean.loss, _Meter()
            self._note("step", loss=mean.loss, accuracy=mean.accuracy, rate=mean.rate, norm=mean.norm,
                       tokens=mean.tokens, seconds=round(mean.seconds, 3))  # fmt: skip
            self.listener.reported(mean)
        alone = self.trainer.processes.world == 1  # several must all do the same: they learn of it after the next step
        return asked or (alone and stopping.asked), late

    def _to_validate(self) -> bool:
        return self.validate is not None and self.standing.validated < self.trainer.done

    def _validate(self, stopping: Stopping) -> bool:
        """Score the validation text, if that was not done; whether it was not told to stop meanwhile."""
        if self.validate is None or not self._to_validate():
            return True
        standing = self.standing
        found = self.validate(standing.best_loss, lambda: stopping.asked)
        if found is None:
            return False
        standing.validated = found.step
        standing.worse = 0 if found.best else standing.worse + 1
        if found.best:
            standing.best_step, standing.best_loss = found.step, found.loss
            self._save_best(found)
        self._note("validation", loss=found.loss, accuracy=found.accuracy, tokens=found.tokens, best=found.best)
        self.listener.validated(found)
        return True

    def _note(self, kind: str, **values: Any) -> None:
        if self.run is not None and self.trainer.processes.first:
            self.run.metrics.append(kind, self.trainer.done, **values)

    def _save_best(self, found: Validation | None) -> None:
        if self.run is None:
            return
        with self.trainer.processes.together():
            weights = self.trainer.weights()
            if self.trainer.processes.first:
                loss = None if found is None else found.loss
                self.run.save_best(weights, {"step": self.trainer.done, "loss": loss})

    def _save(self) -> None:
        """Keep the state, unless it is kept already."""
        if self.run is None or self.saved == self.trainer.done:
            return
        with self.trainer.processes.together():
            try:
                tensors, about = self.trainer.state()
            except NotFinite as error:
                raise self._lost(error) from error
            if self.trainer.processes.first:
                self.run.save_state(tensors, {**about, **self._about()})
        self.saved = self.trainer.done
        self.listener.saved(self.trainer.done)

    def _about(self) -> dict[str, Any]:
        standing = self.standing
        return {
            "seconds": self._seconds(),
            "validated": standing.validated,
            "best": {"step": standing.best_step, "loss": standing.best_loss},
            "worse": standing.worse,
            "loss": standing.loss,
            "meter": vars(standing.meter).copy(),
        }

    def _resume(self, run: RunDirectory) -> None:
        state = run.state()
        if state is None:
            self.listener.said("No state was saved yet: the training begins at its first step.")
        else:
            self.trainer.restore(*state)
            about = state[1]
            self.standing = _Standing(
                seconds=about["seconds"],
                validated=about["validated"],
                best_step=about["best"]["step"],
                best_loss=about["best"]["loss"],
                worse=about["worse"],
                loss=about["loss"],
                meter=_Meter(**about["meter"]),
            )
            self.saved = self.trainer.done
        if self.trainer.processes.first:
            run.metrics.cut(self.trainer.done)

    def _lost(self, error: NotFinite) -> TrainingError:
        if self.run is None:
            return TrainingError(str(error), hint="lower the rate, or clip the gradient")
        kept = "nothing was saved yet" if self.saved < 0 else f"the state of step {self.saved:,} is kept"
        self._note("lost", error=str(error))
        return TrainingError(f"{error}; {kept}", hint="lower the rate or clip the gradient, and train again")

    def _ended(self, ended: Ended) -> Outcome:
        if self.validate is None and ended != "stopped":
            self._save_best(None)
        standing = self.standing
        outcome = Outcome(
            ended=ended,
            step=self.trainer.done,
            loss=standing.loss,
            best_step=standing.best_step,
            best_loss=standing.best_loss,
            seconds=self._seconds(),
            run=None if self.run is None else self.run.path,
        )
        self._note("end", ended=ended, seconds=round(outcome.seconds, 3), best_step=outcome.best_step,
                   best_loss=outcome.best_loss)  # fmt: skip
        self.listener.ended(outcome)
        return outcome
