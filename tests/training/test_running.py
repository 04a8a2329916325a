"""Each task from its run file to its run directory, small; and what is wrong with data and sizes."""

from __future__ import annotations

import gzip
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console
from tests.training.support import LINES

from workings.text.errors import TextError
from workings.training import RunDirectory, Terminal, TrainingError, configured, train
from workings.training.listeners import Finding, Limits, Listener, Outcome, Report, Validation
from workings.training.prepared import Prepared
from workings.training.progress import duration
from workings.training.tasks import prepare, prepare_again

MODEL = {"width": 16, "heads": 2, "context": 24}
TRAINING = {"steps": 6, "validate_every": 3, "save_every": 3, "report_every": 2, "warmup": 2}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data for every task."""
    pairs = [(f"{line} {number}", " ".join(line.split()[::-1])) for number, line in enumerate(LINES * 3)]
    (tmp_path / "a.en").write_text("".join(f"{source}\n" for source, _ in pairs))
    with gzip.open(tmp_path / "a.de.gz", "wt") as file:
        file.write("".join(f"{target}\n" for _, target in pairs))
    (tmp_path / "both.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    (tmp_path / "labels.tsv").write_text("".join(f"{s}\t{'red' if 'red' in s else 'other'}\n" for s, _ in pairs))
    (tmp_path / "text.txt").write_text("\n".join(source for source, _ in pairs) * 3)
    return tmp_path


TASKS: dict[str, dict[str, Any]] = {
    "translate": {
        "data": {"source": "a.en", "target": "a.de.gz", "validation_share": 0.2},
        "tokeniser": {"vocabulary": 300},
        "model": {**MODEL, "encoder_layers": 1, "decoder_layers": 1},
        "batches": {"tokens": 60},
    },
    "translate apart": {
        "data": {"source": "both.tsv", "validation_source": "both.tsv"},
        "tokeniser": {"kind": "word", "vocabulary": None, "shared": False},
        "model": {**MODEL, "encoder_layers": 1, "decoder_layers": 1},
        "batches": {"tokens": 60},
    },
    "lm": {"data": {"text": "text.txt"}, "model": {**MODEL, "decoder_layers": 1}, "batches": {"rows": 4}},
    "classify": {
        "data": {"texts": "labels.tsv"},
        "tokeniser": {"kind": "word", "vocabulary": None},
        "model": {**MODEL, "encoder_layers": 1},
    },
    "copy": {
        "data": {"pairs": 60, "validation_pairs": 10, "longest": 6},
        "model": {**MODEL, "encoder_layers": 1, "decoder_layers": 1},
    },
}


def settings(task: str, **training: Any) -> dict[str, Any]:
    if task == "embeddings":
        return {"task": task, "data": {"text": "text.txt"}}
    return {"task": task.split(maxsplit=1)[0], "training": {**TRAINING, **training}, **TASKS[task]}


class Notes(Listener):
    """Remembers what it heard."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.texts: list[str] = []

    def checked(self, finding: Finding) -> None:
        self.findings.append(finding)

    def said(self, text: str) -> None:
        self.texts.append(text)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_trained_and_can_be_used(folder: Path, task: str) -> None:
    configuration, notes = configured(settings(task)), Notes()
    outcome = train(configuration, folder / "run", folder=folder, listener=notes)
    assert (outcome.ended, outcome.step) == ("finished", 6)
    assert [finding.said for finding in notes.findings if not finding.fine] == []
    run = RunDirectory.open(folder / "run")
    prepared = prepare_again(run, configuration, folder)
    assert isinstance(prepared, Prepared)
    assert prepared.description() == run.description
    objective = prepared.objective()
    objective.model = run.model()
    batches = list(prepared.validation_batches())
    with torch.no_grad():
        loss = sum(objective.eval()(batch)[0].item() for batch in batches) / sum(b.all_tokens for b in batches)
    assert outcome.best_loss == pytest.approx(loss, rel=1e-5)
    kinds = [(line["kind"], line["step"]) for line in run.read_metrics() if line["kind"] != "preflight"]
    assert kinds == [
        ("step", 2), ("validation", 3), ("step", 4), ("step", 6), ("validation", 6), ("end", 6)
    ]  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_every_task_goes_on_exactly(folder: Path, task: str) -> None:
    """Three steps and three more are six, bit for bit: weights, moments, averages."""
    given = {"average": 0.9, "accumulation": 2, "schedule": "constant", "preflight": False, "smoothing": 0.1}
    model = {**TASKS[task]["model"], "dropout": {"kind": "dropout", "rate": 0.2, "attention": 0.1, "inner": 0.1}}
    for name, steps in (("straight", [6]), ("resumed", [3, 6])):
        for last in steps:
            configuration = configured({**settings(task, **given, steps=last), "model": model})
            train(configuration, folder / name, folder=folder, resume=True)
    one, two = (RunDirectory.open(folder / name).state() for name in ("straight", "resumed"))
    assert one is not None
    assert two is not None
    assert one[0].keys() == two[0].keys()
    assert [name for name in one[0] if not torch.equal(one[0][name], two[0][name])] == []
    assert one[1]["order"] == two[1]["order"]


