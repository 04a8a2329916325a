"""The page of a trained model: where every head of every layer looks, and which words may come next.

A model's numbers are too many to travel. Weights of attention do, in 255 steps, with the error that makes; those of the
last token, whose arithmetic is shown, as they are.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workings.equations import softmax
from workings.frozen import frozen
from workings.progress import Report, unheard
from workings.recording.address import AddressError
from workings.recording.opening import open_step
from workings.recording.operations.bound import as_array, operation_of
from workings.recording.working import Ref, Step, Working
from workings.views.data import number as plain
from workings.views.live.parts import asset, bar, packed, policy, script, seen, template

STEPS = 255
"""How many sizes of weight there are; one is off by half a step at most, 1/510."""
NEXT = 20
"""How many of the words that may come next are shown."""
SCRIPTS = ("kernels", "numbers", "dom", "model")


@frozen
class Map:
    """What the heads of one layer looked at.

    Attributes:
        weights, scores: (heads, rows, columns); the scores are what the softmax reads.
        largest, totals: (heads, rows): each row's largest score, and the sum of its exponentials.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: NDArray[np.floating[Any]]
    scores: NDArray[np.floating[Any]]
    largest: NDArray[np.floating[Any]]
    totals: NDArray[np.floating[Any]]


def attends(working: Working) -> bool:
    """Whether there is attention to be drawn in it."""
    return any(_is_attention(step) for step in working.steps)


def render(working: Working, *, report: Report = unheard) -> str:
    """The page; `report` is told how far it is. Raises ValueError for a Working without attention."""
    found: list[Map] = []
    report("drawing where the heads look", found, sum(map(_is_attention, working.steps)), "layers")
    for layer in maps(working):
        found.append(layer)  # one by one, as they are counted
    if not found:
        raise ValueError(f"{working.source.name}: there is no attention in it")
    scripts, style = script(*SCRIPTS), asset("page.css") + "\n" + asset("model.css")
    title = working.groups[0].title or working.source.name
    return template("model.html").render(
        title=seen(title),
        origin=seen(f"{working.source.kind} {working.source.name}"),
        notes=[seen(note) for note in (*working.notes, *_undrawn(found))],
        next=_next(working),
        maps=[(seen(m.name), m.weights.shape[0]) for m in found],
        data=packed({"maps": [_written(m) for m in found], "decimals": max(working.decimals, 3), "steps": STEPS}),
        script=scripts,
        style=style,
        policy=policy(style, scripts),
    )


def maps(working: Working) -> Iterator[Map]:
    """The attention of each layer, in the order in which it was computed."""
    sentences = _sentences(working)
    for step in working.steps:
        if not _is_attention(step):
            continue
        opened = open_step(working, step.number).working
        weights = as_array(opened.value(opened.find("attention.weights")))
        scores = as_array(opened.value(_scores(opened)))
        sides = [as_array(opened.value(opened.find(f"attention.softmax.{name}"))) for name in ("largest", "totals")]
        size = weights.shape[-2:]
        path = working.index.group_path(step.group)
        rows, columns = _labels(path, size, sentences)
        yield Map(
            _name(path),
            rows,
            columns,
            weights.reshape(-1, *size),
            np.broadcast_to(scores, weights.shape).reshape(-1, *size),
            *(np.broadcast_to(side, (*weights.shape[:-1], 1)).reshape(-1, size[0]) for side in sides),
        )


def _is_attention(step: Step) -> bool:
    return operation_of(step) == "scaled_dot_product_attention" and step.output in (None, 0)


def _scores(opened: Working) -> Ref:
    """The scores that the softmax reads: masked, where there is a mask."""
    for name in ("masked_scores", "scaled_scores"):
        try:
            return opened.find(f"attention.{name}")
        except AddressError:
            continue
    raise AddressError("attention.scaled_scores: there are no scores")


def _name(path: str) -> str:
    """A module's path without the parts that all layers share: ``encoder.layers.0.attention``."""
    return path.removesuffix(".score").removesuffix(".scaled_dot_product_attention")


def _sentences(working: Working) -> dict[str, tuple[str, ...]]:
    """The rows of tokens that the model read, by their names: tokens, or source and target."""
    found = {}
    for name in ("tokens", "source", "target"):
        try:
            labels = working.labels(working.find(name).step)
        except AddressError:
            continue
        last = labels[-1] if labels else None
        if last is not None:
            found[name] = tuple(map(seen, last))
    return found


def _labels(
    path: str, size: tuple[int, ...], sentences: dict[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whose rows and columns they are: a memory's columns are the source's, an encoder's rows too."""
    source, target = sentences.get("source"), sentences.get("target") or sentences.get("tokens")
    inside = "encoder" in path.split(".") and source is not None
    rows = source if inside else target
    columns = source if inside or "cross" in path else target
    return _fitting(rows, size[0]), _fitting(columns, size[1])


def _fitting(names: tuple[str, ...] | None, size: int) -> tuple[str, ...]:
    return names if names is not None and len(names) == size else tuple(map(str, range(size)))


def _written(found: Map) -> dict[str, Any]:
    """A map for the page: every weight in a byte, those of the last row, and their scores, as they are."""
    steps = np.rint(np.clip(np.nan_to_num(found.weights), 0, 1).astype(float) * STEPS).astype(np.uint8)
    last, scores = ([[plain(float(v)) for v in row] for row in each[:, -1]] for each in (found.weights, found.scores))
    largest, totals = ([plain(float(v)) for v in each[:, -1]] for each in (found.largest, found.totals))
    return {
        "name": seen(found.name),
        "rows": found.rows,
        "columns": found.columns,
        "heads": len(steps),
        "weights": base64.b64encode(steps.tobytes()).decode(),
        "last": last,
        "scores": scores,
        "largest": largest,
        "totals": totals,
        "type": "s" if found.weights.dtype == np.float32 else "f",
    }


def _undrawn(found: list[Map]) -> Iterator[str]:
    """Which maps have weights that cannot be drawn."""
    names = [each.name for each in found if not np.isfinite(each.weights).all()]
    if names:
        yield f"Not drawn, for want of finite numbers: weights of {', '.join(names)}."


def _next(working: Working) -> list[tuple[str, str, float]]:
    """The words that score highest after the last token: word, probability, and the length of its bar."""
    try:
        ref = working.find("output")
    except AddressError:
        return []
    labels = working.labels(ref.step)
    words = labels[-1] if labels else None
    logits = as_array(working.value(ref)).astype(float)
    if words is None or logits.ndim < 2:
        return []
    shares = np.asarray(softmax(logits.reshape(-1, logits.shape[-1])[-1]))
    best = np.argsort(-shares, kind="stable")[:NEXT]
    return [(seen(words[n]), f"{shares[n]:.4f}", bar(float(shares[n]))) for n in best]
