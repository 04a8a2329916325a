"""The figures by name: what each shows, what it needs, and what draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from workings.figures.attentions import attentions
from workings.figures.bars import distributions, draw_next
from workings.figures.blocks import draw_blocks
from workings.figures.errors import FigureError
from workings.figures.heads import draw_heads, layers
from workings.figures.one_word import draw_attention, worked
from workings.figures.plane import draw_plane, points
from workings.figures.positions import draw_positions, encodings
from workings.figures.structure import Structure, of_model, of_working
from workings.figures.style import Drawing
from workings.figures.weights import draw_address, draw_mask, draw_weights, masks
from workings.figures.wish import Wish
from workings.frozen import frozen
from workings.recording.address import AddressError
from workings.recording.working import Working


@frozen
class Kind:
    """A figure of a Working. ``has`` says whether a Working holds what it ``needs``."""

    name: str
    sentence: str
    needs: str
    has: Callable[[Working], Any]
    draw: Callable[[Working, Wish], Drawing]


KINDS = (
    Kind(
        "plane",
        "the words as arrows in a plane, and where attention takes one of them (--token; : is all)",
        "rows of at least two columns, X",
        points,
        draw_plane,
    ),
    Kind(
        "weights",
        "the weights of attention as heat maps, side by side (--at says of which)",
        "weights of attention",
        attentions,
        draw_weights,
    ),
    Kind(
        "attention",
        "one word's way through attention: projections, scores, softmax, mix (--token)",
        "attention with names for its scores, weights and values",
        worked,
        draw_attention,
    ),
    Kind(
        "heads",
        "the heads of one layer, their outputs side by side, and W_O",
        "attention with heads",
        layers,
        draw_heads,
    ),
    Kind(
        "positions",
        "the vectors of positions: a circle in two dimensions, a map in more",
        "vectors of positions that are added, `encoding`",
        encodings,
        draw_positions,
    ),
    Kind(
        "mask",
        "what a mask hides, beside the weights that come of it",
        "mask",
        masks,
        draw_mask,
    ),
    Kind(
        "blocks",
        "the sub-layers of a block with their norms and residual arrows",
        "encoder or decoder block",
        of_working,
        lambda working, wish: _blocks(of_working(working), wish),
    ),
    Kind(
        "next",
        "how probable each next word is",
        "probabilities of a vocabulary",
        distributions,
        draw_next,
    ),
)


MODEL_KIND = ("blocks", "the model's modules as boxes and arrows")


def _blocks(structure: Structure | None, wish: Wish) -> Drawing:
    assert structure is not None
    return draw_blocks(structure, wish.style)


def draw_model(model: Any, name: str, wish: Wish) -> Drawing:
    """A figure of a model: its blocks. Raises FigureError for another name, and TypeError for another module."""
    if name != MODEL_KIND[0]:
        raise FigureError(
            f"{name}: a model alone has no such figure", "blocks", "record it on a sentence to see its numbers"
        )
    structure = of_model(model)
    if structure is None:
        found = f"{type(model).__module__}.{type(model).__qualname__}"
        raise TypeError(f"a figure was asked of {found}; expected a Working, or a transformer of workings.transformer")
    return _blocks(structure, wish)


def offered(working: Working) -> Iterator[Kind]:
    """The figures that a Working has all numbers for."""
    return (kind for kind in KINDS if kind.has(working))


def draw(working: Working, name: str, wish: Wish) -> Drawing:
    """A figure by its name, or any value by its address as a heat map. Raises FigureError and AddressError."""
    known = {kind.name: kind for kind in KINDS}
    kind = known.get(name)
    if kind is not None:
        if not kind.has(working):
            hint = f"its figures are {_told(working)}; or any address"
            raise FigureError(f"{name}: this Working has no {kind.needs}", "", hint)
        return kind.draw(working, wish)
    try:
        return draw_address(working, wish, name)
    except AddressError as error:
        hint = f"its figures are {_told(working)}"
        raise FigureError(f"there is no figure {name!r}, and no one value: {error}", "", hint) from None


def _told(working: Working) -> str:
    return ", ".join(kind.name for kind in offered(working)) or "none of the named ones"
