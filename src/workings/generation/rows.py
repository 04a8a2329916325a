"""Rows of tokens for a model that writes: checked, filled up to one length, read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import torch
from torch import Tensor

from workings.transformer.choices import Learned
from workings.transformer.config import Config
from workings.transformer.models import DecoderOnly, EncoderDecoder
from workings.wording import counted

Writer: TypeAlias = DecoderOnly | EncoderDecoder
"""A model that can write."""

Tokens: TypeAlias = Sequence[int]


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
                    f"{name} {number} holds the token {token}; expected numbers from 0 to {vocabulary - 1}, a "
                    f"vocabulary of {vocabulary:,}"
                )
        if most is not None and len(row) > most:
            raise ValueError(
                f"{name} {number} has {counted(len(row), 'token')}; expected at most {most}, as the model has positions"
            )


def padded(rows: Sequence[Tokens], device: torch.device) -> tuple[Tensor, Tensor | None]:
    """Rows filled up on the right, (b, t), and their lengths, (b,); None where all are as long."""
    longest = max(map(len, rows))
    tokens = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], dtype=torch.int64, device=device)
    if all(len(row) == longest for row in rows):
        return tokens, None
    return tokens, torch.tensor([len(row) for row in rows], dtype=torch.int64, device=device)


_ENOUGH = 64
"""Tokens that keep the processor about as busy as more would."""


def encode(model: EncoderDecoder, sources: Sequence[Tokens], device: torch.device) -> tuple[Tensor, Tensor | None]:
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
        tokens, lengths = padded(sources, device)
        return model.encode(tokens, lengths), lengths
    longest = len(sources[order[-1]])
    memory = torch.zeros(len(sources), longest, model.config.width, dtype=model.embedding.weight.dtype, device=device)
    for group in groups:
        tokens, lengths = padded([sources[row] for row in group], device)
        memory[group, : tokens.shape[1]] = model.encode(tokens, lengths)
    return memory, torch.tensor([len(source) for source in sources], device=device)


def last(states: Tensor, lengths: Tensor | None) -> Tensor:
    """The state of each row's last real token: (b, t, d) to (b, d)."""
    if lengths is None:
        return states[:, -1]
    return states[torch.arange(len(states), device=states.device), lengths - 1]
