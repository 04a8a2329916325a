"""One word's attention, from left to right: its projections, its scores with every key, the weights, and the mix."""

from __future__ import annotations

from typing import Any

import numpy as np

from workings.figures.attentions import Attention, attentions, chosen, rows_mixed
from workings.figures.errors import FigureError
from workings.figures.finding import Array, tokens
from workings.figures.sketch import Box, Sketch
from workings.figures.style import Drawing, label
from workings.figures.weights import hidden_of
from workings.figures.wish import Wish
from workings.frozen import frozen
from workings.reading.numbers import column
from workings.recording.operations.bound import as_array
from workings.recording.working import Ref, Working
from workings.views.naming import names_of
from workings.views.tables import GAP
from workings.views.tables import chosen as shown_of

_ROWS, _NUMBERS = 9, 4
_NAMES = (("queries", "query", "W_Q"), ("keys", "key", "W_K"), ("values", "value", "W_V"))


@frozen
class Steps:
    """What one attention has by name: what came in, projections, the scores that the softmax reads, what comes out."""

    attention: Attention
    rows: Ref
    queries: Ref
    keys: Ref
    values: Ref
    scores: Ref
    output: Ref
    given: frozenset[str]  # the matrices that are not left out


def worked(working: Working) -> list[Steps]:
    """The attentions with all of their steps."""
    found = (_steps(working, one) for one in attentions(working))
    return [steps for steps in found if steps is not None]


def _steps(working: Working, attention: Attention) -> Steps | None:
    if attention.group is None or attention.output is None:
        return None
    names = names_of(working, attention.group)
    scores = names.get("scaled_scores") or names.get("scores")
    values = names.get("values") or rows_mixed(working, attention)
    if scores is None or values is None or attention.weights.array.shape != working.steps[scores.step].shape:
        return None
    queries, keys = names.get("queries", values), names.get("keys", values)
    if len(working.steps[queries.step].shape) != 2 or len(working.steps[values.step].shape) != 2:
        return None
    rows = _came_in(working, queries, "W_Q" in names)
    given = frozenset(matrix for matrix in ("W_Q", "W_K", "W_V") if matrix in names)
    return Steps(attention, rows, queries, keys, values, scores, Ref(attention.output), given)


def _came_in(working: Working, queries: Ref, projected: bool) -> Ref:
    """What was projected to queries: the left side of that product."""
    step = working.steps[queries.step]
    return step.inputs[0] if projected and step.operation == "matmul" else queries


def draw_attention(working: Working, wish: Wish) -> Drawing:
    """The texts' third figure."""
    found = worked(working)
    if wish.at:
        some = {one.path for one in chosen([steps.attention for steps in found], wish.at)}
        found = [steps for steps in found if steps.attention.path in some]
    # Unless asked otherwise, the last one with a projection: with plain rows there is less to see.
    whole = [steps for steps in found if not steps.attention.many] or found
    steps = found[0] if wish.at else next((s for s in reversed(whole) if s.given), whole[-1])
    weights = steps.attention.weights
    asking = tokens(weights.rows, wish.tokens, weights.array.shape[0]) if wish.tokens else [_sees_most(working, steps)]
    if len(asking) > 1:
        raise FigureError(f"{len(asking)} words", "one, whose attention is drawn", "draw a figure for each")
    return _Flow(working, steps, asking[0], wish).draw()


def _sees_most(working: Working, steps: Steps) -> int:
    """The first word from which the fewest others are hidden: of a causal mask the last, without one the first."""
    hidden = hidden_of(working, steps.attention)
    return 0 if hidden is None else int(np.argmin(hidden.sum(axis=1)))


_LINE = 1.5  # the height of a line of the tables, in ems


