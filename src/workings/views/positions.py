"""How a map of positions is read: the words that stand beside it in a figure and on a page."""

from __future__ import annotations

from typing import Any

import numpy as np

DOWN = "position"
READ = "Low coordinates change fast and tell neighbours apart, high ones slowly."


def across(encoding: np.ndarray[Any, Any]) -> str:
    """What stands along the coordinates of positions, a row each."""
    return "coordinate: fast on the left, slow on the right" if _slows(encoding) else "coordinate"


def _slows(encoding: np.ndarray[Any, Any]) -> bool:
    """Whether the first pair of coordinates changes more from row to row than the last, as interleaved waves do."""
    change = np.abs(np.diff(encoding, axis=0)).sum(axis=0)
    return len(change) > 3 and bool(change[:2].sum() > change[-2:].sum())
