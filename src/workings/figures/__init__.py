"""Figures: the two texts' and your own, drawn from a Working, a model or the course of a training.

A figure reads what was recorded and computes nothing of it. It is a matplotlib Figure: save it, or add to it. This
package alone uses matplotlib, which `workings[figures]` brings, and loads it when something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workings.figures.errors import FigureError

if TYPE_CHECKING:
    from workings.figures.style import Drawing
    from workings.recording.working import Working
    from workings.transformer import Model

__all__ = ["FigureError", "figure"]


def figure(
    source: Working | Model,
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

    ``at`` says which attention, mask or probabilities, by address; ``token`` which word, ``":"`` each; ``axes`` which
    two columns the plane has; ``style`` is "page", "paper" or "slides"; ``width`` is in millimetres.

    Raises FigureError for what is not there, AddressError, and ImportError without matplotlib.
    """
    try:
        from workings.figures.style import style_named
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise ImportError(
            "figures need matplotlib, which is not installed here; pip install 'workings[figures]'"
        ) from None
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
