"""A model in the middle of writing: several rows, each continued by one token at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import torch
from torch import Tensor

from workings.generation.layouts import is_quick
from workings.generation.sources import read_sources
from workings.generation.steps import Steps
from workings.transformer.choices import Learned
from workings.transformer.config import Config
from workings.transformer.models import DecoderOnly, EncoderDecoder

Writer: TypeAlias = DecoderOnly | EncoderDecoder
"""A model that can write."""

Tokens: TypeAlias = Sequence[int]


class Decoding:
    """The rows of a batch, what the model remembers of them, and the scores of what may come next.

    Attributes:
        logits: (rows, v), of the token after the last one of each row.
    """

    def __init__(
        self, model: Writer, prompts: Sequence[Tokens], sources: Sequence[Tokens] | None, copies: int, room: int
    ) -> None:
        """Read prompts and sources; `copies` rows of each are made, with room for `room` more tokens.

        Raises: ValueError for prompts, sources or a model that do not fit together.
        """
        check(model, prompts, sources)
        self.model, self.quick = model, is_quick(model)
        self.steps: Steps | None = None
        device = model.embedding.weight.device
        # An encoder-decoder's rows share their source's memory, for which they must be there when it is read.
        early = isinstance(model, EncoderDecoder) and not self.quick
        tokens, lengths = _padded([prompt for prompt in prompts for _ in range(copies if early else 1)], device)
        self.cache = model.cache(len(tokens), tokens.shape[1] + room)
        if isinstance(model, EncoderDecoder):
            states = self._target(model, tokens, lengths, sources or [])
        else:
            states = model.states(tokens, lengths, self.cache)
        self.logits = model.logits(_last(states, lengths))
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
            read_sources(model, self.cache, *_padded(sources, device))
            return model.decode(tokens, None, None, self.cache, lengths)
        memory, source_lengths = _encode(model, sources, device)
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


@contextmanager
def writing(model: Writer) -> Iterator[None]:
    """Without dropout and without gradients; the model is left as it was."""
    trained = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(trained)


def most_tokens(config: Config) -> int | None:
    """The longest text that the model can hold, prompt included; None where nothing limits it."""
    return config.context if isinstance(config.positions, Learned) else None


def check(model: Writer, prompts: Sequence[Tokens], sources: Sequence[Tokens] | None) -> None:
    """Raise ValueError for prompts or sources that the model cannot read, naming the first."""
    config = model.config
    if not prompts:
        raise ValueError("there are no prompts; expected at least one")
    if isinstance(model, DecoderOnly) and sources is not None:
        raise ValueError("a decoder-only model reads no sources; expected prompts alone")
    if isinstance(model, EncoderDecoder) and (sources is None or len(sources) != len(prompts)):
        found = "none" if sources is None else len(sources)
        raise ValueError(f"the sources are {found}; expected {len(prompts)}, one for each prompt")
    _check_rows("prompt", prompts, config.vocabulary, most_tokens(config))
    _check_rows("source", sources or [], config.source_vocabulary or config.vocabulary, most_tokens(config))


def _check_rows(name: str, rows: Sequence[Tokens], vocabulary: int, most: int | None) -> None:
    for number, row in enumerate(rows):
        if not len(row):
            raise ValueError(
                f"{name} {number} has no tokens; expected at least one, such as the one that begins a text"
            )
        for token in row:
            if not 0 <= token < vocabulary:
                raise ValueError(
                    f"{name} {number} holds the token {token}; expected numbers from 0 to {vocabulary - 1}"
                )
        if most is not None and len(row) > most:
            raise ValueError(
                f"{name} {number} has {len(row)} tokens; expected at most {most}, as the model has positions"
            )


def _padded(rows: Sequence[Tokens], device: torch.device) -> tuple[Tensor, Tensor | None]:
    """Rows filled up on the right, (b, t), and their lengths, (b,); None where all are as long."""
    longest = max(map(len, rows))
    tokens = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], dtype=torch.int64, device=device)
    if all(len(row) == longest for row in rows):
        return tokens, None
    return tokens, torch.tensor([len(row) for row in rows], dtype=torch.int64, device=device)


_ENOUGH = 64
"""Tokens that keep the processor about as busy as more would."""


def _encode(model: EncoderDecoder, sources: Sequence[Tokens], device: torch.device) -> tuple[Tensor, Tensor | None]:
    """The memory of all sources, (b, s, d), and their lengths.

    Sources of like lengths are read together: in one batch, much of what is computed would be padding.
    """
    order = sorted(range(len(sources)), key=lambda row: len(sources[row]))
    groups: list[list[int]] = [[]]
    for row in order:
        group = groups[-1]
        if group and len(group) * len(sources[group[0]]) >= _ENOUGH and len(sources[group[0]]) < len(sources[row]):
            groups.append([])
        groups[-1].append(row)
    if len(groups) == 1:
        tokens, lengths = _padded(sources, device)
        return model.encode(tokens, lengths), lengths
    longest = len(sources[order[-1]])
    memory = torch.zeros(len(sources), longest, model.config.width, dtype=model.embedding.weight.dtype, device=device)
    for group in groups:
        tokens, lengths = _padded([sources[row] for row in group], device)
        memory[group, : tokens.shape[1]] = model.encode(tokens, lengths)
    return memory, torch.tensor([len(source) for source in sources], device=device)


def _last(states: Tensor, lengths: Tensor | None) -> Tensor:
    """The state of each row's last real token: (b, t, d) to (b, d)."""
    if lengths is None:
        return states[:, -1]
    return states[torch.arange(len(states), device=states.device), lengths - 1]
