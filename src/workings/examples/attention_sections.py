"""Sections about embeddings, attention and positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workings import equations
from workings.examples import programs
from workings.examples.format import (
    AdditiveAttention,
    Attention,
    Cosine,
    CrossAttention,
    Head,
    Lookup,
    MultiHead,
    PlainAttention,
    Positions,
    Query,
)
from workings.examples.run import Run
from workings.recording.program import Box


def lookup(run: Run, section: Lookup) -> None:
    with run.within(section, "lookup"):
        place = run.place("sentence")
        tokens = run.example.words(section.sentence, place)
        ids = run.program.given("ids", np.array(run.example.ids(tokens, place)), [tokens])
        run.results(ids=ids, rows=run.lookup(ids, tokens, "rows"), main="rows")


def cosine(run: Run, section: Cosine) -> None:
    with run.within(section, "cosine_matrix"):
        run.results(
            cosine=run.program.call(equations.cosine_matrix, run.rows(section.input), names="cosine"), main="cosine"
        )


def plain_attention(run: Run, section: PlainAttention) -> None:
    with run.within(section, "plain_attention"):
        run.scale("none")
        names = [section.result, "weights"]
        output, weights = run.program.call(equations.plain_attention, run.rows(section.input), names=names)
        scores = run.program.alias("scores", run.inner("scores", "plain_attention"))
        run.results(scores=scores, weights=weights, **{section.result: output}, main=section.result)


def query(run: Run, section: Query) -> None:
    """One token's three steps: scores, weights, context vector."""
    rows = run.rows(section.input)
    with run.within(section):
        run.scale("none")
        words = list(run.labels_of(rows) or ())
        place = words.index(section.token) if section.token in words else 0
        if not place and words[:1] != [section.token]:
            run.program.working.notes.append(
                f"section {section.name!r} asks for the first row: {section.token!r} is not in {' '.join(words)!r}."
            )
        call = run.program.call
        asked = call(programs.row_of, rows, place, names="query")
        scores = call(programs.query_scores, rows, asked, names="scores")
        weights = call(equations.softmax, scores, names="weights")
        context = call(programs.weighted_sum, weights, rows, names="context")
        run.results(query=asked, scores=scores, weights=weights, context=context, main="context")


def attention(run: Run, section: Attention) -> None:
    number = "cross_attention" if section.memory else "attention"
    rows, memory = run.rows(section.input), run.rows(section.memory or section.input, "memory")
    with run.within(section, number):
        mask = run.mask(section.mask, section.hidden, rows, memory)
        projections = Head(W_Q=section.W_Q, W_K=section.W_K, W_V=section.W_V)
        output = attend(run, rows, memory, projections, mask, rotary=section.rotary, scale=section.scale)
        run.result("output", output, main=True)


def cross_attention(run: Run, section: CrossAttention) -> None:
    attention(run, section)  # its keys and values are of other rows, and that is all


def additive_attention(run: Run, section: AdditiveAttention) -> None:
    rows, memory = run.rows(section.input), run.rows(section.memory or section.input, "memory")
    with run.within(section, "additive_attention"):
        d, m = rows.value.shape[1], memory.value.shape[1]
        W_Q = run.weight("W_Q", section.W_Q, (d, None), f"{section.input} has {d} columns")
        width = W_Q.value.shape[1]
        W_K = run.weight("W_K", section.W_K, (m, width), f"keys have {m} columns and W_Q gives {width}")
        v = run.weight("v", section.v, (width,), f"W_Q gives {width} columns")
        mask = run.mask(section.mask, [], rows, memory)
        operands = [rows, memory, memory, W_Q, W_K, v, *([mask] if mask else [])]
        output, weights = run.program.call(equations.additive_attention, *operands, names=["output", "weights"])
        scores = run.program.alias("scores", run.inner("scores", "additive_attention"))
        run.results(scores=scores, weights=weights, output=output)


def multi_head(run: Run, section: MultiHead) -> None:
    rows, memory = run.rows(section.input), run.rows(section.memory or section.input, "memory")
    with run.within(section, "multi_head"):
        mask = run.mask(section.mask, section.hidden, rows, memory)
        output = heads_side_by_side(
            run, rows, memory, section.heads, section.W_O, mask, rotary=section.rotary, scale=section.scale
        )
        run.result("output", output, main=True)


