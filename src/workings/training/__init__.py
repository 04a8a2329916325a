"""Training: a run file or a model of one's own, steps that can be resumed exactly, measures of what was learned.

    train("my-run.toml")                                     # everything, into a run directory
    trainer = Trainer(Objective(model), batches, Settings(schedule=Constant(peak=1e-3)))
    fit(trainer, Limits(steps=1000))                         # a model and batches of one's own

PyTorch is loaded when a name that needs it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workings.training.configuration import TASKS, configured, read_configuration, template
from workings.training.errors import TrainingError
from workings.training.listeners import Limits, Listener, Outcome, Report, Validation
from workings.training.schedules import Constant, Cosine, InverseSquareRoot

if TYPE_CHECKING:
    from workings.training.loop import fit as fit
    from workings.training.objective import Objective as Objective
    from workings.training.objective import cross_entropy as cross_entropy
    from workings.training.progress import Terminal as Terminal
    from workings.training.run_directory import RunDirectory as RunDirectory
    from workings.training.running import train as train
    from workings.training.trainer import Listed as Listed
    from workings.training.trainer import Settings as Settings
    from workings.training.trainer import Trainer as Trainer

_HOMES = {
    "train": "running",
    "fit": "loop",
    "Trainer": "trainer",
    "Settings": "trainer",
    "Listed": "trainer",
    "Objective": "objective",
    "cross_entropy": "objective",
    "RunDirectory": "run_directory",
    "Terminal": "progress",
}

__all__ = [  # noqa: RUF022 - in the order in which they are met
    "train", "TASKS", "template", "read_configuration", "configured",
    "Objective", "cross_entropy", "Trainer", "Settings", "Constant", "Cosine", "InverseSquareRoot", "Listed",
    "fit", "Limits", "Outcome", "Report", "Validation", "Listener", "Terminal",
    "RunDirectory", "TrainingError",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'workings.training' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"workings.training.{home}"), name)
