"""Writing token by token: greedily or by drawing, many rows at once, each as if it were alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import torch
from torch import Tensor

from workings.generation.choosing import Choice, choose
from workings.generation.decoding import decoding
from workings.generation.ledger import LedgerEntry, write_entry
from workings.generation.rows import Tokens, Writer, most_tokens, writing
from workings.generation.settings import Sampling
from workings.generation.stopping import GrowingText, TextStream

Reason: TypeAlias = Literal["stop token", "stop string", "length", "context"]


class Speaker(Protocol):
    """What turns tokens into text, such as a `Tokeniser`."""

    def stream(self) -> TextStream:
        """A decoder that is fed one token after the other."""


class Piece(NamedTuple):
    """What was just written in a row: a token, and the text that it made certain.

    `token` is None for text that was kept back until the row ended.
    """

    row: int
    token: int | None
    text: str


@dataclass(frozen=True)
class Generated:
    """What was written after one prompt.

    Attributes:
        tokens: the new tokens, without a stop token.
        text: their text, which ends before a stop string; None where there was no tokeniser.
        reason: why it ended: a "stop token", a "stop string", the "length" asked for, or the "context": the model has
            no position left.
        margin: how close the closest call was: with less rounding error than that, the text is the same. See
            `workings.generation.choosing.Choice`.
        ledger: how each token was chosen, the stop token included; empty unless asked for.
    """

    tokens: list[int]
    text: str | None
    reason: Reason
    margin: float
    ledger: list[LedgerEntry]


def generate(
    model: Writer,
    prompts: Sequence[Tokens],
    sampling: Sampling | None = None,
    *,
    sources: Sequence[Tokens] | None = None,
    length: int = 128,
    seed: int | Sequence[int] = 0,
    stop_tokens: Sequence[int] = (),
    stop_strings: Sequence[str] = (),
    never: Sequence[int] = (),
    tokeniser: Speaker | None = None,
    on_piece: Callable[[Piece], None] | None = None,
    ledger: int | None = None,
) -> list[Generated]:
    """Continue each prompt.

    Every row has a generator of its own, so a prompt and a seed make the same text alone or in any batch: exactly so
    in float64, and in float32 unless a call was closer than rounding; `Generated.margin` says how close.

    Args:
        prompts: token ids, of any lengths; for an encoder-decoder, how its targets begin.
        sampling: how tokens are chosen; drawn from the model's own probabilities unless given.
        sources: what an encoder-decoder reads, one for each prompt.
        length: the most tokens to write.
        seed: the seed of every row, or one for each row.
        stop_tokens: a row ends with any of these.
        stop_strings: a row ends when its text has one of these. Needs a tokeniser.
        never: tokens that are not chosen, such as a tokeniser's `unwritten` ones, which stand for no text.
        tokeniser: makes the text.
        on_piece: called with each token as soon as it is chosen.
        ledger: write down how each token was chosen, with this many candidates.

    Raises: ValueError for prompts that the model cannot read, and settings that do not fit.
    """
    sampling = sampling or Sampling()
    rules = _Rules(length, stop_tokens, stop_strings, tokeniser, ledger, most_tokens(model.config))
    rules.check()
    generators = _generators(seed, len(prompts))
    rows = [
        _Row(*numbered, generator, rules) for numbered, generator in zip(enumerate(prompts), generators, strict=True)
    ]
    with writing(model):
        writer = decoding(model, prompts, sources, 1, length)
        seen = None if sampling.repetition_penalty == 1.0 else _seen(writer.logits, prompts)
        batch = rows
        while True:
            choice = choose(writer.logits, sampling, seen, [row.generator for row in batch], never)
            for place, (row, token) in enumerate(zip(batch, choice.tokens.tolist(), strict=True)):
                row.take(token, choice, place, on_piece)
            if all(row.reason is not None for row in batch):
                break
            tokens = choice.tokens
            if seen is not None:
                seen.scatter_(1, tokens[:, None], True)
            kept = _worth_keeping(batch)
            if kept is not None:
                places = torch.tensor(kept, device=tokens.device)
                writer.reorder(places)
                tokens, seen = tokens[places], None if seen is None else seen[places]
                batch = [batch[place] for place in kept]
            writer.step(tokens)
    return [row.result() for row in rows]


class _Rules(NamedTuple):
    """When a row ends, and what is kept of it: as `generate` was asked."""

    length: int
    stop_tokens: Sequence[int]
    stop_strings: Sequence[str]
    tokeniser: Speaker | None
    candidates: int | None
    most: int | None

    def check(self) -> None:
        """Raise ValueError for what does not fit together."""
        if self.length < 1:
            raise ValueError(f"length is {self.length}; expected at least 1")
        if isinstance(self.stop_strings, str):
            raise ValueError(f"stop_strings is the text {self.stop_strings!r}; expected a list of texts")
        if self.stop_strings and self.tokeniser is None:
            raise ValueError("stop_strings are looked for in the text; expected a tokeniser that makes it")
        if self.candidates is not None and self.candidates < 1:
            raise ValueError(f"ledger is {self.candidates}; expected at least 1 candidate")


class _Row:
    """One text while it is being written."""

    def __init__(self, number: int, prompt: Tokens, generator: torch.Generator, rules: _Rules) -> None:
        self.number, self.generator, self.rules = number, generator, rules
        self.length = len(prompt)
        self.text = None if rules.tokeniser is None else GrowingText(rules.tokeniser.stream(), rules.stop_strings)
        self.tokens: list[int] = []
        self.ledger: list[LedgerEntry] = []
        self.margin = math.inf
        self.reason: Reason | None = None

    @property
    def full(self) -> bool:
        """Whether the model has no position for another token, also in a row that has ended but is still there."""
        return self.rules.most is not None and self.length > self.rules.most

    def take(self, token: int, choice: Choice, place: int, on_piece: Callable[[Piece], None] | None) -> None:
        """Write a token down, end the row where it ends, and report what is certain."""
        self.length += 1
        if self.reason is not None:
            return
        self.margin = min(self.margin, float(choice.margins[place]))
        if self.rules.candidates is not None:
            self.ledger.append(write_entry(choice, place, self.rules.candidates))
        stopped = token in self.rules.stop_tokens
        said = ""
        if not stopped:
            self.tokens.append(token)
            said = "" if self.text is None else self.text.push(token)
        self.reason = "stop token" if stopped else self._ending()
        rest = self.text.finish() if self.reason is not None and self.text is not None else ""
        if on_piece is not None:
            if not stopped:
                on_piece(Piece(self.number, token, said))
            if rest:
                on_piece(Piece(self.number, None, rest))

    def _ending(self) -> Reason | None:
        if self.text is not None and self.text.stopped is not None:
            return "stop string"
        if len(self.tokens) == self.rules.length:
            return "length"
        return "context" if self.full else None

    def result(self) -> Generated:
        """What is handed back."""
        text = None if self.text is None else self.text.text
        return Generated(self.tokens, text, self.reason or "length", self.margin, self.ledger)


def _worth_keeping(batch: list[_Row]) -> list[int] | None:
    """The places of the rows that go on, where it pays to drop the others, or must be: dropping copies the cache."""
    kept = [place for place, row in enumerate(batch) if row.reason is None]
    ended = len(batch) - len(kept)
    return kept if ended and (4 * ended >= len(batch) or any(row.full for row in batch)) else None


def _generators(seed: int | Sequence[int], rows: int) -> list[torch.Generator]:
    seeds = [seed] * rows if isinstance(seed, int) else list(seed)
    if len(seeds) != rows:
        raise ValueError(f"there are {len(seeds)} seeds; expected one, or one for each of {rows} prompts")
    return [torch.Generator().manual_seed(each) for each in seeds]


def _seen(logits: Tensor, prompts: Sequence[Tokens]) -> Tensor:
    """Which tokens each prompt holds: (b, v)."""
    seen = torch.zeros_like(logits, dtype=torch.bool)
    for row, prompt in zip(seen, prompts, strict=True):
        row[torch.tensor(prompt, device=logits.device)] = True
    return seen