def heads_side_by_side(
    run: Run,
    rows: Box,
    memory: Box,
    heads: Sequence[Head],
    W_O: Any,
    mask: Box | None,
    *,
    rotary: bool = False,
    scale: str | float = "",
    within: tuple[str, ...] = (),
) -> Box:
    """The heads, each in a group called by its label, their outputs side by side, and W_O.

    `within` is where a block keeps them in the file.
    """
    if not heads:
        raise run.wrong((*within, "heads"), "there is no head", "at least one", "add [[section.heads]]")
    outputs = []
    labels: list[str] = []
    for number, head in enumerate(heads):
        label = head.label or str(number + 1)
        if label in labels or not label.replace("_", "").isalnum():
            raise run.wrong(
                (*within, "heads", number, "label"),
                f"found {label!r}",
                "a label of its own, of letters and digits",
                "leave label out to have the heads counted",
            )
        labels.append(label)
        with run.group(label, "head", f"Head {label}"):
            key: tuple[str | int, ...] = (*within, "heads", number)
            prefix = ".".join((*within, label)) + "."
            outputs.append(attend(run, rows, memory, head, mask, rotary=rotary, scale=scale, key=key, prefix=prefix))
    concatenated = run.program.call(programs.side_by_side, outputs, names="concatenated")
    width, d = concatenated.value.shape[1], rows.value.shape[1]
    matrix = run.weight(
        "W_O",
        W_O,
        (width, None if not within else d),
        f"the heads give {width} columns together",
        (*within, "W_O"),
        default=lambda: np.eye(width),
    )
    prefix = ".".join((*within, ""))
    run.result(prefix + "concatenated", concatenated)
    output: Box = run.program.call(programs.project, concatenated, matrix, names="output")
    if within:  # the columns are those of the rows that it will be added to
        run.program.label(output, run.labels_of(rows), run.columns_of(rows))
    return run.result(prefix + "output", output)


def attend(
    run: Run,
    rows: Box,
    memory: Box,
    head: Head,
    mask: Box | None,
    *,
    rotary: bool = False,
    scale: str | float = "",
    key: tuple[str | int, ...] = (),
    prefix: str = "",
) -> Box:
    """Projections and attention in the group under way; a projection left out is the identity."""
    queries = projected(run, rows, "queries", "W_Q", head.W_Q, None, key)
    keys = projected(run, memory, "keys", "W_K", head.W_K, None if rotary else queries.value.shape[1], key)
    values = projected(run, memory, "values", "W_V", head.W_V, None, key)
    if queries.value.shape[1] != keys.value.shape[1]:
        raise run.wrong(
            (*key, "W_K" if head.W_K else "W_Q"),
            f"keys have {keys.value.shape[1]} columns",
            f"{queries.value.shape[1]}, as queries have",
            "a query is compared with keys of its own width",
        )
    if rotary:
        queries, keys = rotated(run, queries, "queries", (*key, "W_Q")), rotated(run, keys, "keys", (*key, "W_K"))
    keywords: dict[str, Any] = {"empty": run.convention("empty")} if mask is not None else {}
    factor = run.scale(scale)
    if factor is not None:
        keywords["scale"] = factor
    if mask is not None:
        keywords["mask"] = mask
    try:
        output, weights = run.program.call(
            equations.attention, queries, keys, values, names=["output", "weights"], **keywords
        )
    except ValueError as error:
        raise run.wrong(
            "mask", str(error), 'a word to attend to, or conventions.empty = "zero"', "hide fewer words"
        ) from None
    for name in ("scores", "scaled_scores"):
        run.result(prefix + name, run.program.alias(name, run.inner(name, "attention")))
    run.results(prefix=prefix or "", queries=queries, keys=keys, values=values, weights=weights, output=output)
    return output  # type: ignore[no-any-return]


def projected(
    run: Run, rows: Box, name: str, matrix: str, given: Any, width: int | None, key: tuple[str | int, ...]
) -> Box:
    """X W, or X itself where no matrix is given."""
    if given == "":
        return run.program.alias(name, rows)
    d = rows.value.shape[1]
    why = f"the {name} are made of rows with {d} columns" + (f", and queries have {width}" if width else "")
    weight = run.weight(matrix, given, (d, width), why, (*key, matrix))
    box: Box = run.program.call(programs.project, rows, weight, names=name)
    return box


def rotated(run: Run, rows: Box, name: str, key: Sequence[str | int]) -> Box:
    length, width = rows.value.shape
    if width % 2:
        raise run.wrong(
            key,
            f"rotary positions turn pairs, but {name} have {width} columns",
            "an even number",
            "add a column or take sinusoidal positions",
        )
    positions = run.program.given(f"{name}_positions", np.arange(length))
    pairing, base = run.convention("pairing"), run.convention("base")
    box: Box = run.program.call(equations.rotary, rows, positions, base=base, pairing=pairing, names=f"rotated_{name}")
    return box


def positions(run: Run, section: Positions) -> None:
    rows = run.rows(section.input)
    length, width = rows.value.shape
    with run.within(section, {"sinusoidal": "sinusoidal_positions", "rotary": "rotary"}.get(section.encoding, "")):
        if section.encoding == "none":
            run.results(input=run.program.alias("input", rows), main="input")
        elif section.encoding == "rotary":
            run.results(rotated=rotated(run, rows, "rows", ["input"]), main="rotated")
        else:
            layout, base = run.convention("layout"), run.convention("base")
            encoding = run.program.call(
                equations.sinusoidal_positions, length, width, rows, base=base, layout=layout, names="encoding"
            )
            run.program.label(encoding, run.labels_of(rows), None)
            total = run.program.call(equations.add_positions, rows, encoding, names="input")
            run.results(encoding=encoding, input=total, main="input")
