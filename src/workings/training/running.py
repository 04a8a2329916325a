"""A training from its run file to its run directory."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import NamedTuple

import torch

from workings.training.configuration import difference, read_configuration, schedule_of
from workings.training.distribution import Processes, started
from workings.training.errors import TrainingError
from workings.training.listeners import Limits, Listener, Listeners, Outcome
from workings.training.loop import fit
from workings.training.preflight import preflight
from workings.training.prepared import Prepared, PreparedWords
from workings.training.run_directory import RunDirectory
from workings.training.tables import Configuration, Embeddings, Training
from workings.training.tasks import TOKENS, prepare, prepare_again
from workings.training.trainer import Settings, Trainer


def train(
    configuration: Configuration | Path | str,
    run: Path | str | None = None,
    *,
    folder: Path | str | None = None,
    resume: bool = False,
    replace: bool = False,
    listener: Listener | None = None,
) -> Outcome:
    """Train as a run file says, and keep everything in a run directory.

    Args:
        configuration: a run file, or what `read_configuration` or `configured` made.
        run: the run directory. Unless given, the file's `run`, or a folder beside the file that is named like it.
        folder: what paths start from; unless given, the run file's folder.
        resume: go on from the state in the run directory. Where there is none yet, it begins.
        replace: a run that stands there is replaced.
        listener: who is told; only the first of several processes tells.

    Raises:
        TrainingError, TextError: a mistake in the run file or the data, a training that cannot go on or be saved.
        ToldElsewhere: of several processes, in those that do not say what is wrong.
    """
    with started() as processes, ExitStack() as held:
        listener = (listener or Listener()) if processes.first else Listener()
        with processes.together():
            if resume and replace:
                raise TrainingError("--resume goes on, and --replace begins anew", "one of them", "leave one out")
            order = _ordered(configuration, run, folder, processes)
        prepared = None
        with processes.together():
            if processes.first:
                prepared = _open_or_make(order, resume, replace, listener)
        with processes.together():
            directory = RunDirectory.open(order.run)
            held.enter_context(directory.alone() if processes.first else nullcontext())
            if processes.first and resume:
                directory.describe_again(order.configuration.model_dump())
            prepared = prepared or prepare_again(directory, order.configuration, order.folder)
        outcome = _trained(prepared, directory, processes, listener, resume)
        if outcome.ended == "stopped":
            listener.said(f"Everything is saved in {order.run}. Go on with: {order.again}")
        return outcome


class _Order(NamedTuple):
    """What is to be trained, in which run directory, from data in which folder; and how it is said to go on."""

    configuration: Configuration
    run: Path
    folder: Path
    again: str


def _ordered(
    configuration: Configuration | Path | str, run: Path | str | None, folder: Path | str | None, processes: Processes
) -> _Order:
    again = "resume=True"
    if isinstance(configuration, Path | str):
        file = Path(configuration)
        configuration = read_configuration(file)
        folder = file.parent if folder is None else folder
        again = f"workings train {file} --resume" + ("" if run is None else f" --output {run}")
        run = (file.parent / (configuration.run or file.stem)) if run is None else run
    run = run or configuration.run
    if run is None:
        raise TrainingError("there is no run directory", "one to be named")
    if isinstance(configuration, Embeddings) and processes.world > 1:
        found = f"{processes.world} processes for embeddings"
        raise TrainingError(found, "one", "start it without torchrun", where=run)
    return _Order(configuration, Path(run), Path(folder or "."), again)


def _open_or_make(order: _Order, resume: bool, replace: bool, listener: Listener) -> Prepared | PreparedWords | None:
    """See that the run directory is there; what was prepared on the way, if anything was."""
    configuration, path = order.configuration, order.run
    if resume and RunDirectory.exists(path):
        run = RunDirectory.open(path)
        before = run.description.configuration
        found = difference(before, configuration.model_dump())
        if found is not None:
            hint = "resume with the run file it began with, or train anew in another folder"
            raise TrainingError(f"this training began with another run file: {found}", hint=hint, where=path)
        if not run.has_state() and run.reached() > before.get("training", {}).get(
            "save_every", configuration.training.save_every
        ):
            found = f"its state is missing, and it had come to step {run.reached():,}"
            raise TrainingError(found, hint="put state.safetensors back, or train anew with --replace", where=path)
        return None
    if resume:
        listener.said(f"There is no training in {path} yet: it begins.")
    with RunDirectory.creating(path, replace=replace) as beside:
        prepared = prepare(configuration, order.folder, work=beside / TOKENS)
        prepared.check()
        made = RunDirectory(beside, prepared.description())
        made.save_tokenisers(prepared.tokenisers.source, prepared.tokenisers.target)
        made.write_description()
    return prepared


def _trained(
    prepared: Prepared | PreparedWords, run: RunDirectory, processes: Processes, listener: Listener, resume: bool
) -> Outcome:
    training = prepared.configuration.training
    if training.tensorboard and processes.first:
        from workings.training.board import Board

        listener = Listeners([listener, Board(run.path / "tensorboard")])
    if isinstance(prepared, PreparedWords):
        words = prepared.trainer()
        limits = Limits(
            steps=words.steps,
            minutes=prepared.configuration.training.minutes or None,
            save_every=training.save_every,
            report_every=training.report_every,
        )
        return fit(words, limits, run=run, listener=listener, resume=resume)
    objective = prepared.objective()
    chosen = prepared.configuration.training
    with processes.together():
        if processes.first and not run.has_state():
            run.metrics.cut(-1)
            for finding in preflight(prepared, objective, processes.device) if chosen.preflight else ():
                listener.checked(finding)
                run.metrics.append("preflight", 0, check=finding.check, fine=finding.fine, said=finding.said)
    processes = dataclasses.replace(processes, sharded=chosen.sharded)
    trainer = Trainer(objective, prepared.batches(), settings_of(prepared, processes.device), processes)
    held_out = prepared.validation_batches()
    return fit(
        trainer,
        limits_of(chosen),
        validate=lambda best, stop: trainer.validate(held_out, best, stop, chosen.validation_batches or None),
        run=run,
        listener=listener,
        resume=resume,
    )


def settings_of(prepared: Prepared, device: torch.device) -> Settings:
    """What a run file says about the steps."""
    training = prepared.configuration.training
    precision = training.precision
    if precision == "auto":
        low = device.type == "cuda" and torch.cuda.is_bf16_supported()
        precision = "bfloat16" if low else "float32"
    return Settings(
        schedule=schedule_of(training, prepared.config.width),
        seed=prepared.configuration.seed,
        smoothing=training.smoothing,
        accumulation=training.accumulation,
        clipping=training.clipping or None,
        decay=training.decay,
        betas=(training.betas[0], training.betas[1]),
        epsilon=training.epsilon,
        average=training.average or None,
        precision=precision,
        compile=training.compile,
    )


def limits_of(training: Training) -> Limits:
    """What a run file says about the course."""
    return Limits(
        steps=training.steps,
        minutes=training.minutes or None,
        validate_every=training.validate_every,
        save_every=training.save_every,
        report_every=training.report_every,
        patience=training.patience or None,
    )
