"""A model in the middle of writing: several rows, each continued by one token at a time."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from workings.generation.layouts import is_quick
from workings.generation.rereading import Rereading
from workings.generation.rows import Tokens, Writer, check, encode, last, padded
from workings.generation.sources import read_sources
from workings.generation.steps import Steps
from workings.transformer.models import DecoderOnly, EncoderDecoder


def decoding(
    model: Writer, prompts: Sequence[Tokens], sources: Sequence[Tokens] | None, copies: int, room: int
) -> Decoding | Rereading:
    """Read prompts and sources; `copies` rows of each are made, with room for `room` more tokens.

    Raises: ValueError for prompts, sources or a model that do not fit together.
    """
    check(model, prompts, sources)
    if not model.config.causal:
        return Rereading(model, prompts, sources, copies)
    return Decoding(model, prompts, sources, copies, room)


class Decoding:
    """The rows of a batch, what the model remembers of them, and the scores of what may come next.

    Attributes:
        logits: (rows, v), of the token after the last one of each row.
    """

    def __init__(
        self, model: Writer, prompts: Sequence[Tokens], sources: Sequence[Tokens] | None, copies: int, room: int
    ) -> None:
        self.model, self.quick = model, is_quick(model)
        self.steps: Steps | None = None
        device = model.embedding.weight.device
        # An encoder-decoder's rows share their source's memory, for which they must be there when it is read.
        early = isinstance(model, EncoderDecoder) and not self.quick
        tokens, lengths = padded([prompt for prompt in prompts for _ in range(copies if early else 1)], device)
        self.cache = model.cache(len(tokens), tokens.shape[1] + room)
        if isinstance(model, EncoderDecoder):
            states = self._target(model, tokens, lengths, sources or [])
        else:
            states = model.states(tokens, lengths, self.cache)
        self.logits = model.logits(last(states, lengths))
        if self.quick:
            self.steps = Steps(model, self.cache)
        if copies > 1 and not early:
            rows = torch.arange(len(prompts), device=device).repeat_interleave(copies)
            if self.steps is not None:
                self.steps.share(copies)
            else:
                self.cache.reorder(rows)
            self.logits = self.logits[rows]

    def _target(
        self, model: EncoderDecoder, tokens: Tensor, lengths: Tensor | None, sources: Sequence[Tokens]
    ) -> Tensor:
        """Read the sources, and the beginnings of the targets: (b, t) to states (b, t, d)."""
        device = tokens.device
        if self.quick:
            read_sources(model, self.cache, *padded(sources, device))
            return model.decode(tokens, None, None, self.cache, lengths)
        memory, source_lengths = encode(model, sources, device)
        return model.decode(tokens, memory, source_lengths, self.cache, lengths)

    def step(self, tokens: Tensor) -> None:
        """Read one more token of each row: (rows,)."""
        if self.steps is not None:
            self.logits = self.steps(tokens)
            return
        if isinstance(self.model, DecoderOnly):
            states = self.model.states(tokens[:, None], None, self.cache)
        else:
            states = self.model.decode(tokens[:, None], None, None, self.cache)
        self.logits = self.model.logits(states[:, 0])

    def reorder(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was, for the next `step`; there may be fewer rows than before, or more."""
        if self.steps is not None:
            self.steps.reorder(rows)
        else:
            self.cache.reorder(rows)
