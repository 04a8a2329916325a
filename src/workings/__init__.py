"""Workings shows the working of code: every number traced to the numbers it was made from.

    working = wk.show(attention, Q, K, V)          a function of yours, recorded as it runs
    with wk.record(model) as working: ...          PyTorch: whatever runs inside
    wk.example("apple").run()                      a worked example; `wk.script("mine.py")` a script
    wk.experiment("permutation").run()             a claim of the texts, run and judged
    working["S"].arithmetic("Apple", "shares")     one number worked out; `working.replay({...})` what if
    wk.figure(working, "weights")                  a matplotlib Figure

Names are loaded when they are first used: `import workings` by itself costs next to nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workings.api import example as example
    from workings.api import experiment as experiment
    from workings.api import load as load
    from workings.api import record as record
    from workings.api import script as script
    from workings.api import show as show
    from workings.api import shown as shown
    from workings.examples import ExampleError as ExampleError
    from workings.experiments import ExperimentError as ExperimentError
    from workings.figures import FigureError as FigureError
    from workings.figures import figure as figure
    from workings.notebook import load_ipython_extension as load_ipython_extension
    from workings.recording.address import AddressError as AddressError
    from workings.recording.running import ScriptError as ScriptError
    from workings.recording.saving import SavedFileError as SavedFileError
    from workings.recording.working import Working as Working

_HOMES = {
    "show": "workings.api",
    "shown": "workings.api",
    "record": "workings.api",
    "example": "workings.api",
    "experiment": "workings.api",
    "script": "workings.api",
    "load": "workings.api",
    "figure": "workings.figures",
    "Working": "workings.recording.working",
    "AddressError": "workings.recording.address",
    "ExampleError": "workings.examples",
    "ExperimentError": "workings.experiments",
    "FigureError": "workings.figures",
    "SavedFileError": "workings.recording.saving",
    "ScriptError": "workings.recording.running",
    "load_ipython_extension": "workings.notebook",
}
__all__ = [  # noqa: RUF022 - in the order in which they are met
    "show", "shown", "record", "example", "experiment", "script", "load", "figure",
    "Working", "AddressError", "ExampleError", "ExperimentError", "FigureError", "SavedFileError", "ScriptError",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("workings")
        except PackageNotFoundError:
            return "(run from its source, not installed)"
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'workings' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "__version__"})


def _in_notebook() -> None:
    """In a running notebook `%%workings` is there at once; `%load_ext workings` does the same."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is not None:
        __getattr__("load_ipython_extension")(shell)


_in_notebook()
