"""Curves over steps, which are drawn in the terminal and as figures."""

from __future__ import annotations

from workings.frozen import frozen


@frozen
class Curve:
    """A name and its points, x growing; points that are not finite are left out."""

    name: str
    points: tuple[tuple[float, float], ...]
