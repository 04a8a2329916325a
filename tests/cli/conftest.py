"""The command in two ways: as the real process, and in this process, which is quicker."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from workings.cli import main


class Answer(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _plain_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No colour, one width, and a folder of its own for each test."""
    for name in ("FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def process(tmp_path: Path) -> Command:
    """`python -m workings ...` as a process of its own, in the test's folder."""

    def run(*arguments: str, **environment: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "workings", *arguments],
            capture_output=True, cwd=tmp_path, env=os.environ | environment, timeout=120, check=False,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


@pytest.fixture
def workings(capsys: pytest.CaptureFixture[str]) -> Command:
    """The same, without a new process."""

    def run(*arguments: str) -> Answer:
        code = 0
        try:
            main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture
def refused(workings: Command) -> Callable[..., str]:
    """What is said to a user's mistake; holds that it is said with exit code 2, no traceback, and no result."""

    def run(*arguments: str) -> str:
        answer = workings(*arguments)
        assert answer.code == 2, answer
        assert answer.out == ""
        assert "Traceback" not in answer.err
        assert answer.err.startswith("workings: ")
        return answer.err

    return run
