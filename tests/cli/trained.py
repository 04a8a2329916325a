"""Tiny trained models as folders, made with random weights large enough that no two words score alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch

from workings.text import Tokeniser
from workings.training.run_directory import Description, RunDirectory
from workings.transformer import Config, Learned, SeparateOutput, build

TEXT = "to be or not to be, that is the question\nwhether it is nobler in the mind to suffer\n"
SOURCE = ["a man rides a horse", "a dog runs", "the horse is red"]
TARGET = ["ein mann reitet ein pferd", "ein hund rennt", "das pferd ist rot"]
LABELS = ("bad", "good", "mixed")


def save_run(
    path: Path,
    task: str,
    config: Config,
    tokeniser: Tokeniser,
    target: Tokeniser | None = None,
    labels: tuple[str, ...] = (),
    raised: Mapping[int, float] | None = None,
) -> Path:
    """A run directory whose model has random weights; its output's bias is raised for some tokens."""
    torch.manual_seed(4)
    model = build(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        for token, more in (raised or {}).items():
            model.output_bias[token] = more
    with RunDirectory.creating(path) as folder:
        run = RunDirectory(folder, Description(task=task, model=config.to_dict(), labels=labels))
        run.save_tokenisers(tokeniser, target)
        run.write_description()
        run.save_best(model.state_dict(), {"step": 1, "loss": 1.0})
        run.metrics.append("step", 1, loss=3.0, accuracy=0.25)
        run.metrics.append("step", 2, loss=2.0, accuracy=0.5)
        run.metrics.append("validation", 2, loss=2.5, accuracy=0.5, tokens=10, best=True)
    return path


def language_run(path: Path) -> Path:
    """Continues `TEXT`, by characters; it has 32 learned positions."""
    tokeniser = Tokeniser.train("character", [TEXT], spelled=False)
    config = Config(vocabulary=len(tokeniser), width=16, heads=2, decoder_layers=2, context=32, positions=Learned())
    return save_run(path, "lm", config, tokeniser)


def endless_run(path: Path, favoured: tuple[str, ...] = ()) -> Path:
    """The same with rotary positions, which do not end; `favoured` special tokens are by far its likeliest ones."""
    tokeniser = Tokeniser.train("character", [TEXT], spelled=False)
    config = Config(
        vocabulary=len(tokeniser), width=16, heads=2, decoder_layers=1, output=SeparateOutput(bias=bool(favoured))
    )
    raised = {getattr(tokeniser, name): 20.0 for name in favoured}
    return save_run(path, "lm", config, tokeniser, raised=raised)


def translation_run(path: Path) -> Path:
    """Translates words of `SOURCE` to words of `TARGET`, with a tokeniser for each; it has 12 learned positions."""
    source, target = Tokeniser.train("word", SOURCE), Tokeniser.train("word", TARGET)
    config = Config(
        vocabulary=len(target), source_vocabulary=len(source), width=16, heads=2, encoder_layers=1, decoder_layers=1,
        context=12, positions=Learned(),
    )  # fmt: skip
    return save_run(path, "translate", config, source, target)


def classification_run(path: Path) -> Path:
    """Labels texts made of the words of `SOURCE`; it has 12 learned positions."""
    tokeniser = Tokeniser.train("word", SOURCE)
    config = Config(
        vocabulary=len(tokeniser), width=16, heads=2, encoder_layers=1, classes=3, context=12, positions=Learned()
    )
    return save_run(path, "classify", config, tokeniser, labels=LABELS)


def endless_classifier(path: Path, context: int) -> Path:
    """Labels texts of any length."""
    tokeniser = Tokeniser.train("word", SOURCE)
    config = Config(vocabulary=len(tokeniser), width=16, heads=2, encoder_layers=1, classes=3, context=context)
    return save_run(path, "classify", config, tokeniser, labels=LABELS)


def endless_translator(path: Path, context: int) -> Path:
    """Translates texts of any length."""
    tokeniser = Tokeniser.train("word", SOURCE + TARGET)
    config = Config(vocabulary=len(tokeniser), width=16, heads=2, encoder_layers=1, decoder_layers=1, context=context)
    return save_run(path, "translate", config, tokeniser)


WORDS = ("king", "queen", "man", "woman", "apple", "the")
VECTORS = [[3.0, 1.0, 0.0], [3.0, -1.0, 0.1], [0.2, 1.0, 0.0], [0.2, -1.0, 0.0], [0.0, 0.1, 2.0], [0.1, 0.1, -2.0]]


def embeddings_run(path: Path) -> Path:
    """Six words with vectors in three dimensions."""
    tokeniser = Tokeniser.train("word", [" ".join(WORDS)])
    tokens = [tokeniser.find(word) for word in WORDS]
    vectors = torch.tensor(VECTORS)
    with RunDirectory.creating(path) as folder:
        run = RunDirectory(folder, Description(task="embeddings", model={"width": 3}))
        run.save_tokenisers(tokeniser)
        run.write_description()
        run.save_best({"centres": vectors, "neighbours": vectors + 1, "tokens": torch.tensor(tokens)}, {"step": 1})
    return path
