"""The folder of a training: whole or absent, damage noticed, a full disk survived."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tests.training.support import decoder, run_directory, text_corpus, trainer

from workings.training.errors import TrainingError
from workings.training.metrics import read_metrics
from workings.training.run_directory import Description, RunDirectory
from workings.training.tensor_file import read_tensors, write_tensors


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    given = trainer()
    given.step()
    run.save_state(*given.state())
    run.save_best(given.weights(), {"step": 1})
    again = RunDirectory.open(tmp_path / "run")
    assert again.tokeniser().encode("one red") == text_corpus().tokeniser.encode("one red")
    assert again.about_best() == {"step": 1}
    tokens = torch.tensor([[1, 2, 3]])
    with given.weights_in_use():
        expected = given.objective.model.eval()(tokens)
    for which in ("best", "last"):
        assert torch.equal(again.model(which)(tokens), expected)  # type: ignore[arg-type]


def test_the_weights_are_plain_safetensors(tmp_path: Path) -> None:
    """Any reader of the format finds the parameters under their names."""
    run = run_directory(tmp_path / "run")
    run.save_best(decoder().state_dict(), {})
    found = load_file(tmp_path / "run" / "model.safetensors")
    assert {name: tuple(tensor.shape) for name, tensor in found.items()} == {
        name: tuple(parameter.shape) for name, parameter in decoder().named_parameters()
    }


def test_equal_contents_make_equal_files(tmp_path: Path) -> None:
    """In whatever order the tensors come, and however often it is written; the header is read by hand."""
    tensors = {name: torch.full((2,), float(place)) for place, name in enumerate("dbac")}
    contents = set()
    for number in range(12):
        turned = dict(sorted(tensors.items(), reverse=number % 2 == 1))
        write_tensors(tmp_path / "a.safetensors", turned, {"step": 1, "loss": 0.5})
        contents.add((tmp_path / "a.safetensors").read_bytes())
    (content,) = contents
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    assert {name: header[name]["data_offsets"] for name in "abcd"} == {
        "a": [0, 8], "b": [8, 16], "c": [16, 24], "d": [24, 32]
    }  # fmt: skip


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    def stopped() -> None:
        with RunDirectory.creating(tmp_path / "run") as folder:
            (folder / "config.json").write_text("{}")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_beside_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / ".run.part").mkdir()
    (tmp_path / ".run.part" / "old").touch()
    run_directory(tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
    assert not (tmp_path / "run" / "old").exists()


def test_a_training_is_replaced_only_where_that_is_said(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    run.metrics.append("step", 1, loss=1.0)
    with pytest.raises(TrainingError, match="there is already a training; expected a folder that does not exist"):
        run_directory(tmp_path / "run")
    with RunDirectory.creating(tmp_path / "run", replace=True) as folder:
        RunDirectory(folder, Description(task="lm", model={})).write_description()
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["config.json"]


def test_other_files_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").touch()
    with (
        pytest.raises(TrainingError, match="there is already something else"),
        RunDirectory.creating(tmp_path / "run", replace=True),
    ):
        pass
    assert (tmp_path / "run" / "thesis.tex").exists()


def test_folders_that_are_no_runs(tmp_path: Path) -> None:
    run_directory(tmp_path / "shakespeare")
    with pytest.raises(TrainingError, match=r"there is no such folder.*did you mean 'shakespeare'"):
        RunDirectory.open(tmp_path / "shakespear")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TrainingError, match=r"this folder holds no training: config\.json is missing"):
        RunDirectory.open(tmp_path / "empty")
    shutil.rmtree(tmp_path / "shakespeare" / "tokeniser")
    with pytest.raises(TrainingError, match="its tokeniser is missing"):
        RunDirectory.open(tmp_path / "shakespeare")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": 1, "task"', "the file is damaged"),
        ("[1, 2]", "the file is damaged"),
        ('{"format": 1, "task": "lm"}', "the file is damaged"),
        ('{"format": 2, "task": "lm"}', "a training of format 2; expected format 1; use the version"),
    ],
)
def test_a_config_that_cannot_be_used(tmp_path: Path, content: str, message: str) -> None:
    run_directory(tmp_path / "run")
    (tmp_path / "run" / "config.json").write_text(content)
    with pytest.raises(TrainingError, match=f"config.json: {message}"):
        RunDirectory.open(tmp_path / "run")


def test_a_model_that_does_not_exist_any_more(tmp_path: Path) -> None:
    """A config with a choice that this version does not know."""
    run = run_directory(tmp_path / "run")
    path = tmp_path / "run" / "config.json"
    content = json.loads(path.read_text())
    content["model"]["positions"] = {"kind": "spiral"}
    path.write_text(json.dumps(content))
    run.save_best(decoder().state_dict(), {})
    with pytest.raises(TrainingError, match=r"config\.json: model: positions is 'spiral'"):
        RunDirectory.open(tmp_path / "run").model()


def test_weights_of_another_model(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    run.save_best(decoder(width=16).state_dict(), {})
    with pytest.raises(TrainingError, match=r"has the shape .*16.*; expected .*8"):
        run.model()
    run.save_best({"other": torch.zeros(1)}, {})
    with pytest.raises(TrainingError, match=r"the weight 'embedding\.weight' is missing"):
        run.model()


def test_a_run_without_weights(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no weights were saved yet"):
        run_directory(tmp_path / "run").model()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "state.safetensors"
    write_tensors(path, {"a": torch.arange(10.0), "b": torch.ones(2, 3).bfloat16()}, {"step": 7})
    return path


def test_tensors_come_back(saved: Path) -> None:
    tensors, about = read_tensors(saved)
    assert about == {"step": 7}
    assert torch.equal(tensors["a"], torch.arange(10.0))
    assert tensors["b"].dtype == torch.bfloat16
    assert [path.name for path in saved.parent.iterdir()] == ["state.safetensors"]


def test_every_damaged_byte_is_noticed(saved: Path) -> None:
    """One byte changed, anywhere; and every way to cut the file short."""
    whole = saved.read_bytes()
    for place in range(len(whole)):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :])
        with suppress(TrainingError):  # unless it was a blank of the header, or a remark of the format's own
            tensors, about = read_tensors(saved)
            assert about == {"step": 7}
            assert torch.equal(tensors["a"], torch.arange(10.0))
    for length in range(0, len(whole), 7):
        saved.write_bytes(whole[:length])
        with pytest.raises(TrainingError, match=r"damaged|no file of a training"):
            read_tensors(saved)


def test_files_of_others(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(1)}, tmp_path / "other.safetensors")
    with pytest.raises(TrainingError, match="this is no file of a training here"):
        read_tensors(tmp_path / "other.safetensors")
    (tmp_path / "pickle.bin").write_bytes(b"\x80\x04cos\nsystem\n.")
    with pytest.raises(TrainingError, match="damaged"):
        read_tensors(tmp_path / "pickle.bin")


_FULL = """
import resource, sys, torch
from pathlib import Path
from workings.training.errors import TrainingError
from workings.training.metrics import Metrics
from workings.training.tensor_file import write_tensors
folder = Path(sys.argv[1])
if sys.argv[2] == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
write_tensors(folder / "state.safetensors", {"a": torch.zeros(100)}, {"step": 1})
try:
    write_tensors(folder / "state.safetensors", {"a": torch.ones(100_000)}, {"step": 2})
