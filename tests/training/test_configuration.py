"""Run files: what they leave out, and what is wrong with them, said by file, line and key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workings.training.configuration import (
    TASKS,
    Task,
    configured,
    difference,
    read_configuration,
    schedule_of,
    template,
)
from workings.training.errors import TrainingError
from workings.training.schedules import Constant, Cosine, InverseSquareRoot
from workings.transformer import Config

SMALL = """\
task = "translate"

[data]
source = "a.en"
target = "a.de"

[training]
steps = 100
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "my-run.toml"
    path.write_text(text)
    return path


def test_a_short_file_has_the_tasks_defaults(tmp_path: Path) -> None:
    found = read_configuration(written(tmp_path, SMALL))
    assert found.task == "translate"
    assert (found.training.steps, found.training.smoothing, found.tokeniser.vocabulary) == (100, 0.1, 8000)
    assert found.batches.tokens == 2048


def test_rows_replace_tokens(tmp_path: Path) -> None:
    found = read_configuration(written(tmp_path, f"{SMALL}[batches]\nrows = 7\n"))
    assert found.task == "translate"
    assert (found.batches.rows, found.batches.tokens) == (7, None)


@pytest.mark.parametrize("task", TASKS)
def test_templates_are_read_and_say_the_defaults(tmp_path: Path, task: Task) -> None:
    """A template shows values; each is what the file would have without it."""
    found = read_configuration(written(tmp_path, template(task)))
    assert found.task == task
    without = configured({"task": task, "data": found.data.model_dump()})
    assert without.model_copy(update={"model": found.model}) == found
    if not isinstance(found.model, dict):
        assert without.model == found.model
        return
    assert isinstance(without.model, dict)
    sizes = {"vocabulary": 100} | ({"classes": 3} if task == "classify" else {})
    assert Config.from_dict(without.model | sizes) == Config.from_dict(found.model | sizes)


WRONG = [
    ("steps = 100", "stepps = 100", r"my-run\.toml, line 8: there is no key training\.stepps; did you mean 'steps'\?"),
    ("100", "100\nsmothing = 0.1", r"line 9: there is no key training\.smothing; did you mean 'smoothing'\?"),
    ("100", "100\nabc = 0.1", r"line 9: there is no key training\.abc; known here: steps, minutes, schedule, rate"),
    ("steps = 100", "steps = '5'", r"line 8: training\.steps is '5'; expected a whole number, at least 1$"),
    ("steps = 100", "steps = 0", r"line 8: training\.steps is 0; expected a whole number, at least 1$"),
    ("steps = 100", "steps = 9.5", r"line 8: training\.steps is 9\.5; expected a whole number, at least 1$"),
    ("100", "5\nsmoothing = 1.0", r"line 9: training\.smoothing is 1\.0; expected a number, at least 0 and below 1$"),
    ("100", "5\nrate = inf", r"line 9: training\.rate is inf; expected a number, above 0$"),
    ("100", "5\ncompile = 1", r"line 9: training\.compile is 1; expected true or false$"),
    ('"a.en"', "3", r'line 4: data\.source is 3; expected a text in "quotes"$'),
    ("[data]", "data = 3\n[date]", r"data is 3; expected a table$"),
    (
        "100",
        "5\nschedule = 'cosin'",
        r"schedule is 'cosin'; expected 'inverse-square-root' or .* did you mean 'cosine'\?$",
    ),
    ("100", "100\nprecision = 'flaot32'", r"precision is 'flaot32'; expected 'auto' or .*; did you mean 'float32'\?$"),
    ("100", "100\nbetas = [0.9]", r"betas is \[0\.9\]; expected a list of 2, each a number, at least 0 and below 1$"),
    ("100", "100\nbetas = [0.9, 2]", r"line 9: training\.betas is \[0\.9, 2\]; expected a list of 2, each a number"),
    ("100", "100\nbetas = 0.9", r"line 9: training\.betas is 0\.9; expected a list of 2, each a number"),
    ("source =", "sauce =", r"line 3: the key data\.source is missing; is it written as 'sauce'\?"),
    ("[data]", "[date]", r"the key data is missing; is it written as 'date'\?"),
    ("[training]", "[trainings]", r"line 7: there is no key trainings; did you mean 'training'\?"),
    ('"translate"', '"translation"', r"line 1: task is 'translation'; expected .* did you mean 'translate'\?"),
    ('"translate"', '"ml"', r"line 1: task is 'ml'; expected .* did you mean 'lm'\?"),
    ("[training]", "[model]\nwidht = 8\n[training]", r"line 8: \[model\] widht is not a key; did you mean 'width'\?"),
    ("[training]", "[model]\nheads = 'x'\n[training]", r"line 8: \[model\] heads is 'x'; expected a whole number$"),
    ("[training]", "[model]\ncontext = 'x'\n[training]", r"line 8: \[model\] context is 'x'; expected a whole number$"),
    ("[training]", "[model]\npooling = 'men'\n[training]", r"line 8: .* 'mean' or 'first'; did you mean 'mean'\?"),
    ("[training]", "[model]\npositions = 'rotry'\n[training]", r"line 8: .*'rotry'; did you mean 'rotary'\?"),
    ("[training]", "[model]\ndropout = 'x'\n[training]", r"line 8: .* a number, or a table of rate, attention, inner"),
    (
        "[training]",
        "[model]\nvocabulary = 9\n[training]",
        r"line 8: model\.vocabulary is given; expected it to be left",
    ),
    ("[training]", "[model]\nencoder_layers = 0\n[training]", r"line 7: .* make it decoder-only; expected encoder-dec"),
    ("task", "tsak", r"the key 'task' is missing; .*is it written as 'tsak'\?"),
    ("[data]", "[data", r"this is not TOML"),
    ("[training]", "[batches]\nrows = 1\ntokens = 2\n[training]", r"line 7: batches has tokens and rows; expected one"),
]