class _Flow:
    """The diagram, column by column; each method draws one and hands on what arrows need."""

    def __init__(self, working: Working, steps: Steps, row: int, wish: Wish) -> None:
        self.working, self.steps, self.row = working, steps, row
        weights = steps.attention.weights
        hidden = hidden_of(working, steps.attention)
        self.hidden = np.zeros(weights.array.shape[1], bool) if hidden is None else hidden[row]
        self.places = shown_of(weights.array.shape[1], _ROWS)
        self.word = label(weights.rows[row], 16) if weights.rows else f"row {row}"
        self.words = [
            GAP if at is None else label(weights.columns[at], 14) if weights.columns else str(at) for at in self.places
        ]
        self.table = _LINE * len(self.places) + 2.2
        self.apart = max(5.2, self.table / 2 + 1.0)
        self.height = 2 * self.apart + 3.2 + 3.6
        self.middle = self.height / 2 + 0.7
        width = self._place_columns()
        self.sketch = Sketch(wish.style, width, self.height)

    def _place_columns(self) -> float:
        """Where the columns begin and how wide they are, in ems: vectors take the room that their numbers need."""
        steps = self.steps
        longest = max(
            *(len(self._numbers(self._row(ref, self.row))) for ref in (steps.rows, steps.queries, steps.output)),
            *(len(self._numbers(self._row(steps.values, place))) for place in self.places if place is not None),
        )
        wide, values = min(max(0.5 * longest + 0.9, 7.8), 13.0), min(max(0.53 * longest + 0.6, 6.6), 13.0)
        self.come_in = 0.5, wide
        self.parts = 7.4 + wide, wide
        self.scores = self.parts[0] + wide + 2.4, 9.0
        self.weights = self.scores[0] + 13.4, 7.2
        self.values = self.weights[0] + 8.4, values
        self.out = self.values[0] + values + 4.2, wide
        return self.out[0] + wide + 0.5

    def draw(self) -> Drawing:
        sketch, steps = self.sketch, self.steps
        with sketch.drawing.making():
            self._frame()
            row = self._vector_box(self.come_in, self.middle, self.word, self._row(steps.rows, self.row), "row")
            query, key, value = self._projections(row)
            scores, weights, values = self._tables()
            left, colours = scores.left[0], sketch.style.colours
            turn, above = left - 1.0, self.middle + 2
            asks = [query.right, (turn, query.right[1]), (turn, above), (left, above)]
            sketch.arrow(asks, "query-scores", colours[0])
            sketch.arrow([key.right, (left, key.right[1])], "key-scores", colours[1])
            sketch.arrow([value.right, (values.bottom[0], value.right[1]), values.bottom], "value-row", colours[2])
            sketch.arrow([scores.right, weights.left], "softmax")
            sketch.text((scores.right[0] + weights.left[0]) / 2, self.middle + 0.8, "softmax", size=0.85)
            sketch.text((weights.right[0] + values.left[0]) / 2, self.middle, "×")
            out = self._vector_box(
                self.out, self.middle, f"new {self.word}", self._row(steps.output, self.row), "output"
            )
            sketch.arrow([values.right, out.left], "mix")
            sketch.text(values.right[0] + 2.3, self.middle + 0.9, "sum", size=0.85)
        sketch.drawing.caption = (
            f"One word's attention ({steps.attention.path}): {self.word} as it came in, its query, its score with "
            f"every key, the softmax of the scores, and the values mixed by these weights. Every word does the same, "
            f"all at once, as one matrix product."
        )
        return sketch.drawing

    def _frame(self) -> None:
        start, end = self.come_in[0] + self.come_in[1] + 1.0, self.values[0] + self.values[1] + 0.9
        line = (0, (4, 3))
        self.sketch.box(
            start, 0.5, end - start, self.height - 1.0, "every-token", facecolor="none", linestyle=line, rounding=0.6
        )
        self.sketch.text((start + end) / 2, 1.4, "the same for every token at once, as one matrix product", size=0.85)

    def _row(self, ref: Ref, row: int) -> Array:
        found: Array = np.atleast_2d(as_array(self.working.value(ref)))[row]
        return found

    def _numbers(self, vector: Array) -> str:
        places = shown_of(len(vector), _NUMBERS)
        texts = iter(column(vector[[p for p in places if p is not None]].reshape(1, -1), self.working.decimals)[0])
        return f"[{', '.join(GAP if p is None else next(texts) for p in places)}]"

    def _vector_box(self, where: tuple[float, float], y: float, name: str, vector: Array, gid: str, **look: Any) -> Box:
        return self.sketch.said(where[0], y - 1.6, where[1], 3.2, [name, self._numbers(vector)], gid, **look)

    def _projections(self, row: Box) -> list[Box]:
        """Query, key and value of the word; what is left out is the word's own row."""
        sketch, boxes = self.sketch, []
        refs = (self.steps.queries, self.steps.keys, self.steps.values)
        for number, ((_, name, matrix), ref) in enumerate(zip(_NAMES, refs, strict=True)):
            y = self.middle + self.apart * (1 - number)
            look = {"edgecolor": sketch.style.colours[number], "lw": sketch.line * 1.4}
            # In cross-attention keys and values are of other rows: there may be none for this word.
            if ref is not self.steps.queries and self._of_a_memory():
                box = sketch.said(
                    self.parts[0], y - 1.6, self.parts[1], 3.2, [f"{name}s", "of the memory"], name, **look
                )
            else:
                box = self._vector_box(self.parts, y, name, self._row(ref, self.row), name, **look)
                turn = row.right[0] + 1.8
                sketch.arrow([row.right, (turn, row.right[1]), (turn, box.left[1]), box.left], f"row-{name}")
                text = matrix if matrix in self.steps.given else "as it is"
                sketch.text((turn + box.left[0]) / 2, box.left[1] + 0.75, text, size=0.85)
            boxes.append(box)
        return boxes

    def _of_a_memory(self) -> bool:
        weights = self.steps.attention.weights
        return weights.array.shape[0] != weights.array.shape[1] or weights.rows != weights.columns

    def _tables(self) -> tuple[Box, Box, Box]:
        """A line for every key: the score with it, its weight as a bar, its value."""
        sketch = self.sketch
        low, top = self.middle - self.table / 2, self.middle + self.table / 2
        boxes = []
        for (x, width), colour, name in (
            (self.scores, 1, "scores"),
            (self.weights, 0, "weights"),
            (self.values, 2, "values"),
        ):
            edge = sketch.style.colours[colour]
            boxes.append(
                sketch.box(x, low, width, self.table, name, facecolor="none", edgecolor=edge, lw=sketch.line * 1.2)
            )
        heads = [(self.scores[0] + 0.6, "left", "key of"), (self.scores[0] + 8.4, "right", "score")]
        heads += [(self.weights[0] + 3.6, "center", "weight"), (self.values[0] + self.values[1] / 2, "center", "value")]
        for x, side, text in heads:
            sketch.text(x, top - 1.0, text, size=0.85, ha=side)
        self._lines(top - 2.4)
        return boxes[0], boxes[1], boxes[2]

    def _lines(self, first: float) -> None:
        sketch, kept = self.sketch, [p for p in self.places if p is not None]
        weights, scores = self.steps.attention.weights.array[self.row], self._row(self.steps.scores, self.row)
        score_texts = iter(column(scores[kept].reshape(-1, 1), self.working.decimals))
        weight_texts = iter(column(weights[kept].reshape(-1, 1), self.working.decimals))
        most = float(weights.max()) or 1.0
        for number, (place, word) in enumerate(zip(self.places, self.words, strict=True)):
            y = first - _LINE * number
            sketch.text(self.scores[0] + 0.6, y, word, size=0.9, ha="left", width=4.1)
            if place is None:
                continue
            score = next(score_texts)[0]
            text = "hidden" if self.hidden[place] else score
            sketch.text(self.scores[0] + 8.4, y, text, size=0.9, ha="right", width=3.7)
            length = max(2.4 * float(weights[place]) / most, 0.05)
            sketch.box(self.weights[0] + 0.6, y - 0.45, length, 0.9, f"weight-{place}", rounding=0.0, edgecolor="none",
                       facecolor=sketch.style.colours[0])  # fmt: skip
            sketch.text(self.weights[0] + 6.8, y, next(weight_texts)[0], size=0.9, ha="right", width=3.2)
            x, width = self.values[0] + self.values[1] / 2, self.values[1] - 0.6
            sketch.text(x, y, self._numbers(self._row(self.steps.values, place)), size=0.9, width=width)
