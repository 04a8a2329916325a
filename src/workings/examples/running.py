"""Running an example: its sections in order, each by the function of its kind."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from workings.examples.conventions import conventions
from workings.examples.format import Section
from workings.examples.run import Run
from workings.recording.working import Source, Working

if TYPE_CHECKING:
    from workings.examples.example import Example

SECTIONS = {
    "lookup": "attention_sections",
    "cosine": "attention_sections",
    "plain-attention": "attention_sections",
    "query": "attention_sections",
    "attention": "attention_sections",
    "cross-attention": "attention_sections",
    "additive-attention": "attention_sections",
    "multi-head": "attention_sections",
    "positions": "attention_sections",
    "residual": "block_sections",
    "layer-norm": "block_sections",
    "feed-forward": "block_sections",
    "encoder-block": "block_sections",
    "decoder-block": "block_sections",
    "next-token": "prediction_sections",
    "generation": "prediction_sections",
    "teacher-forcing": "prediction_sections",
    "loss": "prediction_sections",
}
"""The module that computes each kind of section, imported when the kind occurs. Its function has the kind's name."""


def computing(kind: str) -> Callable[[Run, Any], None]:
    """What computes a kind of section."""
    module = importlib.import_module(f"workings.examples.{SECTIONS[kind]}")
    found: Callable[[Run, Any], None] = getattr(module, kind.replace("-", "_"))
    return found


def compute(example: Example, sentence: str, source: Source, overrides: Mapping[Any, Callable[[Any], Any]]) -> Working:
    """Run every section and finish the Working: its decimals and its conventions.

    `overrides` are the values of a what-if, by path and occurrence, where a choice went another way and the example has
    to run again.
    """
    run = Run(example, sentence, source)
    run.program.recorder.overrides = dict(overrides)
    run.begin()
    for section in example.document.section:
        run_section(run, section)
    run.program.working.decimals = example.document.decimals
    run.program.working.conventions = conventions(run)

    def others() -> dict[str, Callable[[], Working]]:
        from workings.examples.variants import variants

        return variants(example, run.used, lambda other: other.run(sentence))

    source.variants = others
    working = run.program.finish()
    if example.document.question:
        from workings.examples.questions import questions

        working.questions = questions(example, working, own=sentence == example.sentence)
    return working


def run_section(run: Run, section: Section) -> None:
    """One section, which is the one that errors name while it is under way."""
    before, run.section = run.section, section
    computing(section.kind)(run, section)
    run.section = before
