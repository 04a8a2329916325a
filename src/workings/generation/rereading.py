"""Writing with a model whose tokens see later ones: nothing of what it has read can be kept."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from workings.generation.rows import Tokens, Writer, encode, last, padded
from workings.transformer.models import EncoderDecoder


class Rereading:
    """The rows of a batch, and the scores of what may come next, with every token read again at every step.

    What `Decoding` does, without a cache: for models with `causal = false`, where the state of a token depends on those
    after it. A text of n tokens takes n readings.

    Attributes:
        logits: (rows, v), of the token after the last one of each row.
    """

    logits: Tensor

    def __init__(self, model: Writer, prompts: Sequence[Tokens], sources: Sequence[Tokens] | None, copies: int) -> None:
        self.model, self.device = model, model.embedding.weight.device
        self.rows = [list(prompt) for prompt in prompts for _ in range(copies)]
        self.memory: tuple[Tensor, Tensor] | None = None
        if isinstance(model, EncoderDecoder):
            memory, lengths = encode(model, sources or [], self.device)
            if lengths is None:
                lengths = torch.full((len(memory),), memory.shape[1], device=self.device)
            self.memory = memory.repeat_interleave(copies, 0), lengths.repeat_interleave(copies)
        self._read()

    def step(self, tokens: Tensor) -> None:
        """Read one more token of each row: (rows,)."""
        for row, token in zip(self.rows, tokens.tolist(), strict=True):
            row.append(token)
        self._read()

    def reorder(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was, for the next `step`; there may be fewer rows than before, or more."""
        self.rows = [self.rows[row].copy() for row in rows.tolist()]
        if self.memory is not None:
            self.memory = self.memory[0][rows], self.memory[1][rows]

    def _read(self) -> None:
        tokens, lengths = padded(self.rows, self.device)
        if isinstance(self.model, EncoderDecoder):
            memory, source_lengths = self.memory or (None, None)
            states = self.model.decode(tokens, memory, source_lengths, None, lengths)
        else:
            states = self.model.states(tokens, lengths)
        self.logits = self.model.logits(last(states, lengths))
