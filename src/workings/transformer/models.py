"""The three transformers: encoder-decoder, encoder-only and decoder-only, made of the same parts.

Tokens are integers (b, t), in rows that are padded on the right; `lengths`, (b,), counts the real ones. What stands in
the padding never changes the states of a real token.
"""

from __future__ import annotations

import math
from typing import TypeAlias, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.transformer.cache import Cache
from workings.transformer.choices import TiedOutput
from workings.transformer.config import Config, Shape
from workings.transformer.masks import Everything, Padding
from workings.transformer.stacks import CrossStack, Stack
from workings.transformer.start import draw_weights


class _Model(nn.Module):
    """Embeddings of the target (or only) vocabulary, and the scores of its words."""

    output_bias: nn.Parameter | None
    shape: Shape

    def __init__(self, config: Config) -> None:
        super().__init__()
        if config.shape != self.shape:
            raise ValueError(
                f"the config is {config.shape} (encoder_layers {config.encoder_layers}, decoder_layers "
                f"{config.decoder_layers}); expected {self.shape}"
            )
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.embedding_scale = math.sqrt(config.width) if config.scaled_embeddings else 1.0

    def add_output(self) -> None:
        """Make what scores the words, or the classes, after the parts that come before it."""
        config, choice = self.config, self.config.output
        scored = config.vocabulary if config.classes is None else config.classes
        tied = isinstance(choice, TiedOutput) and config.classes is None
        self.output = None if tied else nn.Linear(config.width, scored, bias=False)
        self.output_bias = nn.Parameter(torch.zeros(scored)) if choice.bias or config.classes is not None else None
        self.output_scale = choice.scale if isinstance(choice, TiedOutput) and tied else 1.0

    @property
    def output_weight(self) -> Tensor:
        """The matrix that scores the words, (v, d), or the classes, (classes, d)."""
        return self.embedding.weight if self.output is None else self.output.weight

    def logits(self, states: Tensor) -> Tensor:
        """The score of every word: states (..., d) to (..., v)."""
        return functional.linear(states, self.output_weight, self.output_bias)

    def parameter_count(self) -> int:
        """How many numbers are learned; what is tied counts once."""
        return sum(parameter.numel() for parameter in self.parameters())

    def embed(self, tokens: Tensor, table: nn.Embedding) -> Tensor:
        """The scaled embeddings of tokens: (b, t) to (b, t, d). Raises: ValueError for a token that has none."""
        try:
            embedded: Tensor = table(tokens)
        except IndexError:  # looking first would cost time at every step
            raise _outside(tokens, len(table.weight)) from None
        return embedded if self.embedding_scale == 1.0 else embedded * self.embedding_scale

    def finish(self, states: Tensor) -> Tensor:
        """The states as the output matrix reads them."""
        return states if self.output_scale == 1.0 else states * self.output_scale


@final
class DecoderOnly(_Model):
    """Reads tokens from left to right and scores what comes next, as GPT-2 and Llama do."""

    shape: Shape = "decoder-only"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.stack = Stack(config, config.decoder_layers, config.causal)
        self.add_output()
        draw_weights(self, config)

    def states(self, tokens: Tensor, lengths: Tensor | None = None, cache: Cache | None = None) -> Tensor:
        """What the logits are made from: tokens (b, t) to (b, t, d); with a cache, they continue what it holds."""
        return self.finish(self.stack(self.embed(tokens, self.embedding), lengths, cache))

    def forward(self, tokens: Tensor, lengths: Tensor | None = None, cache: Cache | None = None) -> Tensor:
        """The score of every word at every position: tokens (b, t) to (b, t, v)."""
        return self.logits(self.states(tokens, lengths, cache))

    def cache(self, rows: int, capacity: int) -> Cache:
        """An empty cache of the model's dtype and device."""
        return Cache(self.config, rows, capacity, self.embedding.weight.dtype, self.embedding.weight.device)