def test_without_its_state_a_training_that_had_come_further_does_not_begin_anew(folder: Path) -> None:
    given = settings("copy")
    given["training"] |= {"steps": 6, "save_every": 2}
    configuration = configured(given)
    train(configuration, folder / "run", folder=folder)
    best = (folder / "run" / "model.safetensors").read_bytes()
    (folder / "run" / "state.safetensors").unlink()
    with pytest.raises(TrainingError, match="its state is missing, and it had come to step 6"):
        train(configuration, folder / "run", folder=folder, resume=True)
    assert (folder / "run" / "model.safetensors").read_bytes() == best


def test_a_run_file_trains_into_a_folder_beside_it(folder: Path) -> None:
    file = folder / "my-run.toml"
    file.write_text('task = "copy"\n[data]\npairs = 50\n[model]\nwidth = 8\nheads = 2\n[training]\nsteps = 2\n')
    notes = Notes()
    assert train(file, listener=notes).step == 2
    assert RunDirectory.open(folder / "my-run").description.task == "copy"
    assert train(str(file), resume=True).step == 2
    assert notes.texts == []


def test_resuming_what_never_began_begins(folder: Path) -> None:
    notes = Notes()
    outcome = train(configured(settings("copy")), folder / "run", folder=folder, resume=True, listener=notes)
    assert outcome.step == 6
    assert notes.texts[0] == f"There is no training in {folder / 'run'} yet: it begins."


def test_the_seed_decides_everything(folder: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        train(configured({**settings("copy", preflight=name == "one"), "seed": seed}), folder / name, folder=folder)
    one, two, three = (RunDirectory.open(folder / name).weights() for name in ("one", "two", "three"))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(one["embedding.weight"], three["embedding.weight"])


def test_embeddings(folder: Path) -> None:
    """Resumed after a part, they are those of a training in one go."""
    data = {"text": "text.txt"}
    given = {"task": "embeddings", "data": data, "model": {"width": 8, "minimum": 2}}
    training = {"passes": 2, "words": 50, "save_every": 5}
    straight = train(configured({**given, "training": training}), folder / "straight", folder=folder)

    class Stops(Listener):
        def stepped(self, report: Report) -> None:
            if report.step == 7:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(configured({**given, "training": training}), folder / "run", folder=folder, listener=Stops())
    resumed = train(configured({**given, "training": training}), folder / "run", folder=folder, resume=True)
    assert (straight.ended, straight.step) == (resumed.ended, resumed.step)
    one, two = (RunDirectory.open(folder / name).weights() for name in ("straight", "run"))
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)