except TrainingError as error:
    print(error)
metrics = Metrics(folder / "metrics.jsonl")
try:
    for step in range(10_000):
        metrics.append("step", step, loss=0.0)
except TrainingError as error:
    print(error)
"""


@pytest.mark.parametrize("how", ["limit", "disk"])
def test_a_disk_that_fills_up(tmp_path: Path, how: str) -> None:
    """A real one of 200 kB where the system lets us mount it; elsewhere, files that may not grow."""
    command = [sys.executable, "-c", _FULL, str(tmp_path), how]
    if how == "disk":
        mount = f"mount -t tmpfs -o size=200k tmpfs '{tmp_path}'"
        show = f"cp '{tmp_path}'/* '{tmp_path}.kept/'"
        (tmp_path.parent / f"{tmp_path.name}.kept").mkdir()
        command = ["unshare", "-rm", "sh", "-c", f'{mount} || exit 77; "$@"; {show}', "-", *command]
        if shutil.which("unshare") is None:
            pytest.skip("no unshare to mount a small disk with")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    if how == "disk" and (done.returncode == 77 or "unshare" in done.stderr):
        pytest.skip("the system does not let us mount a small disk")
    kept = tmp_path.parent / f"{tmp_path.name}.kept" if how == "disk" else tmp_path
    first, second = done.stdout.splitlines()
    reason = "the disk is full" if how == "disk" else "file too large"
    assert f"state.safetensors: it cannot be written: {reason}; what was saved before is still there" in first
    assert f"metrics.jsonl: it cannot be written: {reason}" in second
    tensors, about = read_tensors(kept / "state.safetensors")
    assert about == {"step": 1}
    assert not tensors["a"].any()
    assert [line["step"] for line in read_metrics(kept / "metrics.jsonl")][:3] == [0, 1, 2]
    assert sorted(path.name for path in kept.iterdir()) == ["metrics.jsonl", "state.safetensors"]


def test_two_trainings_do_not_write_to_one_folder(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    with run.alone(), pytest.raises(TrainingError, match="another training is writing there"), run.alone():
        pass
    with run.alone():
        pass


def test_metrics(tmp_path: Path) -> None:
    """Lines after the step that is gone on from are taken out; a line that was being written counts nowhere."""
    run = run_directory(tmp_path / "run")
    for step in range(1, 6):
        run.metrics.append("step", step, loss=float("nan") if step == 2 else 1 / step, text="é")
    path = tmp_path / "run" / "metrics.jsonl"
    with path.open("a") as file:
        file.write('{"kind": "step", "st')
    assert [line["step"] for line in run.read_metrics()] == [1, 2, 3, 4, 5]
    assert run.read_metrics()[1]["loss"] is None
    run.metrics.cut(3)
    assert [line["step"] for line in run.read_metrics()] == [1, 2, 3]
    run.metrics.append("step", 4, loss=0.5)
    assert len(path.read_text().splitlines()) == 4
    path.write_text("{}\n" + path.read_text())
    with pytest.raises(TrainingError, match=r"metrics\.jsonl, line 1: this line is damaged"):
        run.read_metrics()


def test_a_folder_that_is_written_to_is_not_replaced(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    with (
        run.alone(),
        pytest.raises(TrainingError, match="another training is writing there"),
        RunDirectory.creating(run.path, replace=True),
    ):
        raise AssertionError("nothing is begun")
    assert len(RunDirectory.open(run.path).tokeniser()) == len(text_corpus().tokeniser)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_another_tokeniser_is_not_taken_for_its_own(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    file = min((run.path / "tokeniser").iterdir())
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(TrainingError, match="not the tokeniser that the model was trained with"):
        RunDirectory.open(run.path).tokeniser()


def test_how_far_it_had_come(tmp_path: Path) -> None:
    run = run_directory(tmp_path / "run")
    assert run.reached() == 0
    for step in (3, 12, 9):
        run.metrics.append("step", step, loss=1.0)
    assert run.reached() == 12
