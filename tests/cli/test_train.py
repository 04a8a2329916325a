"""`workings new` and `workings train`: from a file to a model that the other verbs use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

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
    parts, whole = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("parts", "whole"))
    assert parts == whole


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


LM = """task = "lm"
[data]
text = "text.txt"
validation = "held.txt"
[tokeniser]
spelled = false
[model]
width = 8
heads = 2
decoder_layers = 1
context = 8
[training]
steps = {steps}
schedule = "constant"
validate_every = 2
preflight = false
"""


@pytest.fixture
def language(tmp_path):
    """A run file for a text of ten letters; 8 · 8 + 1 of them are held out, so that windows of 8 fit."""
    (tmp_path / "text.txt").write_text("abcdefghij" * 40, encoding="utf-8")
    (tmp_path / "held.txt").write_text(("jihgfedcba" * 9)[:65], encoding="utf-8")

    def write(steps: int) -> str:
        (tmp_path / "letters.toml").write_text(LM.format(steps=steps), encoding="utf-8")
        return "letters.toml"

    return write


def test_windows_side_by_side_give_the_validation_loss_of_training(workings, language, tmp_path):
    assert workings("train", language(2)).code == 0
    metrics = [json.loads(line) for line in (tmp_path / "letters" / "metrics.jsonl").read_text().splitlines()]
    (loss,) = [entry["loss"] for entry in metrics if entry["kind"] == "validation"]
    told = workings("evaluate", "letters", "--stride", "8").out
    assert "read in windows of 8 tokens side by side, as training does for its validation loss" in told
    (result,) = json.loads(workings("evaluate", "letters", "--stride", "8", "-f", "json").out)["results"]
    assert result["token"]["nats"] == pytest.approx(loss, rel=1e-5)
    (result,) = json.loads(workings("evaluate", "letters", "-f", "json").out)["results"]
    assert (result["context"], result["stride"]) == (8, 4)
    assert result["token"]["nats"] != pytest.approx(loss, rel=1e-5)


def test_a_resumed_training_says_its_new_steps(workings, language, tmp_path):
    for steps in (2, 4):
        assert workings("train", language(steps), "--resume").code == 0
    content = json.loads((tmp_path / "letters" / "config.json").read_text(encoding="utf-8"))
    assert content["configuration"]["training"]["steps"] == 4
    assert workings("generate", "letters", "abc", "--length", "3").code == 0  # its tokeniser is still known


def test_what_it_was_trained_on_is_looked_for_and_named(workings, refused, language, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    assert workings("train", language(2), "--output", "elsewhere/run").code == 0
    assert workings("evaluate", "elsewhere/run").code == 0  # found from here
    (tmp_path / "text.txt").rename(tmp_path / "moved.txt")
    message = refused("evaluate", "elsewhere/run")
    assert f"text.txt, which it was trained on, is not in {tmp_path / 'elsewhere'} or in {tmp_path};" in message
    assert "name one: workings evaluate elsewhere/run FILE" in message


def test_a_training_that_is_stopped_has_saved_and_ends_with_2(language, tmp_path):
    command = [sys.executable, "-m", "workings", "train", language(1_000_000)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "step 50/" in line:
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read()
    assert process.returncode == 2
    assert "Go on with: workings train letters.toml --resume" in rest
    assert (tmp_path / "letters" / "state.safetensors").exists()


def torchrun(folder, *arguments):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "-m", "workings", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if line.startswith("workings: ")]
    return done.returncode, done.stdout, said, done.stderr


@pytest.mark.slow
def test_several_processes_say_everything_once(language, tmp_path):
    code, out, said, _ = torchrun(tmp_path, "train", language(4))
    assert (code, out, said) == (0, 'The trained model is in letters. Try: workings generate letters "..."\n', [])
    code, out, said, everything = torchrun(tmp_path, "train", "letters.toml")
    assert (code, out, len(said)) == (1, "", 1)  # torchrun's own code
    assert said[0].startswith("workings: letters: there is already a training; ")
    assert "mistake in Workings" not in everything
    (tmp_path / "wrong.toml").write_text(LM.format(steps=4).replace("steps", "stepz"), encoding="utf-8")
    code, _, said, _ = torchrun(tmp_path, "train", "wrong.toml")
    assert (code, len(said)) == (1, 1)
    assert "did you mean 'steps'" in said[0]
