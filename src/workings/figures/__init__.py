"""Figures: the two texts' and your own, drawn from a Working, a model or the course of a training.

A figure reads what was recorded and computes nothing of it. It is a matplotlib Figure: save it, or add to it. This package
loads matplotlib, which `workings[figures]` brings; nothing else of Workings does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workings.figures.errors import FigureError
from workings.figures.style import NAMES, Drawing, style_named

if TYPE_CHECKING:
    from torch import nn

    from workings.recording.working import Working

__all__ = ["NAMES", "Drawing", "FigureError", "figure"]


def figure(
    source: Working | nn.Module,
    name: str,
    *,
    at: str | Sequence[str] = (),
    token: str | Sequence[str] = (),
    axes: Sequence[str] = (),
    style: str = "page",
    dark: bool = False,
    width: float | None = None,
) -> Drawing:
    """Draw a figure of a Working by its name, any of its values by its address, or the blocks of a model.

    ``at`` says which attention, mask or probabilities, by address; ``token`` which word, ``":"`` each; ``axes`` which two
    columns the plane has; ``width`` is in millimetres. Raises FigureError for what is not there, and AddressError.
    """
    from workings.figures.wish import Wish
    from workings.recording.working import Working

    wish = Wish(style_named(style, dark, width), _several(at), _several(token), tuple(map(str, axes)))
    if isinstance(source, Working):
        from workings.figures.registry import draw

        return draw(source, name, wish)
    from workings.figures.registry import draw_model

    return draw_model(source, name, wish)


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
