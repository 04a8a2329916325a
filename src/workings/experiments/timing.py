"""Times, for showing: a busy machine makes them longer, so the shortest of several counts, and none is judged by."""

from __future__ import annotations

import time
from collections.abc import Callable

_RUNS = 5


def shortest(run: Callable[[], object]) -> float:
    """The seconds of the quickest of a few runs."""
    seconds = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return min(seconds)