def sized(**changes: Any) -> dict[str, Any]:
    return {"model": {**MODEL, "decoder_layers": 1, **changes}}


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no such file": ("translate", {"data": {"source": "b.en", "target": "a.de.gz"}}, "did you mean 'a.en'"),
    "counts": (
        "translate",
        {"data": {"source": "a.en", "target": "text.txt"}},
        r"line 37: .* 106 lines here a\.en has 36",
    ),
    "labels seen once": ("classify", {"data": {"texts": "once.tsv"}}, "1 of 2 labels is seen once: 'blue'"),
    "empty": ("lm", {"data": {"text": "empty.txt"}}, r"\[tokeniser\] for .*empty\.txt: no text"),
    "a small vocabulary": ("translate", {"tokeniser": {"kind": "bpe", "vocabulary": 3}}, r"\[tokeniser\].*expected"),
    "sizes": ("lm", sized(heads=3), r"\[model\] heads is 3, which does not divide"),
    "an unknown choice": ("lm", sized(position="rotary"), r"\[model\] position .* did you mean 'pos"),
    "a given vocabulary": ("lm", sized(vocabulary=5), r"model\.vocabulary is given; expected it to be left out"),
    "long copies": ("copy", {"data": {"longest": 24}}, r"data\.longest is 24; expected less than model\.context"),
    "little text": (
        "lm",
        {"data": {"text": "text.txt", "validation_share": 0.999}},
        r"the first 0\.001 of .*text\.txt: .* the context of 24",
    ),
    "one token held out": (
        "lm",
        {"data": {"text": "text.txt", "validation_share": 0.0003}},
        r"the last 0\.0003 of .*text\.txt: a corpus of 1 token; expected at least 2",
    ),
    "a missing text": ("lm", {"data": {"text": "texd.txt"}}, r"^(?!\[).*texd\.txt: there is no such file"),
    "no pair for validation": ("copy", {"data": {"pairs": 1, "validation_pairs": 0}}, "validation_pairs is 0"),
    "few words": ("embeddings", {"model": {"minimum": 10_000}}, r"text\.txt: 0 words seen at least 10,000 times"),
    "a short context": ("translate", sized(context=3), "no sentence pairs, but 0 blank and 36 too long"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_and_nothing_is_left(folder: Path, name: str) -> None:
    (folder / "once.tsv").write_text("a\tred\nb\tred\nc\tblue\n")
    (folder / "empty.txt").write_text("")
    task, change, message = WRONG[name]
    before = sorted(folder.iterdir())
    with pytest.raises((TextError, TrainingError), match=message):
        train(configured(settings(task) | change), folder / "run", folder=folder)
    assert sorted(folder.iterdir()) == before


def test_large_texts_are_mapped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workings.training.tasks._MAPPED", 1000)
    train(configured(settings("lm")), folder / "run", folder=folder)
    again = prepare_again(RunDirectory.open(folder / "run"), configured(settings("lm")), folder)
    assert isinstance(again, Prepared)
    assert isinstance(again.training.corpus.tokens.base, np.memmap)  # type: ignore[attr-defined]
    monkeypatch.undo()
    in_memory = prepare(configured(settings("lm")), folder)
    assert isinstance(in_memory, Prepared)
    assert np.array_equal(again.training.corpus.tokens, in_memory.training.corpus.tokens)  # type: ignore[attr-defined]


def spoken(terminal: bool) -> str:
    """A short training on a terminal of a hundred columns, or on none."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None)
    listener = Terminal(console)
    listener.checked(Finding("initial loss", True, "2.3"))
    listener.began(0, Limits(steps=2000))
    for step in range(1, 4):
        report = Report(step=step, loss=3.25, accuracy=0.5, tokens=100, rate=1e-3, norm=1.0, seconds=0.25)
        listener.stepped(report)
    listener.reported(report)
    listener.validated(Validation(step=3, loss=math.log(8), accuracy=0.25, tokens=10, best=True))
    listener.ended(Outcome(ended="stopped", step=3, loss=3.25, best_step=3, best_loss=math.log(8), seconds=75))
    found = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(found, str)
    return found


def test_the_terminal_is_told_in_lines() -> None:
    lines = spoken(terminal=False).splitlines()
    assert lines[0] == "  ✓ initial loss: 2.3"
    assert lines[1].startswith("step 3/2,000  loss 3.2500  400 tokens/s")
    assert lines[1].endswith("left")
    assert lines[2] == "step 3: validation loss 2.0794, perplexity 8, accuracy 25.0%, the best so far"
    assert lines[3] == "Stopped after step 3, 1 min 15 s; best at step 3: 2.0794."


def test_the_terminal_has_one_line_that_moves() -> None:
    assert "step 3/2,000" in spoken(terminal=True)


def test_durations() -> None:
    assert [duration(seconds) for seconds in (0.4, 59.4, 61, 3599, 7380)] == [
        "0 s", "59 s", "1 min 01 s", "59 min 59 s", "2 h 03 min"
    ]  # fmt: skip


def test_tensorboard_is_asked_for_where_it_is_missing(folder: Path) -> None:
    try:
        import tensorboard  # noqa: F401
    except ImportError:
        with pytest.raises(TrainingError, match="needs TensorBoard, which is not installed"):
            train(configured(settings("copy", tensorboard=True)), folder / "run", folder=folder)
    else:
        train(configured(settings("copy", tensorboard=True)), folder / "run", folder=folder)
        assert list((folder / "run" / "tensorboard").iterdir())
