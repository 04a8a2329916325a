"""One step after the other: batches, gradients, clipping, optimiser; and all that must be kept to go on exactly."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, Protocol, Self, final

import torch
from torch import Tensor

from workings.text.batches import Batch
from workings.training.distribution import ALONE, Processes, like, whole
from workings.training.errors import TrainingError
from workings.training.finite import all_finite, first_not_finite, gradient_not_finite, said
from workings.training.listeners import Report, Validation
from workings.training.objective import Objective
from workings.training.optimiser import Average, adamw, clip, gradient_norm
from workings.training.run_directory import AVERAGES, WEIGHTS
from workings.training.schedules import Schedule

_FIRST, _SECOND = "first/", "second/"
"""What the names of the optimiser's moments begin with in the state."""


class Order(Protocol):
    """Where batches come from; `workings.text.BatchOrder` is one."""

    def forever(self) -> Iterator[Batch]: ...

    def __iter__(self) -> Iterator[Batch]: ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: Mapping[str, Any]) -> None: ...

    def shard(self, rank: int, world: int) -> Self: ...


@final
class Listed:
    """Batches that are there already, again and again in the same order."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches = batches
        self.given = 0

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.batches)

    def forever(self) -> Iterator[Batch]:
        while True:
            self.given += 1
            yield self.batches[(self.given - 1) % len(self.batches)]

    def state(self) -> dict[str, Any]:
        return {"given": self.given}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.given = int(state["given"])

    def shard(self, rank: int, world: int) -> Self:
        if world > 1:
            raise ValueError("batches that are listed are for one process; use a BatchOrder")
        return self


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is trained.

    Attributes:
        schedule: the learning rate at each step.
        seed: decides what dropout drops; with the step and the process's rank, it is all that does.
        smoothing: label smoothing.
        accumulation: batches that make one step together.
        clipping: the most that the norm of a step's gradient may be; None: whatever it is.
        decay, betas, epsilon: AdamW's; see `adamw`.
        average: the decay of a running average of the weights, which is what is validated and kept; None: no average.
        precision: "bfloat16" computes under autocast, the weights staying what they are.
        compile: let torch.compile have the model.
    """

    schedule: Schedule
    seed: int = 0
    smoothing: float = 0.0
    accumulation: int = 1
    clipping: float | None = 1.0
    decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    average: float | None = None
    precision: Literal["float32", "bfloat16"] = "float32"
    compile: bool = False


class NotFinite(TrainingError):
    """A loss or gradient that is no number; the weights are still those before the step."""


