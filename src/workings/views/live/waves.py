"""Sinusoidal positions at larger widths than a page's own, as maps that show fast and slow coordinates."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from workings import equations
from workings.equations.positions import Layout
from workings.recording.operations.bound import as_array
from workings.recording.program import Program
from workings.recording.working import Source, Working
from workings.views.lines import within_package
from workings.views.naming import names_of
from workings.views.positions import DOWN, READ, across

WIDTHS = (16, 64)
LENGTH = 64
STEPS = 100
"""A map carries its numbers as whole hundredths, which is finer than a shade can show."""


def waves(working: Working) -> list[dict[str, Any]]:
    """The maps for a Working that has sinusoidal positions, with its base and layout; none for another."""
    for group in working.groups:
        names = names_of(working, group.number)
        sites = (b.site for b in working.bindings if b.group == group.number)
        if group.name == "sinusoidal_positions" and within_package(next(sites, None)):
            base = float(as_array(working.value(names["base"]))) if "base" in names else 10000.0
            layout: Layout = "halves" if "sine_count" in names else "interleaved"
            return [_map(width, base, layout) for width in WIDTHS]
    return []


@lru_cache(maxsize=16)
def _map(width: int, base: float, layout: Layout) -> dict[str, Any]:
    """The equation, run for this width and recorded: its numbers, and for each coordinate how long its wave is."""
    program = Program(Source("equation", "sinusoidal_positions"))
    like = program.given("like", np.zeros(1))
    program.call(equations.sinusoidal_positions, LENGTH, width, like, base=base, layout=layout, names="encoding")
    working = program.finish()
    encoding = np.asarray(working["encoding"].value)
    lengths = math.tau * np.asarray(working["divisors"].value)
    sines = np.asarray(working["is_sine"].value)
    return {
        "width": width, "length": LENGTH, "steps": STEPS, "down": DOWN, "across": across(encoding),
        "read": f"The vectors of {LENGTH} positions, a row each. {READ}",
        "values": np.rint(encoding * STEPS).astype(int).ravel().tolist(),
        "words": [_words(*each) for each in zip(range(width), sines.tolist(), lengths.tolist(), strict=True)],
    }  # fmt: skip


def _words(coordinate: int, sine: bool, length: float) -> str:
    """What is said of a coordinate: ``Coordinate 0 is a sine: a full turn takes 6.28 positions, 10.2 turns here.``"""
    takes = f"{length:.2f}" if length < 100 else f"{length:,.0f}".replace(",", " ")
    turns = LENGTH / length
    seen = f"{turns:.1f} turns are shown" if turns >= 1 else f"{100 * turns:.1g} % of one is shown"
    return f"Coordinate {coordinate} is a {'sine' if sine else 'cosine'}: a full turn takes {takes} positions, {seen}."