@final
class EncoderOnly(_Model):
    """Reads all tokens on both sides, as BERT does, and scores classes, or the word at every position."""

    shape: Shape = "encoder-only"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.stack = Stack(config, config.encoder_layers, causal=False)
        self.add_output()
        draw_weights(self, config)

    def states(self, tokens: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The states of all tokens: (b, t) to (b, t, d)."""
        return self.finish(self.stack(self.embed(tokens, self.embedding), lengths))

    def forward(self, tokens: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The score of every class, (b, classes), or of every word at every position, (b, t, v)."""
        states = self.states(tokens, lengths)
        return self.logits(states if self.config.classes is None else self.pool(states, lengths))

    def pool(self, states: Tensor, lengths: Tensor | None = None) -> Tensor:
        """One vector for each row: (b, t, d) to (b, d)."""
        if self.config.pooling == "first":
            return states[:, 0]
        if lengths is None:
            return states.mean(dim=1)
        real = torch.arange(states.shape[1], device=states.device) < lengths[:, None]
        return states.masked_fill(~real[:, :, None], 0.0).sum(dim=1) / lengths[:, None]


@final
class EncoderDecoder(_Model):
    """Reads a source on both sides and writes a target from left to right, as in the 2017 paper."""

    shape: Shape = "encoder-decoder"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        own = config.source_vocabulary
        self.source_embedding = None if own is None else nn.Embedding(own, config.width)
        self.encoder = Stack(config, config.encoder_layers, causal=False)
        self.decoder = CrossStack(config, config.decoder_layers, config.causal)
        self.add_output()
        draw_weights(self, config)

    def encode(self, source: Tensor, source_lengths: Tensor | None = None) -> Tensor:
        """The memory of a source: (b, s) to (b, s, d)."""
        table = self.embedding if self.source_embedding is None else self.source_embedding
        memory: Tensor = self.encoder(self.embed(source, table), source_lengths)
        return memory

    def decode(
        self,
        target: Tensor,
        memory: Tensor | None,
        source_lengths: Tensor | None = None,
        cache: Cache | None = None,
        target_lengths: Tensor | None = None,
    ) -> Tensor:
        """The states of the target's tokens: (b, t) and memory (b, s, d) to (b, t, d).

        The target may have a multiple of the memory's rows: the first of them read its first row, and so on. A cache
        reads memory and `source_lengths` at its first use, and not again.
        """
        memory_mask = None if cache is None else cache.memory_mask
        if memory_mask is None:
            mask = Everything() if source_lengths is None or memory is None else Padding(source_lengths)
            memory_mask = mask.kernel_arguments(target.shape[1], 0 if memory is None else memory.shape[1])
            memory_mask = memory_mask.added(self.embedding.weight)
        if cache is not None:
            cache.memory_mask = memory_mask
        embedded = self.embed(target, self.embedding)
        return self.finish(self.decoder(embedded, target_lengths, cache, memory=memory, memory_mask=memory_mask))

    def states(
        self,
        source: Tensor,
        target: Tensor,
        source_lengths: Tensor | None = None,
        target_lengths: Tensor | None = None,
    ) -> Tensor:
        """What the logits are made from: source (b, s) and target (b, t) to (b, t, d)."""
        return self.decode(target, self.encode(source, source_lengths), source_lengths, None, target_lengths)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_lengths: Tensor | None = None,
        target_lengths: Tensor | None = None,
    ) -> Tensor:
        """The score of every word at every position of the target: (b, s) and (b, t) to (b, t, v)."""
        return self.logits(self.states(source, target, source_lengths, target_lengths))

    def cache(self, rows: int, capacity: int) -> Cache:
        """An empty cache of the model's dtype and device, for the target."""
        return Cache(self.config, rows, capacity, self.embedding.weight.dtype, self.embedding.weight.device)


def _outside(tokens: Tensor, words: int) -> ValueError:
    """What is wrong with tokens of which one is outside the vocabulary: its number, and where it stands."""
    place = ((tokens < 0) | (tokens >= words)).nonzero()[0].tolist()
    found = f"the tokens hold {int(tokens[tuple(place)])} at {place}"
    return ValueError(f"{found}; expected numbers from 0 to {words - 1}, a vocabulary of {words:,}")


Model: TypeAlias = EncoderDecoder | EncoderOnly | DecoderOnly


def build(config: Config) -> Model:
    """The model that a config describes."""
    models: dict[Shape, type[EncoderDecoder] | type[EncoderOnly] | type[DecoderOnly]] = {
        "encoder-decoder": EncoderDecoder,
        "encoder-only": EncoderOnly,
        "decoder-only": DecoderOnly,
    }
    return models[config.shape](config)
