"""From a run file to its data: read, and cut into tokens, for each task in its way."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, assert_never

from workings.text.batches import Labelled, Pairs, Windows
from workings.text.corpora import LabelledCorpus, ParallelCorpus, TextCorpus
from workings.text.errors import TextError
from workings.text.labelled import read_rows
from workings.text.parallel import read_pairs
from workings.text.reading import files_of, read_text
from workings.text.tokenisers import Tokeniser
from workings.training.errors import TrainingError
from workings.training.prepared import Prepared, PreparedWords, Tokenisers
from workings.training.run_directory import RunDirectory
from workings.training.tables import (
    Classify,
    Configuration,
    Copy,
    Embeddings,
    LanguageModel,
    TokeniserTable,
    Translate,
)
from workings.transformer.config import Config

_MAPPED = 64 << 20
"""Texts larger than this, in bytes, are kept as a file of token numbers instead of in memory."""
TOKENS = "tokens"
"""The folder of these files in a run directory."""


def prepare(
    configuration: Configuration, folder: Path, *, tokenisers: Tokenisers | None = None, work: Path | None = None
) -> Prepared | PreparedWords:
    """Read the data, and learn from it how text is cut unless that is known.

    Args:
        configuration: what the run file says.
        folder: what its paths start from.
        tokenisers: those of the run that is resumed or measured.
        work: where large texts are kept as token numbers; None: all are held in memory.

    Raises:
        TextError: the data cannot be read, or there is too little of it.
        TrainingError: the model's sizes or choices do not fit.
    """
    match configuration:
        case Translate():
            return _translate(configuration, folder, tokenisers)
        case LanguageModel():
            return _language_model(configuration, folder, tokenisers, work)
        case Classify():
            return _classify(configuration, folder, tokenisers)
        case Copy():
            return _copy(configuration, tokenisers)
        case Embeddings():
            return _embeddings(configuration, folder, tokenisers)
    assert_never(configuration)


def prepare_again(run: RunDirectory, configuration: Configuration, folder: Path) -> Prepared | PreparedWords:
    """The data of a run, cut as it cuts it."""
    tokenisers = Tokenisers(source=run.tokeniser(), target=run.target_tokeniser())
    return prepare(configuration, folder, tokenisers=tokenisers, work=run.path / TOKENS)


def _translate(given: Translate, folder: Path, tokenisers: Tokenisers | None) -> Prepared:
    data, table = given.data, given.tokeniser
    source, target = folder / data.source, None if data.target is None else folder / data.target
    if tokenisers is None:
        sides = list(read_pairs(source, target))
        if table.shared:
            tokenisers = Tokenisers.one(_trained(table, [text for pair in sides for text in pair], source))
        else:
            here, there = (_trained(table, [pair[side] for pair in sides], source) for side in (0, 1))
            tokenisers = Tokenisers(source=here, target=there)
    here, there = tokenisers.source, tokenisers.target
    own = {} if here.fingerprint == there.fingerprint else {"source_vocabulary": len(here)}
    config = _config({"vocabulary": len(there), **own}, given.model)
    corpus = ParallelCorpus.read(source, target, here, there, longest=config.context)
    notes = [*_left_out(corpus, config.context)]
    if data.validation_source is not None:
        beside = None if data.validation_target is None else folder / data.validation_target
        validation = ParallelCorpus.read(folder / data.validation_source, beside, here, there, longest=config.context)
        notes += [f"validation: {note}" for note in _left_out(validation, config.context)]
    else:
        corpus, validation = corpus.held_out(data.validation_share, given.seed)
    return Prepared(
        configuration=given,
        tokenisers=tokenisers,
        config=config,
        training=Pairs(corpus),
        validation=Pairs(validation),
        notes=tuple(notes),
    )


def _left_out(corpus: ParallelCorpus, longest: int) -> Iterator[str]:
    if corpus.too_long:
        yield f"{_are(corpus.too_long, 'pair')} left out: a side is longer than the context of {longest:,} tokens"
    if corpus.empty:
        yield f"{_are(corpus.empty, 'pair')} left out: a side is blank"


def _are(count: int, what: str) -> str:
    return f"{count:,} {what} is" if count == 1 else f"{count:,} {what}s are"


def _language_model(given: LanguageModel, folder: Path, tokenisers: Tokenisers | None, work: Path | None) -> Prepared:
    data = given.data
    path = folder / data.text
    tokenisers = tokenisers or Tokenisers.one(_trained(given.tokeniser, read_text(path), path))
    tokeniser = tokenisers.source
    config = _config({"vocabulary": len(tokeniser)}, given.model)
    corpus = TextCorpus.open(path, tokeniser, _cache(path, work, "training"))
    if data.validation is not None:
        held = folder / data.validation
        validation = TextCorpus.open(held, tokeniser, _cache(held, work, "validation"))
    else:
        corpus, validation = corpus.split(1 - data.validation_share)
    return Prepared(
        configuration=given,
        tokenisers=tokenisers,
        config=config,
        training=Windows(corpus, config.context),
        validation=Windows(validation, config.context),
    )


def _cache(path: Path, work: Path | None, name: str) -> Path | None:
    size = sum(file.stat().st_size for file in files_of(path))
    if work is None or size <= _MAPPED:
        return None
    work.mkdir(parents=True, exist_ok=True)
    return work / f"{name}.tokens"


def _classify(given: Classify, folder: Path, tokenisers: Tokenisers | None) -> Prepared:
    data = given.data
    path = folder / data.texts
    tokenisers = tokenisers or Tokenisers.one(_trained(given.tokeniser, [row.text for row in read_rows(path)], path))
    tokeniser = tokenisers.source
    longest = int(given.model.get("context", 0)) or None
    corpus = LabelledCorpus.read(path, tokeniser, longest=longest)
    notes = [*_cut(corpus, longest)]
    if data.validation is not None:
        validation = LabelledCorpus.read(folder / data.validation, tokeniser, corpus.names, longest=longest)
        notes += [f"validation: {note}" for note in _cut(validation, longest)]
    else:
        corpus, validation = corpus.held_out(data.validation_share, given.seed)
    config = _config({"vocabulary": len(tokeniser), "classes": len(corpus.names)}, given.model)
    return Prepared(
        configuration=given,
        tokenisers=tokenisers,
        config=config,
        training=Labelled(corpus),
        validation=Labelled(validation),
        labels=corpus.names,
        notes=tuple(notes),
    )


def _cut(corpus: LabelledCorpus, longest: int | None) -> Iterator[str]:
    if corpus.truncated:
        yield f"{_are(corpus.truncated, 'text')} cut to the context of {longest:,} tokens"


def _copy(given: Copy, tokenisers: Tokenisers | None) -> Prepared:
    data = given.data
    symbols = [str(number) for number in range(1, data.symbols + 1)]
    if data.longest < data.shortest:
        raise TrainingError(f"data.longest is {data.longest}", f"at least data.shortest, {data.shortest}")
    tokenisers = tokenisers or Tokenisers.one(Tokeniser.train("word", [" ".join(symbols)]))
    config = _config({"vocabulary": len(tokenisers.source)}, given.model)
    if data.longest >= config.context:
        raise TrainingError(f"data.longest is {data.longest}", f"less than model.context, {config.context}")
    drawn = random.Random(given.seed)
    whole = [
        " ".join(drawn.choices(symbols, k=drawn.randint(data.shortest, data.longest)))
        for _ in range(data.pairs + data.validation_pairs)
    ]
    parts = whole[: data.pairs], whole[data.pairs :]
    training, validation = (ParallelCorpus.of([(t, t) for t in part], tokenisers.source) for part in parts)
    return Prepared(
        configuration=given,
        tokenisers=tokenisers,
        config=config,
        training=Pairs(training),
        validation=Pairs(validation),
    )


def _embeddings(given: Embeddings, folder: Path, tokenisers: Tokenisers | None) -> PreparedWords:
    path = folder / given.data.text

    def texts() -> Iterator[str]:
        for part in read_text(path):
            yield part.lower() if given.data.lower else part

    tokenisers = tokenisers or Tokenisers.one(_trained(TokeniserTable(kind="word"), texts(), path))
    corpus = TextCorpus.of(texts(), tokenisers.source, str(path))
    return PreparedWords(configuration=given, tokenisers=tokenisers, corpus=corpus)


def _trained(table: TokeniserTable, texts: Iterator[str] | Sequence[str], path: Path) -> Tokeniser:
    try:
        return Tokeniser.train(table.kind, texts, table.vocabulary, spelled=table.spelled)
    except TextError as error:
        if error.where:  # the text, not what is to be learned from it
            raise
        raise TrainingError(f"[tokeniser] for {path}: {error}") from None


def _config(own: dict[str, Any], table: dict[str, Any]) -> Config:
    """The config of what the data says and the file chooses.

    Raises:
        TrainingError: sizes that do not go together.
    """
    try:
        return Config.from_dict({**own, **table})
    except ValueError as error:
        raise TrainingError(f"[model] {error}") from None