@final
class Trainer:
    """A model in training: `step()` makes one step, `state()` is all that is needed to go on."""

    def __init__(self, objective: Objective, batches: Order, settings: Settings, processes: Processes = ALONE) -> None:
        self.settings = settings
        self.processes = processes
        self.objective = objective
        self.module = processes.wrap(objective)
        self.order = batches.shard(processes.rank, processes.world)
        self.optimiser = adamw(objective, decay=settings.decay, betas=settings.betas, epsilon=settings.epsilon)
        self.average = None if settings.average is None else Average(objective.model, settings.average)
        self.done = 0
        self._batches: Iterator[Batch] | None = None
        self._parameters = [p for group in self.optimiser.param_groups for p in group["params"]]
        if settings.compile:
            _compile(objective)

    def step(self, *wishes: bool) -> tuple[Report, list[bool]]:
        """Make one step: forward and backward over its micro-batches, then the optimiser's.

        Args:
            wishes: what this process would like to happen after it.

        Returns: what the step was, and which of the wishes any process has.

        Raises:
            NotFinite: the loss or the gradient is not finite. The weights are still those before the step.
        """
        began = time.perf_counter()
        number, batches = self.done + 1, self._next_batches()
        total = sum(batch.all_tokens for batch in batches)
        loss, correct = self._gradient(number, batches, total)
        norm = gradient_norm(self._parameters)
        loss, correct, *wished = self.processes.sum(loss, correct, *map(float, wishes))
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise self._not_finite(number, batches, loss / total)
        clip(self._parameters, norm, self.settings.clipping)
        rate = self.settings.schedule.rate(number)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.done = number
        if self.average is not None:
            self.average.update(number)
        report = Report(
            step=number,
            loss=loss / total,
            accuracy=correct / total,
            tokens=total,
            rate=rate,
            norm=norm,
            seconds=time.perf_counter() - began,
        )
        return report, [wish > 0 for wish in wished]

    def _gradient(self, number: int, batches: list[Batch], total: int) -> tuple[float, float]:
        """The gradient of the mean over all targets of a step; of this process's, the summed loss and the hits."""
        self._seed(number)
        self.optimiser.zero_grad()
        self.module.train()
        loss, correct = 0.0, 0.0
        for place, batch in enumerate(batches, 1):
            with self.processes.adding(self.module, place == len(batches)):
                own, hits = self._forward(batch)
                torch.autograd.backward(own * (self.processes.world / total))
            loss, correct = loss + own.item(), correct + hits.item()
        return loss, correct

    def validate(
        self,
        batches: Order,
        best: float | None,
        stop: Callable[[], bool] = lambda: False,
        most: int | None = None,
    ) -> Validation | None:
        """The plain loss over one pass of batches.

        Args:
            batches: in the same order each time.
            best: the lowest loss so far.
            stop: asked after each batch whether to stop; then nothing is said. Several processes do not ask.
            most: score the first batches only, as many as this.
        """
        loss, correct, tokens = 0.0, 0.0, 0
        self.module.eval()
        with torch.no_grad(), self.weights_in_use():
            for batch in islice(batches.shard(self.processes.rank, self.processes.world), most):
                own, hits = self._forward(batch)
                loss, correct, tokens = loss + own.item(), correct + hits.item(), tokens + batch.all_tokens
                if self.processes.world == 1 and stop():
                    return None
        loss, correct = self.processes.sum(loss, correct)
        mean = loss / tokens
        if not math.isfinite(mean):
            mean = math.inf
        return Validation(
            step=self.done, loss=mean, accuracy=correct / tokens, tokens=tokens, best=best is None or mean < best
        )

    def weights_in_use(self) -> AbstractContextManager[None]:
        """Inside, the model has the weights that are validated and kept: the averaged ones where there are such."""
        return nullcontext() if self.average is None else self.average.in_place()

    def weights(self) -> dict[str, Tensor]:
        """These weights, whole, on the CPU."""
        with self.weights_in_use():
            return {name: whole(tensor) for name, tensor in self.objective.model.state_dict().items()}

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that is needed to go on exactly: tensors and plain data. All processes must ask together.

        Raises:
            TrainingError: the weights are not finite.
        """
        if not all_finite(self.objective):
            raise NotFinite(f"after step {self.done:,} the weights are not finite", hint="lower the rate")
        model = self.objective.model
        tensors = {WEIGHTS + name: whole(tensor) for name, tensor in model.state_dict().items()}
        for name, parameter in model.named_parameters():
            moments = self.optimiser.state.get(parameter)
            if moments:
                tensors[_FIRST + name] = whole(moments["exp_avg"])
                tensors[_SECOND + name] = whole(moments["exp_avg_sq"])
        if self.average is not None:
            tensors |= {AVERAGES + name: whole(tensor) for name, tensor in self.average.weights.items()}
        return tensors, {"step": self.done, "order": self.order.state()}

    @torch.no_grad()
    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """Go on where `state` was taken.

        Raises:
            TrainingError: the state is that of another model or of other settings.
            TextError: it is that of other data.
        """
        self.order.restore(about["order"])
        self._batches = None
        self.done = int(about["step"])
        for name, tensor in self.objective.model.state_dict().items():
            tensor.copy_(like(_named(tensors, WEIGHTS + name, tensor), tensor))
        for name, parameter in self.objective.model.named_parameters():
            if self.average is not None:
                self.average.weights[name].copy_(like(_named(tensors, AVERAGES + name, parameter), parameter))
            if _FIRST + name in tensors:
                self.optimiser.state[parameter] = {
                    "step": torch.tensor(float(self.done), device=parameter.device),
                    "exp_avg": like(_named(tensors, _FIRST + name, parameter), parameter),
                    "exp_avg_sq": like(_named(tensors, _SECOND + name, parameter), parameter),
                }

    def _next_batches(self) -> list[Batch]:
        if self._batches is None:
            self._batches = self.order.forever()
        return [next(self._batches) for _ in range(self.settings.accumulation)]

    def _forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        low = self.settings.precision == "bfloat16"
        with torch.autocast(self.processes.device.type, torch.bfloat16, enabled=low):
            result: tuple[Tensor, Tensor] = self.module(batch.to(self.processes.device))
            return result

    def _seed(self, number: int) -> None:
        """What is drawn in a step depends on seed, step and rank alone: nothing about it needs to be kept."""
        name = f"{self.settings.seed} {number} {self.processes.rank}".encode()
        torch.manual_seed(int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little") >> 1)

    def _not_finite(self, number: int, batches: list[Batch], loss: float) -> NotFinite:
        def again() -> None:
            self._seed(number)
            for batch in batches:
                self._forward(batch)

        if math.isfinite(loss):
            where = f"the gradient of {gradient_not_finite(self.objective) or 'some weight'} is not finite"
        else:
            with torch.compiler.set_stance("force_eager"):  # a compiled model has no modules to look at
                own = first_not_finite(self.objective, again)
            place = self.processes.least(math.inf if own is None else own)
            named = "no module: their sum overflows" if place == math.inf else said(self.objective, int(place))
            where = f"the first output that is not finite is that of {named}"
        return NotFinite(f"at step {number:,} the loss is {loss:g}: {where}")


def _named(tensors: Mapping[str, Tensor], name: str, pattern: Tensor) -> Tensor:
    if name not in tensors or tensors[name].shape != pattern.shape:
        found = f"in the saved state, {name} is " + (
            f"of shape {tuple(tensors[name].shape)}" if name in tensors else "missing"
        )
        raise TrainingError(found, f"shape {tuple(pattern.shape)}", "resume with the run file it began with")
    return tensors[name]


def _compile(objective: Objective) -> None:
    """Compile what makes the states; batches have many lengths, so shapes are left open."""
    for name in ("states", "forward"):
        setattr(objective.model, name, torch.compile(getattr(objective.model, name), dynamic=True))