@pytest.mark.parametrize(("right", "wrong", "message"), WRONG)
def test_what_is_wrong_is_said(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    path = written(tmp_path, SMALL.replace(right, wrong, 1))
    with pytest.raises(TrainingError, match=message) as found:
        read_configuration(path)
    assert str(path) in str(found.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    with pytest.raises(TrainingError, match=r"my-rum\.toml: it cannot be read: .* did you mean 'my-run\.toml'\?"):
        read_configuration(tmp_path / "my-rum.toml")
    with pytest.raises(TrainingError, match="it cannot be read: is a directory"):
        read_configuration(tmp_path)
    (tmp_path / "latin.toml").write_bytes("# é".encode("latin-1"))
    with pytest.raises(TrainingError, match="byte 2 is not UTF-8"):
        read_configuration(tmp_path / "latin.toml")


def chosen(**training: Any) -> Any:
    data = {"task": "copy", "training": training}
    return configured(data).training


def test_schedules() -> None:
    """Without a rate, the paper's for this width: 512 and 4,000 steps give the 0.0007 of the 2017 paper's plots."""
    assert schedule_of(chosen(schedule="constant", rate=2.0, warmup=3), 8) == Constant(peak=2.0, warmup=3)
    assert schedule_of(chosen(schedule="cosine", rate=2.0, steps=7, warmup=3), 8) == Cosine(peak=2.0, warmup=3, steps=7)
    translating = configured({"task": "lm", "data": {"text": "t"}, "training": {"schedule": "inverse-square-root"}})
    assert schedule_of(translating.training, 8) == InverseSquareRoot(peak=1e-3, warmup=100)  # type: ignore[arg-type]
    without = chosen(warmup=4000).model_copy(update={"rate": None})
    found = schedule_of(without, 512)
    assert isinstance(found, InverseSquareRoot)
    assert found.peak == pytest.approx(6.9877e-4, rel=1e-4)


def test_what_may_change_when_a_training_is_resumed() -> None:
    def dumped(**training: Any) -> dict[str, Any]:
        return configured({"task": "copy", "training": training}).model_dump()

    assert difference(dumped(), dumped(steps=7, patience=3, save_every=2)) is None
    assert difference(dumped(), dumped(rate=0.5)) == "training.rate was 0.001 and is 0.5"
    assert difference(dumped(schedule="cosine"), dumped(schedule="cosine", steps=7)) == (
        "training.steps was 1000 and is 7"
    )
    other = configured({"task": "copy", "seed": 3}).model_dump()
    assert difference(dumped(), other) == "seed was 1 and is 3"
    deeper = configured({"task": "copy", "model": {"dropout": 0.5}}).model_dump()
    assert difference(dumped(), deeper) == "model.dropout was None and is 0.5"


def test_run_files_are_read_without_pytorch() -> None:
    code = "import sys, workings.training; workings.training.template('lm'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
