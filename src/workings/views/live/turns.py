"""A turn of a generation loop in brief: the text it read, the candidates, the word chosen, the longer text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from workings.reading.numbers import number
from workings.recording.operations.bound import as_array
from workings.recording.working import Ref, Working
from workings.views.live.parts import bar, seen
from workings.views.naming import names_of

CANDIDATES = 10
"""The most candidates that are listed, the most probable first."""
View = Callable[[Ref], list[Any]]


def board(working: Working, group: int, view: View) -> dict[str, Any] | None:
    """The turn that happened in a group, as the template wants it; None where no word was chosen there.

    ``view`` says where the page finds a value.
    """
    ids = names_of(working, group).get("ids")
    chosen = next((names for names in _inner(working, group) if {"choice", "probabilities"} <= names.keys()), None)
    words = working.labels(ids.step)[0] if ids is not None else None
    if ids is None or chosen is None or words is None:
        return None
    probabilities = as_array(working.value(chosen["probabilities"]))
    vocabulary = working.labels(chosen["probabilities"].step)[0]
    if vocabulary is None:
        return None
    choice = int(as_array(working.value(chosen["choice"])))
    listed = sorted(range(len(vocabulary)), key=lambda word: (-probabilities[word], word))[:CANDIDATES]
    rows = [
        {
            "word": seen(vocabulary[word]),
            "text": number(probabilities[word], working.decimals),
            "part": bar(float(probabilities[word])),
            "chosen": word == choice,
        }
        for word in listed
    ]
    before = working.steps[ids.step].inputs[0]
    places = (before, chosen["probabilities"], chosen["choice"], ids)
    return {
        "before": seen(" ".join(words[:-1])), "rows": rows, "chosen": seen(vocabulary[choice]),
        "after": seen(" ".join(words)), "at": [",".join(map(str, view(ref)[:2])) for ref in places],
        "more": len(vocabulary) - len(listed),
    }  # fmt: skip


def _inner(working: Working, group: int) -> Iterator[dict[str, Ref]]:
    """The names in each group right inside a group."""
    for each in working.groups:
        if each.parent == group:
            yield names_of(working, each.number)
