"""A small training in float64, as one of several processes or alone.

    torchrun --nproc-per-node 2 -m tests.training.together FOLDER WAY

For a way to share the work, "replicated" or "sharded", writes what each step was, the validation, and the state after
four steps.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import torch
from tests.training.support import encoder_decoder, pairs

from workings.training.distribution import Processes, started
from workings.training.objective import Objective
from workings.training.schedules import Constant
from workings.training.tensor_file import write_tensors
from workings.training.trainer import NotFinite, Settings, Trainer

STEPS, SAVED = 8, 4


def training(processes: Processes) -> Trainer:
    """Batches of unequal rows; the budget is so small that some have a single row, and one process has none."""
    settings = Settings(
        schedule=Constant(peak=0.01), accumulation=2, clipping=0.5, average=0.9, smoothing=0.1, decay=0.1
    )
    return Trainer(Objective(encoder_decoder().double(), settings.smoothing), pairs(tokens=12), settings, processes)


def steps(trainer: Trainer, count: int) -> list[dict[str, Any]]:
    """What the steps were, but for the time they took."""
    found = []
    for _ in range(count):
        report, wishes = trainer.step(trainer.processes.rank == 1, False)
        found.append({**dataclasses.asdict(report), "wishes": wishes})
        del found[-1]["seconds"]
    return found


def losing(trainer: Trainer) -> str:
    """What is said when the second process alone meets a number that is not finite."""
    if trainer.processes.rank == 1:
        narrow = trainer.objective.model.get_submodule("decoder.blocks.0.feed_forward.narrow")
        narrow.register_forward_hook(lambda module, inputs, output: output / 0)
    try:
        trainer.step()
    except NotFinite as error:
        return str(error)
    return "nothing"


def main(folder: Path, way: str) -> None:
    with started(sharded=way == "sharded") as processes:
        trained(processes, folder, way)


def trained(processes: Processes, folder: Path, way: str) -> None:
    """What there is to compare. When it returns, nothing is left that would outlive the processes' group."""
    trainer = training(processes)
    reports = steps(trainer, SAVED)
    tensors, about = trainer.state()
    reports += steps(trainer, STEPS - SAVED)
    validation = trainer.validate(pairs(tokens=12, seed=None), None)
    assert validation is not None
    again = training(processes)
    again.restore(tensors, about)
    steps(again, STEPS - SAVED)
    one, other = trainer.weights(), again.weights()
    said = {
        "reports": reports,
        "loss": validation.loss,
        "world": processes.world,
        "resumed": all(torch.equal(one[weight], other[weight]) for weight in one),
        "lost": losing(again),
    }
    if processes.first:
        (folder / f"{way}.json").write_text(json.dumps(said))
        write_tensors(folder / f"{way}.safetensors", tensors, about)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
