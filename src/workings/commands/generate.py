"""`workings generate`: a text, continued."""

from __future__ import annotations

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from workings.commands import output, runs, texts
from workings.commands.options import as_user_errors, count, seed, writing_options
from workings.commands.problems import UserError, printable, say

if TYPE_CHECKING:
    from workings.generation import Generated, LedgerEntry, Piece
    from workings.text import Tokeniser

LENGTH_HELP = "the most tokens to write; unless given, what is left of the length it was trained on, and 256 at most"
LEDGER = 1
"""The version of the ledger's JSON."""


_MOST = 256
"""Tokens that are written unless a number is given."""


def options(parser: ArgumentParser) -> None:
    """What `workings generate` takes."""
    add = parser.add_argument
    add("run", metavar="RUN", help=runs.RUN_HELP)
    texts.text_options(parser, "how the text begins")
    add("--temperature", metavar="T", type=float, default=1.0, help="0 always takes the likeliest; 1 unless given")
    add("--top-k", metavar="K", type=count, help="draw from the K likeliest tokens only")
    add("--top-p", metavar="P", type=float, help="draw from the likeliest tokens that reach this probability together")
    add("--min-p", metavar="P", type=float, help="leave out tokens less than P times as probable as the likeliest")
    add("--repetition-penalty", metavar="R", type=float, default=1.0, help="above 1: used tokens become less likely")
    add("--seed", metavar="N", type=seed, default=0, help="the same seed draws the same text; 0 unless given")
    add("--length", metavar="N", type=count, help=LENGTH_HELP)
    add("--stop", metavar="TEXT", action="append", default=[], help="end before this text; may be given several times")
    add("--texts", metavar="N", type=count, default=1, help="N texts, with the seeds from --seed on")
    add("--stream", action="store_true", help="print the text while it is written")
    add(
        "--ledger",
        metavar="FILE",
        help="write down how each token was chosen, as JSON, or as a page where FILE ends in .html",
    )
    add("--candidates", metavar="N", type=count, default=10, help="of each token in the ledger; 10 unless given")
    writing_options(parser)
    add("-o", "--output", metavar="FILE", help="write the text to this file")


def run(found: Namespace) -> None:
    """Continue the text that is given. Raises UserError, TextError and TrainingError."""
    output.check_writable(found.output)
    output.check_writable(found.ledger, "--ledger ")
    if found.stream and found.output is not None:
        raise UserError("--stream prints, and -o writes to a file", "one of them", "leave one out")
    prompt = texts.whole_text(found.text, found.input)
    speaker = runs.language_model(found.run).quick(found.weights, 1 if found.stream else found.texts)
    tokens = speaker.tokeniser.encode(prompt)
    runs.check_fits(tokens, speaker.model)
    trained = speaker.model.config.context
    if found.length is None:
        found.length = min(trained - len(tokens), _MOST) if len(tokens) < trained else _MOST
    room = runs.room_for(speaker.model, len(tokens) + found.length, 1 if found.stream else found.texts)
    # Two more than there are positions for: the last token needs none, and the text then ends for the right reason.
    found.length = min(found.length, room - len(tokens) + 2)
    if found.stream:
        written = _streamed(speaker, prompt, tokens, found)
    else:
        written = _continued(speaker, tokens, found, list(range(found.seed, found.seed + found.texts)))
        output.write_parts((_printed(prompt + each.text) for each in written if each.text is not None),
                           found.output, _between(found))  # fmt: skip
    if any(each.reason == "context" for each in written):
        say(f"workings: the text ends here because the model has {trained} positions")
    elif any(len(tokens) + len(each.tokens) > trained for each in written):
        say(f"workings: the model was trained on {trained} tokens at once; what it writes beyond them may be worse")
    if found.ledger is not None:
        ledger = _ledger(speaker.tokeniser, prompt, tokens, written, found)
        output.write(_written_ledger(ledger, found.ledger), found.ledger, "--ledger ")


def _continued(
    speaker: runs.LanguageModel, tokens: list[int], found: Namespace, seeds: list[int], on_piece: Any = None
) -> list[Generated]:
    from workings.generation import Sampling, generate

    with as_user_errors():
        sampling = Sampling(
            temperature=found.temperature,
            top_k=found.top_k,
            top_p=found.top_p,
            min_p=found.min_p,
            repetition_penalty=found.repetition_penalty,
        )
        return generate(
            speaker.model,
            [tokens] * len(seeds),
            sampling,
            length=found.length,
            seed=seeds,
            stop_tokens=[speaker.tokeniser.end],
            stop_strings=found.stop,
            never=speaker.tokeniser.unwritten,
            tokeniser=speaker.tokeniser,
            on_piece=on_piece,
            ledger=found.candidates if found.ledger is not None else None,
        )


def _streamed(speaker: runs.LanguageModel, prompt: str, tokens: list[int], found: Namespace) -> list[Generated]:
    """One text after the other, each printed as it comes."""

    def said(piece: Piece) -> None:
        output.write_now(_safe(piece.text))

    written = []
    for number in range(found.texts):
        output.write_now(_between(found) * (number > 0) + _safe(prompt))
        written += _continued(speaker, tokens, found, [found.seed + number], said)
        output.write_now("\n")
    return written


def _between(found: Namespace) -> str:
    return "\n" if found.texts > 1 else ""


def _printed(text: str) -> str:
    return _safe(text) + "\n"


def _safe(text: str) -> str:
    """What a model writes must not steer a terminal."""
    return printable(text) if sys.stdout.isatty() else text


def _ledger(
    tokeniser: Tokeniser, prompt: str, tokens: list[int], written: list[Generated], found: Namespace
) -> dict[str, Any]:
    """The ledger as plain data: every number at full precision, infinities as texts."""
    settings = ("temperature", "top_k", "top_p", "min_p", "repetition_penalty", "length", "stop", "weights")
    texts = [
        {
            "seed": number,
            "text": each.text,
            "reason": each.reason,
            "margin": each.margin,
            "tokens": [_entry(tokeniser, entry) for entry in each.ledger],
        }
        for number, each in enumerate(written, found.seed)
    ]
    ledger = {
        "workings": LEDGER,
        "run": found.run,
        "settings": {
            **{name: getattr(found, name) for name in settings},
            "never_chosen": tokeniser.pieces(tokeniser.unwritten),
        },
        "prompt": {"text": prompt, "tokens": tokens, "pieces": tokeniser.pieces(tokens)},
        "texts": texts,
    }
    plain: dict[str, Any] = _plain(ledger)
    return plain


def _written_ledger(ledger: dict[str, Any], file: str) -> str:
    """As a page, where the file's name asks for one; otherwise as JSON, a line for each token."""
    if file.lower().endswith((".html", ".htm")):
        from workings.views.live.ledger import render

        return render(ledger)
    head = {key: value for key, value in ledger.items() if key != "texts"}
    texts = []
    for text in ledger["texts"]:
        about = {key: value for key, value in text.items() if key != "tokens"}
        entries = ",\n".join(_json(entry) for entry in text["tokens"])
        texts.append(_json(about)[:-1] + ', "tokens": [\n' + entries + "\n]}")
    return _json(head)[:-1] + ',\n"texts": [\n' + ",\n".join(texts) + "\n]}\n"


def _entry(tokeniser: Tokeniser, entry: LedgerEntry) -> dict[str, Any]:
    readable = {"piece": tokeniser.pieces([entry.chosen])[0], "pieces": tokeniser.pieces(entry.candidates)}
    return {**readable, **entry.to_dict()}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """As `workings show --format json` writes numbers: what JSON has no number for is a text."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
