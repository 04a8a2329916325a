"""``with record(model) as working``: what PyTorch runs inside is recorded, with no change to the code that runs it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch

from workings.recording import source
from workings.recording.collecting import few_collections
from workings.recording.recorder import Recorder
from workings.recording.warned import warnings_of_the_program
from workings.recording.working import Source, Working


def record(model: torch.nn.Module | None = None) -> AbstractContextManager[Working]:
    """Record what PyTorch runs inside the ``with``.

    The Working that is handed over fills as the code runs and can be read during and after it. With ``model`` given,
    its modules are groups by their names (``layers.3.attention``), its parameters and buffers are named inputs, and
    the ``forward`` methods of the user's own classes are followed line by line. Tensors from outside are given.

    Raises ``TypeError`` for a model that is not a module.
    """
    if model is not None and not isinstance(model, torch.nn.Module):
        hint = "for a function use wk.show(function, arguments)" if callable(model) else "or nothing at all"
        raise TypeError(f"record was given a {type(model).__name__}; expected a torch.nn.Module; {hint}")
    return _recording(model)


@contextmanager
def _recording(model: torch.nn.Module | None) -> Iterator[Working]:
    name = type(model).__name__ if model is not None else "tensors"
    recorder = Recorder(
        Source("model", name, getattr(sys.modules.get(type(model).__module__), "__file__", None) or ""), source.SITES
    )
    recorder.imported()
    side = recorder.tensors
    side.scopes.root_name = ""
    side.ledger.lost = False
    if model is not None:
        side.scopes.adopt(model)
    with few_collections(), warnings_of_the_program():
        try:
            yield recorder.working
        finally:
            recorder.finish()
