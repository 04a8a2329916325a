"""Trainings that are stopped: by SIGKILL at random moments, by a signal, by their limits. All go on exactly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.training.support import run_directory, text_corpus, trainer, weights, windows

from workings.training import configured, train
from workings.training.errors import TrainingError
from workings.training.listeners import Limits, Listener, Outcome, Report, Validation
from workings.training.loop import fit
from workings.training.run_directory import RunDirectory
from workings.training.tensor_file import read_tensors
from workings.training.trainer import NotFinite, Trainer

ROOT = Path(__file__).parents[2]
OFTEN = Limits(steps=12, validate_every=3, save_every=4, report_every=5)


def validating(trainer: Trainer) -> Any:
    """Scores the corpus itself."""
    order = windows(seed=None)
    return lambda best, stop: trainer.validate(order, best, stop)


def lines(run: RunDirectory) -> list[dict[str, Any]]:
    """The metrics but for what a clock says and how it ended."""
    kept = [line for line in run.read_metrics() if line["kind"] != "end"]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in kept]


def same_tensors(one: Path, other: Path) -> bool:
    first, second = read_tensors(one)[0], read_tensors(other)[0]
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """SIGKILL a dozen times and more; at the end, all weights, moments and averages are those of a training that was
    never killed, bit for bit, and the metrics are the same lines."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.training.kill", str(tmp_path), "24"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    kills, *steps = map(int, done.stdout.split())
    assert kills >= 8
    assert len(set(steps)) > 4  # they came at different moments
    straight, killed = (RunDirectory.open(tmp_path / name) for name in ("straight", "killed"))
    for name in ("state.safetensors", "model.safetensors"):
        assert same_tensors(straight.path / name, killed.path / name)
    assert lines(straight) == lines(killed)


class _Stops(Listener):
    """Sends this process a signal after a step, and remembers what it heard."""

    def __init__(self, step: int, number: signal.Signals) -> None:
        self.step, self.number = step, number
        self.texts: list[str] = []

    def stepped(self, report: Report) -> None:
        if report.step == self.step:
            os.kill(os.getpid(), self.number)

    def said(self, text: str) -> None:
        self.texts.append(text)


SETTINGS: dict[str, Any] = {
    "task": "lm",
    "data": {"text": "text.txt", "validation_share": 0.3},
    "tokeniser": {"spelled": False},
    "model": {"width": 8, "heads": 2, "decoder_layers": 1, "context": 16, "dropout": 0.2},
    "batches": {"rows": 5},
    "training": {"steps": 9, "validate_every": 4, "save_every": 100, "report_every": 5, "preflight": False},
}


def written(folder: Path) -> Path:
    (folder / "text.txt").write_text("".join(text_corpus().text()) * 3)
    return folder


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("step", [4, 6])
def test_a_signal_saves_and_stops(tmp_path: Path, number: signal.Signals, step: int) -> None:
    """Step 4 is to be validated, step 6 is not. The line says how to go on; what goes on is the same training."""
    folder = written(tmp_path)
    listener = _Stops(step, number)
    before = signal.getsignal(number)
    first = train(configured(SETTINGS), folder / "run", folder=folder, listener=listener)
    assert (first.ended, first.step) == ("stopped", step)
    assert listener.texts == [f"Everything is saved in {folder / 'run'}. Go on with: resume=True"]
    assert signal.getsignal(number) == before
    second = train(configured(SETTINGS), folder / "run", folder=folder, resume=True)
    straight = train(configured(SETTINGS), folder / "straight", folder=folder)
    assert (second.ended, second.step, second.loss, second.best_step) == (
        straight.ended, straight.step, straight.loss, straight.best_step
    )  # fmt: skip
    for name in ("state.safetensors", "model.safetensors"):
        assert same_tensors(folder / "run" / name, folder / "straight" / name)
    assert lines(RunDirectory.open(folder / "run")) == lines(RunDirectory.open(folder / "straight"))


