"""The corpus of ordinary programs in ``tests/programs``, by name."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def load_program(name):
    """The module of a program; skips the test where it needs torch and there is none."""
    if name.startswith(("torch_", "mixed_")):
        pytest.importorskip("torch")
    module = sys.modules.get(name)
    if module is None:
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return module
