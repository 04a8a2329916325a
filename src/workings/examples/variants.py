"""The same example under other conventions: each a recording of its own."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from workings.examples.conventions import NAMES, WORDS

if TYPE_CHECKING:
    from workings.examples.example import Example
    from workings.recording.working import Working

_SWITCHED = ("scale", "norm", "layout", "pairing", "activation", "reduction")
"""Conventions with a few named choices; the others are numbers, or change nothing that is seen."""


def variants(example: Example, used: set[str], run: Callable[[Example], Working]) -> dict[str, Callable[[], Working]]:
    """For each convention that a run has used, its other choices; and other masks, if it has a mask."""
    out: dict[str, Callable[[], Working]] = {}
    for key in _SWITCHED:
        if key not in used:
            continue
        now = getattr(example.document.conventions, key)
        for choice, words in WORDS[key].items():
            if choice != now:
                out[f"{NAMES[key]}: {words}"] = _maker(example, run, partial(_chosen, key=key, choice=choice))
    masks = {section.mask for section in example.document.section if hasattr(section, "mask")}
    for mask, words in (("causal", "mask: no token looks ahead"), ("none", "mask: none")):
        if masks and masks != {mask}:
            out[words] = _maker(example, run, partial(_masked, mask=mask))
    return out


def _maker(example: Example, run: Callable[[Example], Working], change: Callable[[Any], None]) -> Callable[[], Working]:
    def make() -> Working:
        other = copy.copy(example)
        other.document = copy.deepcopy(example.document)
        change(other.document)
        return run(other)

    return make


def _chosen(document: Any, key: str, choice: object) -> None:
    setattr(document.conventions, key, choice)


def _masked(document: Any, mask: str) -> None:
    for section in document.section:
        if hasattr(section, "mask"):
            section.mask = mask