def test_a_later_signal_stops_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workings.training.stopping._ONE", -1.0)

    class Impatient(Listener):
        def stepped(self, report: Report) -> None:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)

    run = run_directory(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        fit(trainer(), OFTEN, run=run, listener=Impatient())
    assert not run.has_state()
    monkeypatch.undo()  # sent together, they are one
    assert fit(trainer(), OFTEN, run=run, listener=Impatient()).ended == "stopped"
    assert run.has_state()


def test_n_and_n_steps_are_2n(tmp_path: Path) -> None:
    """From the middle of an epoch, with dropout, an average and everything else on."""
    straight, run = trainer(), run_directory(tmp_path / "run")
    fit(straight, OFTEN)
    fit(trainer(), Limits(steps=6, save_every=4), run=run)
    second = trainer()
    outcome = fit(second, OFTEN, run=run, resume=True)
    assert outcome.step == 12
    for name, expected in weights(straight).items():
        assert np.array_equal(weights(second)[name], expected)


def test_resuming_what_is_done_changes_nothing(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    given = trainer()
    fit(given, OFTEN, run=run, validate=validating(given))
    before = {path.name: path.read_bytes() for path in run.path.glob("*.safetensors")}
    again = trainer()
    outcome = fit(again, OFTEN, run=run, validate=validating(again), resume=True)
    assert outcome.ended == "finished"
    assert {path.name: path.read_bytes() for path in run.path.glob("*.safetensors")} == before


class _Scores:
    """Validations whose losses are given."""

    def __init__(self, trainer: Trainer, losses: list[float]) -> None:
        self.trainer, self.losses = trainer, losses

    def __call__(self, best: float | None, stop: Any) -> Validation:
        loss = self.losses.pop(0)
        return Validation(step=self.trainer.done, loss=loss, accuracy=0.0, tokens=1, best=best is None or loss < best)


def test_early_stopping_keeps_the_best(tmp_path: Path) -> None:
    """Validated after every step: 3, 2, 2.5, 2, and it ends with the third that is no better than 2."""
    given, run = trainer(average=None), run_directory(tmp_path / "run")
    best: dict[str, Any] = {}

    class Remembers(Listener):
        def validated(self, validation: Validation) -> None:
            if validation.best:
                best.update(weights(given))

    limits = Limits(steps=50, validate_every=1, save_every=3, patience=3)
    scores = _Scores(given, [3.0, 2.0, 2.5, 2.0, 2.1, 1.0])
    outcome = fit(given, limits, validate=scores, run=run, listener=Remembers())
    assert (outcome.ended, outcome.step, outcome.best_step, outcome.best_loss) == ("early", 5, 2, 2.0)
    kept = run.weights("best")
    assert all(np.array_equal(kept[name].numpy(), expected) for name, expected in best.items())
    assert not np.array_equal(kept["embedding.weight"].numpy(), weights(given)["embedding.weight"])
    assert run.about_best() == {"step": 2, "loss": 2.0}
    again = trainer(average=None)
    assert fit(again, limits, validate=_Scores(again, []), run=run, resume=True).ended == "early"


def test_minutes_end_a_training_and_the_last_weights_are_validated(tmp_path: Path) -> None:
    """No time at all: one step, and its validation, though that was not due."""
    given = trainer()
    outcome = fit(
        given, Limits(steps=50, minutes=1e-9), validate=validating(given), run=run_directory(tmp_path / "run")
    )
    assert (outcome.ended, outcome.step, outcome.best_step) == ("time", 1, 1)
    again = trainer()
    run = RunDirectory.open(tmp_path / "run")
    outcome = fit(again, Limits(steps=50, minutes=1e-9), validate=validating(again), run=run, resume=True)
    assert (outcome.ended, outcome.step) == ("time", 1)


def test_a_lost_training_keeps_its_last_good_state(tmp_path: Path) -> None:
    """The loss becomes NaN at step 7; saved were steps 4 and no later one."""
    run, given = run_directory(tmp_path / "run"), trainer()

    class Spoils(Listener):
        def stepped(self, report: Report) -> None:
            if report.step == 6:
                given.objective.model.get_parameter("stack.blocks.1.feed_forward.narrow.weight").data[0, 0] = torch.nan

    message = r"at step 7 .*\.blocks\.1\.feed_forward\.narrow \(Linear\), whose weight .*; the state of step 4 is kept"
    with pytest.raises(TrainingError, match=message):
        fit(given, OFTEN, run=run, listener=Spoils())
    state = run.state()
    assert state is not None
    assert state[1]["step"] == 4
    again = trainer()
    assert fit(again, OFTEN, run=run, resume=True).step == 12


def test_weights_that_are_not_finite_are_never_saved(tmp_path: Path) -> None:
    """They became so in the last step before a save."""
    run, given = run_directory(tmp_path / "run"), trainer()

    class Spoils(Listener):
        def stepped(self, report: Report) -> None:
            if report.step == 8:
                given.objective.model.get_parameter("embedding.weight").data[0, 0] = torch.inf

    with pytest.raises(TrainingError, match=r"after step 8 the weights are not finite.*; the state of step 4 is kept"):
        fit(given, OFTEN, run=run, listener=Spoils())
    assert issubclass(NotFinite, TrainingError)


def test_a_full_disk_stops_and_keeps_the_last_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first save succeeds, the second meets the error that the system gives for a full disk."""
    run = run_directory(tmp_path / "run")
    saves = []

    def full(path: Path) -> None:
        saves.append(path)
        if len(saves) > 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("workings.training.tensor_file.sync", full)
    with pytest.raises(
        TrainingError, match=r"state\.safetensors: it cannot be written: the disk is full; what was saved"
    ):
        fit(trainer(), OFTEN, run=run)
    monkeypatch.undo()
    assert run.state()[1]["step"] == 4  # type: ignore[index]
    assert fit(trainer(), OFTEN, run=run, resume=True).step == 12


def test_another_run_file_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path)
    train(configured(SETTINGS), folder / "run", folder=folder)
    other = {**SETTINGS, "model": {**SETTINGS["model"], "dropout": 0.3}}
    with pytest.raises(TrainingError, match=r"another run file: model\.dropout was 0\.2 and is 0\.3; resume with"):
        train(configured(other), folder / "run", folder=folder, resume=True)
    shorter = {**SETTINGS, "training": {**SETTINGS["training"], "steps": 12}}
    with pytest.raises(TrainingError, match=r"training\.steps was 9 and is 12"):  # a cosine goes to the last step
        train(configured(shorter), folder / "run", folder=folder, resume=True)
    later = {**SETTINGS, "training": {**SETTINGS["training"], "save_every": 3, "patience": 2}}
    assert train(configured(later), folder / "run", folder=folder, resume=True).ended == "finished"


def test_other_data_are_refused(tmp_path: Path) -> None:
    folder = written(tmp_path)
    train(configured(SETTINGS), folder / "run", folder=folder)
    (folder / "text.txt").write_text((folder / "text.txt").read_text().replace("red", "der"))
    with pytest.raises(Exception, match="a place in the batches of other data"):
        train(configured(SETTINGS), folder / "run", folder=folder, resume=True)


def test_a_training_that_is_there_is_not_begun_again(tmp_path: Path) -> None:
    folder = written(tmp_path)
    train(configured(SETTINGS), folder / "run", folder=folder)
    with pytest.raises(TrainingError, match="there is already a training"):
        train(configured(SETTINGS), folder / "run", folder=folder)
    assert train(configured(SETTINGS), folder / "run", folder=folder, replace=True).step == 9


def test_in_another_thread_signals_are_left_alone() -> None:
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(fit(trainer(), Limits(steps=2))))
    thread.start()
    thread.join()
    assert outcomes[0].ended == "finished"
