"""The libraries that the benchmarks compare with: installed into an environment of their own, never into ours."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def run_again(packages: Sequence[str], folder: Path | None, threads: int) -> int | None:
    """Run this script again where the packages are; None if they are here already. Returns its exit status.

    Args:
        packages: as pip names them; a module's name is the same with underscores.
        folder: where the environment is made, and kept; a temporary one that is thrown away if None.
        threads: of OpenMP.
    """
    if all(importlib.util.find_spec(package.replace("-", "_")) for package in packages):
        return None
    with _environment(packages, folder) as python:
        return subprocess.call([python, *sys.argv], env=os.environ | {"OMP_NUM_THREADS": str(threads)})


@contextmanager
def _environment(packages: Sequence[str], folder: Path | None) -> Iterator[Path]:
    """A Python that has ours and the packages."""
    if folder is None:
        with tempfile.TemporaryDirectory() as made, _environment(packages, Path(made)) as python:
            yield python
        return
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True, symlinks=True)
        ours = sysconfig.get_path("purelib")
        theirs = subprocess.check_output(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
        ).strip()
        Path(theirs, "parent.pth").write_text(ours + "\n", encoding="utf-8")
    subprocess.check_call([python, "-m", "pip", "install", "-q", *packages])
    yield python
