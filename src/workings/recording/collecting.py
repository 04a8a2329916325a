"""Garbage collection while recording, which makes many small objects and frees few: looking often finds nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 50_000


@contextmanager
def few_collections() -> Iterator[None]:
    """Collect more rarely inside, and as before afterwards. Collection that was switched off stays off."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], _OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
