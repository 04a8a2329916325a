"""Two processes are as one that has all rows: losses, norms, weights, states. In float64, over gloo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.training.support import encoder_decoder, pairs
from tests.training.together import SAVED, STEPS, steps, training

from workings.training.distribution import ALONE
from workings.training.tensor_file import read_tensors

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
WAYS = ["replicated", "sharded"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two processes left."""
    folder = tmp_path_factory.mktemp("together")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["-m", "tests.training.together", str(folder)]
    for way in WAYS:  # each in processes of its own: a second group in the same ones was seen to wait for ever
        run = [*command, way]
        done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT, env=environment, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def alone() -> tuple[list[dict[str, Any]], float]:
    """The steps and the validation of one process."""
    trainer = training(ALONE)
    reports = steps(trainer, STEPS)
    validation = trainer.validate(pairs(tokens=12, seed=None), None)
    assert validation is not None
    return reports, validation.loss


def said(folder: Path, way: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{way}.json").read_text())
    return found


@pytest.mark.parametrize("way", WAYS)
def test_two_processes_take_the_steps_of_one(folder: Path, way: str, alone: tuple[list[dict[str, Any]], float]) -> None:
    found, (expected, loss) = said(folder, way), alone
    assert found["world"] == 2
    for ours, theirs in zip(found["reports"], expected, strict=True):
        for key in ("loss", "norm", "accuracy", "tokens", "step", "rate"):
            assert ours[key] == pytest.approx(theirs[key], rel=1e-11), (ours["step"], key)
    assert found["loss"] == pytest.approx(loss, rel=1e-11)


@pytest.mark.parametrize("way", WAYS)
def test_what_one_process_wishes_all_hear(folder: Path, way: str) -> None:
    assert all(report["wishes"] == [True, False] for report in said(folder, way)["reports"])


@pytest.mark.parametrize("way", WAYS)
def test_what_one_process_loses_all_name(folder: Path, way: str) -> None:
    message = said(folder, way)["lost"]
    assert message.startswith("at step 9 the loss is nan: the first output that is not finite is that of model.decoder")
    assert message.endswith("feed_forward.narrow (Linear)")


@pytest.mark.parametrize("way", WAYS)
def test_two_processes_go_on_exactly(folder: Path, way: str) -> None:
    assert said(folder, way)["resumed"]


@pytest.mark.parametrize("way", WAYS)
def test_one_process_goes_on_where_two_stopped(
    folder: Path, way: str, alone: tuple[list[dict[str, Any]], float]
) -> None:
    """The state is whole, whoever saved it."""
    tensors, about = read_tensors(folder / f"{way}.safetensors")
    assert {name: t.shape for name, t in tensors.items() if name.startswith("weights/")} == {
        f"weights/{name}": parameter.shape for name, parameter in encoder_decoder().named_parameters()
    }
    assert all(tensor.dtype == torch.float64 for tensor in tensors.values())
    trainer = training(ALONE)
    trainer.restore(tensors, about)
    for ours, theirs in zip(steps(trainer, STEPS - SAVED), alone[0][SAVED:], strict=True):
        assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-11)
        assert ours["norm"] == pytest.approx(theirs["norm"], rel=1e-10)
