"""Every block of the README marked as tested, run as it stands there, one after the other in one empty folder."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = "python3 -m venv"
"""The two blocks that begin so are run by .ci/run in a fresh copy."""


class Block(NamedTuple):
    """A fenced block: the mark above it, its language and its text."""

    mark: str
    language: str
    text: str
    line: int


def blocks() -> list[Block]:
    found = []
    for match in re.finditer(r"^<!-- ([^>]+) -->\n```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        found.append(Block(match[1], match[2], match[3], README.count("\n", 0, match.start()) + 1))
    return found


def test_every_block_of_code_says_whether_it_is_tested():
    fences = re.findall(r"^```(?:sh|python)$", README, re.MULTILINE)
    assert len(fences) == len(blocks()) > 10
    assert {block.mark.partition(":")[0] for block in blocks()} == {"test", "file"}


def test_the_set_up_commands_are_those_of_continuous_integration():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [block.text.strip() for block in blocks() if block.text.startswith(SET_UP)]
    assert len(commands) == 2
    for command in commands:
        assert f'"{command}"' in script


@pytest.fixture
def environment(tmp_path):
    """A `workings` on the path that is this code, in an environment without colours or a narrow window."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "workings"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m workings "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONWARNINGS": "error",
        "NO_COLOR": "1",
    }


def _installed(mark: str) -> bool:
    """Whether what a block's mark asks for is here: `test: torch, figures`."""
    packages = {"torch": "torch", "figures": "matplotlib"}
    needed = mark.removeprefix("test").removeprefix(": ").split(", ")
    return all(importlib.util.find_spec(packages[extra]) for extra in needed if extra)


@pytest.mark.slow
def test_every_marked_block_runs(tmp_path, environment):
    folder = tmp_path / "folder"
    folder.mkdir()
    ran = 0
    for block in blocks():
        name = block.mark.removeprefix("file: ")
        if name != block.mark:
            (folder / name).write_text(block.text, encoding="utf-8")
            continue
        if block.text.startswith(SET_UP) or not _installed(block.mark):
            continue
        command = ["bash", "-e", "-c", block.text]
        if block.language == "python":
            (folder / "block.py").write_text(block.text, encoding="utf-8")
            command = [sys.executable, "block.py"]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
        )
        assert done.returncode == 0, f"README.md, the block at line {block.line}:\n{done.stderr}"
        assert done.stdout or "-o " in block.text
        ran += 1
    assert ran >= 10


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_every_link_leads_somewhere(target):
    assert (ROOT / target).exists()


def test_the_picture_is_what_is_printed(tmp_path):
    """docs/picture.py draws the same picture again."""
    drawing = (ROOT / "docs" / "picture.svg").read_bytes()
    script = tmp_path / "picture.py"
    script.write_bytes((ROOT / "docs" / "picture.py").read_bytes())
    subprocess.run(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, check=True, timeout=60
    )
    assert (tmp_path / "picture.svg").read_bytes() == drawing, "draw it with: python docs/picture.py"
