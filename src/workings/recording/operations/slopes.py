"""What only the backward pass does to arrays: slopes are taken back to where their numbers came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.recording.operations.functions import define


def placed(slope: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> Any:
    """Zeros of a shape, with a slope put at an index."""
    out = np.zeros(shape)
    out[index] = slope
    return out


def picked(whole: Any, index: tuple[int, ...]) -> Any:
    """The part of a slope that belongs to one place."""
    return whole[index]


def gathered(slope: Any, here: Any, places: Any, shape: tuple[int, ...]) -> Any:
    """The slopes of moved numbers, each taken back to the place its number came from; several at one place add up."""
    out = np.zeros(int(np.prod(shape, dtype=int)))
    np.add.at(out, places[here], np.asarray(slope)[here])
    return out.reshape(shape)


define("slopes.placed", placed, "placed", "a shape index", moves=True)
define("slopes.picked", picked, "picked", "a index", moves=True)
define("slopes.gathered", gathered, "gathered", "a here places shape")
