"""A trained model that writes, one token at a time: who could come next, and the text if one is picked."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

from workings.commands import runs
from workings.commands.problems import UserError
from workings.frozen import frozen

CANDIDATES = 12
MOST = 2048
"""The most tokens of a text."""


@frozen
class Turn:
    """Where a text stands: its pieces, and the ledger's entry of the next token."""

    tokens: tuple[int, ...]
    pieces: tuple[str, ...]
    entry: dict[str, Any]


@final
class Models:
    """Language models that were opened, one request at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, runs.LanguageModel] = {}

    def turn(self, path: Path | str, text: str, tokens: Sequence[int], **settings: Any) -> Turn:
        """What could follow a text, or tokens if there are any.

        Raises UserError for a model that does not continue texts, tokens that it does not have, and settings that do
        not fit.
        """
        with self._lock:
            speaker = self._speaker(str(path))
            known = speaker.model.config.vocabulary
            chosen = list(tokens) or speaker.tokeniser.encode(text)
            if not chosen:
                raise UserError("there is no text to go on from", "a few words")
            if len(chosen) > MOST or any(not 0 <= token < known for token in chosen):
                raise UserError("these are no tokens of the model", f"at most {MOST} numbers below {known}")
            runs.check_fits([*chosen, 0], speaker.model)
            return self._next(speaker, chosen, settings)

    def _speaker(self, path: str) -> runs.LanguageModel:
        if path not in self._open:
            if len(self._open) >= 4:
                self._open.clear()
            self._open[path] = runs.language_model(path)
        return self._open[path]

    def _next(self, speaker: runs.LanguageModel, tokens: list[int], settings: dict[str, Any]) -> Turn:
        from workings.generation import Sampling, generate

        try:
            sampling = Sampling(**settings)
            (written,) = generate(
                speaker.model, [tokens], sampling, length=1, seed=len(tokens), tokeniser=speaker.tokeniser,
                ledger=CANDIDATES,
            )  # fmt: skip
        except ValueError as error:
            raise UserError(str(error)) from None
        entry = written.ledger[0]
        pieces = speaker.tokeniser.pieces(entry.candidates)
        return Turn(tuple(tokens), tuple(speaker.tokeniser.pieces(tokens)), {**entry.to_dict(), "pieces": pieces})
