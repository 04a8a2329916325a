"""`workings new` and `workings train`: from a file to a model that the other verbs use."""

from __future__ import annotations

import json

import pytest
from safetensors.torch import load_file

from workings.training.configuration import TASKS, read_configuration

COPY = """task = "copy"
[data]
symbols = 3
longest = 3
pairs = 64
validation_pairs = 8
[model]
width = 8
heads = 2
encoder_layers = 1
decoder_layers = 1
context = 8
[batches]
rows = 16
[training]
steps = {steps}
report_every = 1
validate_every = 2
save_every = 2
preflight = false
"""


@pytest.fixture
def file(tmp_path):
    def write(steps: int, name: str = "copying.toml") -> str:
        (tmp_path / name).write_text(COPY.format(steps=steps), encoding="utf-8")
        return name

    return write


@pytest.mark.parametrize("task", TASKS)
def test_new_writes_a_run_file_that_can_be_read(workings, refused, tmp_path, task):
    answer = workings("new", task, "mine.toml")
    assert answer.code == 0
    assert "workings train mine.toml" in answer.err
    assert read_configuration(tmp_path / "mine.toml").task == task
    assert "add --force" in refused("new", task, "mine.toml")
    assert "ends in .toml" in refused("new", task, "mine.txt")


def test_new_offers_what_there_is(refused):
    assert "choose from" in refused("new", "translator", "mine.toml")


def test_a_training_as_a_process(process, file, tmp_path):
    answer = process("train", file(4))
    assert answer.code == 0, answer.err
    assert answer.out == 'The trained model is in copying. Try: workings translate copying "1 2 3"\n'
    assert "step 4/4" in answer.err
    assert "validation loss" in answer.err
    metrics = [json.loads(line) for line in (tmp_path / "copying" / "metrics.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in metrics if entry["kind"] == "step"] == [1, 2, 3, 4]


def test_what_was_trained_is_used(workings, file):
    assert workings("train", file(2), "--output", "run").code == 0
    assert workings("translate", "run", "1 2").code == 0
    told = workings("evaluate", "run").out
    assert told.startswith("what its training validated on\n  8 sentences")
    assert "validation: last" in workings("plot", "run").out
    assert "1" in workings("near", "run", "2").out
    assert workings("show", "run", "1 2 3").code == 0


def test_resumed_it_is_the_training_that_was_not_interrupted(workings, file, tmp_path):
    assert workings("train", file(4), "--output", "whole").code == 0
    assert workings("train", file(2), "--output", "parts").code == 0
    assert workings("train", file(4), "--output", "parts", "--resume").code == 0
    # The tensors, bit for bit; the order of a file's header is not fixed.
    parts, whole = (load_file(tmp_path / name / "model.safetensors") for name in ("parts", "whole"))
    assert parts.keys() == whole.keys()
    assert all(parts[name].equal(whole[name]) for name in whole)


def test_what_train_refuses(workings, refused, file, tmp_path):
    assert "there is no such" in refused("train", "no.toml") or "no such file" in refused("train", "no.toml")
    name = file(2)
    (tmp_path / "wrong.toml").write_text(COPY.format(steps=2) + "stepz = 3\n", encoding="utf-8")
    message = refused("train", "wrong.toml")
    assert "wrong.toml, line" in message
    assert "did you mean 'steps'" in message
    assert "leave one out" in refused("train", name, "--resume", "--replace")
    assert workings("train", name).code == 0
    assert "there is already a training" in workings("train", name).err
    assert workings("train", name, "--replace").code == 0
    (tmp_path / "copying.toml").write_text(COPY.format(steps=4).replace("width = 8", "width = 16"), encoding="utf-8")
    resumed = workings("train", name, "--resume")
    assert resumed.code == 2
    assert "model.width was 8 and is 16" in resumed.err
