"""Running an example: its sections in order, each by the function of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from workings.examples import attention_sections, block_sections, prediction_sections
from workings.examples.conventions import conventions
from workings.examples.format import Section
from workings.examples.run import Run
from workings.recording.working import Source, Working

if TYPE_CHECKING:
    from workings.examples.example import Example

SECTIONS: dict[str, Callable[[Run, Any], None]] = {
    "lookup": attention_sections.lookup,
    "cosine": attention_sections.cosine,
    "plain-attention": attention_sections.plain_attention,
    "query": attention_sections.query,
    "attention": attention_sections.attention,
    "cross-attention": attention_sections.attention,
    "additive-attention": attention_sections.additive_attention,
    "multi-head": attention_sections.multi_head,
    "positions": attention_sections.positions,
    "residual": block_sections.residual,
    "layer-norm": block_sections.layer_norm,
    "feed-forward": block_sections.feed_forward,
    "encoder-block": block_sections.encoder_block,
    "decoder-block": block_sections.decoder_block,
    "next-token": prediction_sections.next_token,
    "generation": prediction_sections.generation,
    "teacher-forcing": prediction_sections.teacher_forcing,
    "loss": prediction_sections.loss,
}
"""What computes each kind of section."""


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
    return run.program.finish()


def run_section(run: Run, section: Section) -> None:
    """One section, which is the one that errors name while it is under way."""
    before, run.section = run.section, section
    SECTIONS[section.kind](run, section)
    run.section = before
