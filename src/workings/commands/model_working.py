"""The working of a trained model: one pass forward over a sentence, recorded, with the tokens along its tables."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workings.commands import runs
from workings.commands.problems import UserError
from workings.progress import Report, unheard

if TYPE_CHECKING:
    from torch import Tensor

    from workings.recording.working import Working
    from workings.text import Tokeniser

_NEXT = 5
"""How many of the words that may come next are told."""


def working_of_run(name: str, sentence: str | None, report: Report = unheard) -> Working:
    """Record a trained model as it reads a sentence: what comes next, its translation, or its labels.

    Raises UserError for a run without a transformer, or without a sentence for it; TrainingError for a damaged run.
    """
    run = runs.open_run(name)
    shape = runs.shape_of(run)
    if shape == "embeddings":
        raise UserError(f"{name}: its embeddings are not computed", "a transformer", f"try: workings near {name} WORD")
    if sentence is None or not sentence.strip():
        raise UserError(f"{name}: a trained model needs something to read", "", f'workings show {name} "a sentence"')
    read = {"decoder-only": _continuing, "encoder-only": _labelling, "encoder-decoder": _translating}[shape]
    report("loading the model")
    working = read(name, sentence, report)
    working.groups[0].title = f"{run.name}: {textwrap.shorten(sentence, 60, placeholder=' …')}"
    return working


def _continuing(name: str, sentence: str, report: Report) -> Working:
    model, tokeniser = runs.language_model(name)
    tokens = tokeniser.encode(sentence)
    runs.check_fits(tokens, model)
    report("reading the text")
    working, logits = _recorded(model, tokens)
    words = readable(tokeniser, range(len(tokeniser)))
    _label(working, "tokens", readable(tokeniser, tokens))
    _label_words(working, "embedding", words)
    working.label("output", None, readable(tokeniser, tokens), words)
    working.notes.append(f"What comes next: {_likeliest(logits[0, -1], words)}.")
    return working


def _labelling(name: str, sentence: str, report: Report) -> Working:
    classifier = runs.classifier(name)
    model, tokeniser, labels = classifier
    tokens = [tokeniser.begin, *tokeniser.encode(sentence), tokeniser.end]
    runs.check_fits(tokens, model)
    report("reading the text")
    working, logits = _recorded(model, tokens)
    _label(working, "tokens", readable(tokeniser, tokens))
    _label_words(working, "embedding", readable(tokeniser, range(len(tokeniser))))
    working.label("output", None, labels)
    working.notes.append(f"Its labels: {_likeliest(logits[0], labels)}.")
    return working


def _translating(name: str, sentence: str, report: Report) -> Working:
    """The target is what the model itself writes, as `workings translate` would print it."""
    from workings.commands.texts import Line
    from workings.commands.translate import best_tokens
    from workings.generation.rows import most_tokens

    translator = runs.translator(name)
    model = translator.model
    written = best_tokens(translator, Line(sentence, ""), report)
    report("reading both texts")
    source = [*translator.source.encode(sentence), translator.source.end]
    # The last token has no position where the translation fills them all; nothing would come after it.
    target = [translator.target.begin, *written][: most_tokens(model.config)]
    working, logits = _recorded(model, source, target)
    words = readable(translator.target, range(len(translator.target)))
    _label(working, "source", readable(translator.source, source))
    _label(working, "target", readable(translator.target, target))
    _label_words(working, "embedding", words)
    _label_words(working, "source_embedding", readable(translator.source, range(len(translator.source))))
    working.label("output", None, readable(translator.target, target), words)
    working.notes.append(f"The target is the model's own: {translator.target.decode(written)!r}.")
    working.notes.append(f"What comes next: {_likeliest(logits[0, -1], words)}.")
    return working


def _recorded(model: object, *rows: Sequence[int]) -> tuple[Working, Tensor]:
    """Run the model on one row of tokens, or of source and of target; what was recorded, and its result."""
    import torch
    from torch import nn

    from workings.recording.tensors.session import record

    assert isinstance(model, nn.Module)
    inputs = [torch.tensor([list(row)]) for row in rows]
    with torch.no_grad(), record(model) as working:
        logits = model(*inputs)
    return working, logits


def readable(tokeniser: Tokeniser, numbers: Sequence[int]) -> list[str]:
    """Pieces as labels: a space, which begins many of them, is seen."""
    return ["".join("▁" if c == " " else c for c in piece) for piece in tokeniser.pieces(numbers)]


def _label(working: Working, address: str, tokens: Sequence[str]) -> None:
    """Name the entries of (1, t) tokens, and of what is made from them."""
    working.label(address, None, tokens)


def _label_words(working: Working, table: str, words: Sequence[str]) -> None:
    """Name the rows of a table of embeddings, where the model has it."""
    if f"{table}.weight" in working:
        working.label(f"{table}.weight", words, None)


def _likeliest(logits: Tensor, words: Sequence[str]) -> str:
    """The words that score highest, with their probabilities."""
    best = logits.double().softmax(dim=-1).topk(min(_NEXT, len(words)))
    from workings.views.tables import visible

    return ", ".join(
        f"{visible(words[n])} {p:.4f}" for p, n in zip(best.values.tolist(), best.indices.tolist(), strict=True)
    )
