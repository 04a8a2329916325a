"""What is asked of a figure."""

from __future__ import annotations

from workings.figures.style import Style
from workings.frozen import frozen


@frozen
class Wish:
    """How a figure looks and what of the Working it shows: addresses, words, and two axes of the plane."""

    style: Style
    at: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
