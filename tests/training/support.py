"""Small models and data that the tests of training share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from workings.text import BatchOrder, Pairs, ParallelCorpus, TextCorpus, Tokeniser, Windows
from workings.training.objective import Objective
from workings.training.run_directory import Description, RunDirectory
from workings.training.schedules import Constant
from workings.training.trainer import Settings, Trainer
from workings.transformer import Config, DecoderOnly, Dropout, EncoderDecoder

LINES = [f"{a} {b} {a} {b} {a}" for a in ("one", "two", "three", "four") for b in ("red", "blue", "green")]


def text_corpus() -> TextCorpus:
    """A few hundred characters, of 15 kinds."""
    text = "\n".join(LINES) + "\n"
    return TextCorpus.of([text], Tokeniser.train("character", [text], spelled=False))


def pairs_corpus() -> ParallelCorpus:
    """Twelve pairs of different lengths; the target is the source backwards, less some words."""
    pairs = [(line, " ".join(line.split()[: 1 - number % 3 : -1])) for number, line in enumerate(LINES)]
    return ParallelCorpus.of(pairs, Tokeniser.train("word", LINES))


def decoder(dropout: float = 0.0, **changes: Any) -> DecoderOnly:
    """A decoder for `text_corpus`, drawn from a fixed seed."""
    torch.manual_seed(5)
    size = len(text_corpus().tokeniser)
    given = {"width": 8, "heads": 2, "decoder_layers": 2, "context": 16, "dropout": Dropout(dropout)} | changes
    return DecoderOnly(Config(vocabulary=size, **given))


def encoder_decoder(dropout: float = 0.0) -> EncoderDecoder:
    """A translator for `pairs_corpus`, drawn from a fixed seed."""
    torch.manual_seed(6)
    size = len(pairs_corpus().tokeniser)
    config = Config(
        vocabulary=size, width=8, heads=2, encoder_layers=1, decoder_layers=1, context=16, dropout=Dropout(dropout)
    )
    return EncoderDecoder(config)


def windows(rows: int = 6, seed: int | None = 3) -> BatchOrder:
    """Drawn windows of 16 characters."""
    return BatchOrder(Windows(text_corpus(), 16), rows=rows, seed=seed)


def pairs(tokens: int = 24, seed: int | None = 3) -> BatchOrder:
    """Batches of unequal sentence pairs."""
    return BatchOrder(Pairs(pairs_corpus()), tokens=tokens, seed=seed)


def trainer(dropout: float = 0.2, batches: BatchOrder | None = None, **changes: Any) -> Trainer:
    """A decoder in training, with everything on that must be resumed."""
    given: dict[str, Any] = {"schedule": Constant(peak=0.01, warmup=5), "average": 0.9, "smoothing": 0.1} | changes
    return Trainer(Objective(decoder(dropout), given["smoothing"]), batches or windows(), Settings(**given))


def run_directory(path: Path) -> RunDirectory:
    """A run directory for `trainer`."""
    with RunDirectory.creating(path) as folder:
        run = RunDirectory(folder, Description(task="lm", model=decoder(0.2).config.to_dict()))
        run.save_tokenisers(text_corpus().tokeniser)
        run.write_description()
    return RunDirectory.open(path)


def weights(given: Trainer) -> dict[str, np.ndarray[Any, Any]]:
    """Copies of its weights."""
    return {name: tensor.detach().numpy().copy() for name, tensor in given.objective.model.named_parameters()}
