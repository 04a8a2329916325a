"""Several heads side by side, their outputs joined, and what W_O makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from workings.figures import heat
from workings.figures.attentions import Attention, attentions
from workings.figures.errors import FigureError
from workings.figures.finding import Matrix, matrix
from workings.figures.style import Drawing, canvas, ending
from workings.figures.weights import hidden_of, reading
from workings.figures.wish import Wish
from workings.frozen import frozen
from workings.recording.working import Ref, Working
from workings.views.naming import names_of

_MOST = 16
_BELOW = ("outputs side by side", "W_O", "together")
_BESIDE = 4
"""So many heads have room for their outputs and what is made of them below."""


@frozen
class Heads:
    """Heads of one layer. ``parts`` are their joined outputs, W_O and the result, where they have names."""

    path: str
    heads: tuple[Attention, ...]
    outputs: tuple[Matrix, ...]
    parts: tuple[tuple[str, Matrix], ...]


def layers(working: Working) -> list[Heads]:
    """Every set of heads, a single one too."""
    by_path: dict[str, list[Attention]] = {}
    for one in attentions(working):
        if one.many:
            by_path.setdefault(one.many, []).append(one)
    return [_layer(working, path, heads) for path, heads in by_path.items()]


def _layer(working: Working, path: str, heads: Sequence[Attention]) -> Heads:
    outputs = [matrix(working, Ref(h.output)) for h in heads if h.group is not None and h.output is not None]
    if len(outputs) < len(heads) or any(one.array.ndim != 2 for one in outputs):
        outputs = []
    group = working.groups[heads[0].group].parent if heads[0].group is not None else None
    names = names_of(working, group) if group is not None and outputs else {}
    whole = all(name in names for name in ("concatenated", "W_O", "output"))
    parts = [(name, matrix(working, names[name])) for name in ("concatenated", "W_O", "output")] if whole else []
    return Heads(path, tuple(heads), tuple(outputs), tuple(parts))


def draw_heads(working: Working, wish: Wish) -> Drawing:
    """The texts' fourth figure; of many heads, or of a model, their weights alone."""
    found = layers(working)
    layer = found[0]
    if wish.at:
        some = [
            one
            for one in found
            if wish.at[0] in (one.path, *(h.path for h in one.heads)) or one.path.endswith(f".{wish.at[0]}")
        ]
        if not some:
            raise FigureError(
                f"--at {wish.at[0]}: there are no heads there", f"one of {', '.join(one.path for one in found[:12])}"
            )
        layer = some[0]
    if len(layer.heads) > _MOST:
        raise FigureError(f"{layer.path} has {len(layer.heads)} heads", f"at most {_MOST} in one figure",
                          f"draw some of them: weights --at {layer.heads[0].path!r} --at ...")  # fmt: skip
    count = f"{len(layer.heads)} head{'s' * (len(layer.heads) > 1)}"
    caption = f"{count} of {layer.path}: the weights of each. {reading(wish.style)}"
    also = [one.path for one in found if one is not layer]
    tail = f" Also here: {', '.join(also[:6])}{', …' * (len(also) > 6)} (--at)." if also else ""
    if not layer.parts or len(layer.heads) > _BESIDE:
        names = [f"head {one.head}" for one in layer.heads]
        return heat.panels(
            wish.style, [one.weights for one in layer.heads], names, caption + tail, working.decimals, asks=True,
            hidden=[hidden_of(working, one) for one in layer.heads], heading=ending(layer.path, 60),
        )  # fmt: skip
    return _joined(working, wish, layer, f"{caption} Below: their outputs side by side, times W_O.{tail}")


def _joined(working: Working, wish: Wish, layer: Heads, caption: str) -> Drawing:
    """Above, the weights of each head and its output; below, the outputs joined, W_O, and the product."""
    style, count = wish.style, len(layer.heads)
    drawing = canvas(style, _height(style.wide, layer, style.size) / style.wide, wide=True)
    heats = []
    norm = heat.scale_of([one.weights.array for one in layer.heads])
    outputs = heat.scale_of([m.array for m in (*layer.outputs, layer.parts[0][1], layer.parts[2][1])])
    with drawing.making():
        drawing.set_layout_engine("constrained", w_pad=style.size / 72 * 0.8)
        above, below = drawing.subfigures(2, 1, squeeze=False, height_ratios=(1.15, 1), frameon=False)[:, 0]
        widths = [width for one in layer.outputs for width in (len(one.array) + 0.4, max(one.array.shape[1], 1) + 0.8)]
        axes = above.subplots(1, 2 * count, width_ratios=widths, squeeze=False)[0]
        for place, (one, out) in enumerate(zip(layer.heads, layer.outputs, strict=True)):
            first, second = axes[2 * place], axes[2 * place + 1]
            heats.append(heat.heat(first, one.weights, style, norm, hidden_of(working, one), rows=place == 0))
            heats.append(heat.heat(second, out, style, outputs, rows=False))
            second.set_box_aspect(None)
            first.set_title(f"head {one.head}: weights")
            second.set_title("output")
            first.set_box_aspect(None)
        shapes = [part.array.shape[1] + 1.6 for _, part in layer.parts]
        lower = below.subplots(1, 3, width_ratios=shapes, squeeze=False)[0]
        for number, (ax, part, title) in enumerate(zip(lower, _said(layer), _BELOW, strict=True)):
            heats.append(heat.heat(ax, part, style, None if number == 1 else outputs, rows=number != 2))
            ax.set_box_aspect(None)
            ax.set_title(title)
        heat.settle(drawing, heats, working.decimals)
        _between(drawing, lower)
    drawing.caption = caption
    return drawing


def _said(layer: Heads) -> list[Matrix]:
    """The three matrices below, with the head that each joined column is of."""
    both = zip(layer.heads, layer.outputs, strict=True)
    heads = [name for one, out in both for name in _once(f"head {one.head}", out.array.shape[1])]
    (_, joined), (_, matrix), (_, output) = layer.parts
    of = tuple(heads) if len(heads) == joined.array.shape[1] else None
    return [
        Matrix(joined.path, joined.array, joined.rows, of),
        Matrix(matrix.path, matrix.array, of, matrix.columns),
        Matrix(output.path, output.array, output.rows, output.columns),
    ]


def _once(name: str, count: int) -> list[str]:
    """A name over the middle of so many columns."""
    return [name if place == (count - 1) // 2 else "" for place in range(count)]


def _height(width: float, layer: Heads, size: float) -> float:
    rows = len(layer.heads[0].weights.array)
    cell = width / (len(layer.heads) * (rows + 3.5))
    return 2.1 * max(rows * cell * 0.85, rows * size / 72 * 1.8) + 7.5 * size / 72


def _between(drawing: Drawing, lower: Sequence[Axes]) -> None:
    """The signs of the product between the three matrices."""
    drawing.draw_without_rendering()
    for sign, left, right in (("×", lower[0], lower[1]), ("=", lower[1], lower[2])):
        box, tight = left.get_window_extent(), right.get_tightbbox()
        assert tight is not None
        place = drawing.transFigure.inverted().transform(((box.x1 + tight.x0) / 2, (box.y0 + box.y1) / 2))
        drawing.text(place[0], place[1], sign, ha="center", va="center", fontsize=drawing.style.size * 1.2)
