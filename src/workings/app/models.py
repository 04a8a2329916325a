"""A trained model that writes: who could come next, and the text that it goes on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from workings.commands import runs
from workings.commands.options import as_user_errors
from workings.commands.problems import UserError
from workings.frozen import frozen
from workings.generation import Sampling
from workings.progress import Report

CANDIDATES = 12
MOST = 2048
"""The most tokens of a text."""
_OPEN = 4
"""Models that stay open."""


@frozen
class Turn:
    """Where a text stands: its tokens and their pieces, and the ledger's entry of the next one.

    `note` says why fewer were written than were asked for.
    """

    tokens: tuple[int, ...]
    pieces: tuple[str, ...]
    entry: dict[str, Any]
    note: str = ""


@final
class Models:
    """Language models that were opened."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, float], runs.LanguageModel] = {}

    def turn(
        self, path: str, stamp: float, begun: Sequence[int] | str, sampling: Sampling, *, more: int,
        report: Report, stop: Callable[[], bool],
    ) -> Turn:  # fmt: skip
        """Go on with tokens, or with a text, by `more` tokens; what could follow then.

        Each token is drawn with a seed of its own, its place: so it is the one that is marked as drawn where the text
        is written by one token at a time.

        Args:
            stamp: when the model was last changed.
            stop: whether to write no more; asked before every token.

        Raises UserError for a model that does not continue texts, tokens that it does not have, and texts that are too
        long for it; TrainingError for a damaged run.
        """
        report("loading the model")
        speaker = self._speaker(path, stamp)
        known = speaker.model.config.vocabulary
        tokens = speaker.tokeniser.encode(begun) if isinstance(begun, str) else list(begun)
        if not tokens:
            raise UserError("there is no text to go on from", "a few words")
        if len(tokens) > MOST or any(not 0 <= token < known for token in tokens):
            raise UserError("these are no tokens of the model", f"at most {MOST} numbers below {known}")
        runs.check_fits([*tokens, 0], speaker.model)
        with as_user_errors():
            return _written(speaker, tokens, sampling, more, report, stop)

    def _speaker(self, path: str, stamp: float) -> runs.LanguageModel:
        if (path, stamp) not in self._open:
            if len(self._open) >= _OPEN:
                self._open.clear()
            self._open[path, stamp] = runs.language_model(path)
        return self._open[path, stamp]


def _written(
    speaker: runs.LanguageModel, tokens: list[int], sampling: Sampling, more: int,
    report: Report, stop: Callable[[], bool],
) -> Turn:  # fmt: skip
    from torch import Generator

    from workings.generation.choosing import Choice, choose
    from workings.generation.decoding import decoding
    from workings.generation.ledger import write_entry
    from workings.generation.rows import most_tokens, writing

    model, tokeniser = speaker
    most = min(most_tokens(model.config) or MOST, MOST)
    wanted, note = len(tokens) + more, ""

    def drawn() -> Choice:
        generators = [Generator().manual_seed(len(tokens))]
        return choose(writer.logits, sampling, None, generators, tokeniser.unwritten)

    report("reading the text")
    with writing(model):
        writer = decoding(model, [tokens], None, 1, max(more, 1))
        choice = drawn()
        while len(tokens) < wanted and not note:
            report("writing", len(tokens) - wanted + more, more, "tokens")
            token = int(choice.tokens[0])
            if stop():
                note = f"It was stopped here, {wanted - len(tokens)} tokens before it would have been done."
            elif token == tokeniser.end:
                note = "The text ends here: its end was drawn."
            elif len(tokens) + 1 >= most:  # the next one, which is shown, needs a place too
                note = f"The text ends here: there is room for {most} tokens."
            else:
                tokens.append(token)
                writer.step(choice.tokens)
                choice = drawn()
        entry = write_entry(choice, 0, CANDIDATES)
    about = {**entry.to_dict(), "pieces": tokeniser.pieces(entry.candidates)}
    return Turn(tuple(tokens), tuple(tokeniser.pieces(tokens)), about, note)
