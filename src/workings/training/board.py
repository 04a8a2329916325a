"""The course of a training for TensorBoard, where that is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, final

from workings.training.errors import TrainingError
from workings.training.listeners import Listener, Outcome, Report, Validation


@final
class Board(Listener):
    """Writes what is reported into a folder that `tensorboard --logdir` shows.

    Raises:
        TrainingError: TensorBoard's writer is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            hint = "pip install tensorboard, or leave out training.tensorboard"
            raise TrainingError("training.tensorboard needs TensorBoard, which is not installed", hint=hint) from None
        self._writer: Any = SummaryWriter(folder)

    def reported(self, report: Report) -> None:
        for name in ("loss", "accuracy", "rate", "norm"):
            self._writer.add_scalar(f"training/{name}", getattr(report, name), report.step)

    def validated(self, validation: Validation) -> None:
        for name in ("loss", "accuracy"):
            self._writer.add_scalar(f"validation/{name}", getattr(validation, name), validation.step)

    def ended(self, outcome: Outcome) -> None:
        self._writer.close()
