"""Trained models as a command names them: the folder of a training, or a model that ships with Workings."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, final

from workings.commands.problems import UserError, say
from workings.wording import counted

if TYPE_CHECKING:
    from workings.generation.fast import Weights
    from workings.text import Tokeniser
    from workings.training.run_directory import RunDirectory
    from workings.transformer import DecoderOnly, EncoderDecoder, EncoderOnly

SHIPPED = Path(__file__).parents[1] / "models"
"""A folder for each model that ships."""
RUN_HELP = "the folder of a training, or the name of a model that ships with Workings"
_NEEDED = ("torch", "tokenizers", "safetensors")

# What a run of a shape is, and what can be done with it.
_KINDS = {
    "encoder-decoder": ("an encoder-decoder, which reads one text and writes another", 'translate {} "..."'),
    "decoder-only": ("a language model, which continues a text", 'generate {} "..."'),
    "encoder-only": ("an encoder, which reads a text and labels it", 'classify {} "..."'),
    "embeddings": ("embeddings of words, without a transformer", "near {} WORD"),
}


class Translator(NamedTuple):
    """An encoder-decoder with how its source and its target are cut."""

    model: EncoderDecoder
    source: Tokeniser
    target: Tokeniser

    def quick(self, weights: Weights, rows: int) -> Translator:
        """The same, laid out for writing so many rows at once."""
        from workings.generation import quicken

        return self._replace(model=quicken(self.model, weights, rows))


class LanguageModel(NamedTuple):
    """A decoder-only model with how its text is cut."""

    model: DecoderOnly
    tokeniser: Tokeniser

    def quick(self, weights: Weights, rows: int) -> LanguageModel:
        """The same, laid out for writing so many rows at once."""
        from workings.generation import quicken

        return self._replace(model=quicken(self.model, weights, rows))


class Classifier(NamedTuple):
    """An encoder-only model with how its text is cut and what its classes are called."""

    model: EncoderOnly
    tokeniser: Tokeniser
    labels: tuple[str, ...]


def shipped_names() -> list[str]:
    """The models that ship."""
    return sorted(config.parent.name for config in SHIPPED.glob("*/config.json"))


def is_run(name: str) -> bool:
    """Whether this is a folder with a training, whole or not, or a model that ships. Loads nothing."""
    path = Path(name)
    if path.is_dir():
        return (path / "config.json").exists() or (path / "metrics.jsonl").exists()
    return name in shipped_names()


def check_installed(*also: str) -> None:
    """Raise UserError unless all that trained models need is installed."""
    from importlib.util import find_spec

    missing = [package for package in (*_NEEDED, *also) if find_spec(package) is None]
    if missing:
        found = f"{' and '.join(missing)} cannot be imported, which trained models need"
        raise UserError(found, "", "install what is needed with: pip install 'workings[torch]'")


def open_run(name: str) -> RunDirectory:
    """The training in a folder, or the model that ships under a name; a folder comes first.

    Raises UserError where there is neither, and TrainingError for a folder that holds no whole training.
    """
    check_installed()
    from workings.training.run_directory import RunDirectory

    path = Path(name)
    if path.is_dir():
        return RunDirectory.open(path)
    if name in shipped_names():
        return RunDirectory.open(SHIPPED / name)
    if path.exists():
        hint = f"train it first: workings train {name}" if path.suffix == ".toml" else "name the folder itself"
        raise UserError(f"{name}: this is a file", "the folder of a training", hint)
    raise UserError(f"{name}: there is no such training", "the folder of one", _near(path))


def _near(path: Path) -> str:
    """Trainings with nearly that name, beside where it was looked for, and the models that ship."""
    folder, ship = path.parent, shipped_names()
    beside = [str(config.parent) for config in folder.glob("*/config.json")] if folder.is_dir() else []
    close = difflib.get_close_matches(str(path), [*beside, *ship], 2, 0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    ships = f", or one that ships: {', '.join(ship)}" if ship else ""
    return f"name the folder that `workings train` made{ships}"


def shape_of(run: RunDirectory) -> str:
    """What kind of model a run has: a Config's shape, or "embeddings"."""
    if run.description.task == "embeddings":
        return "embeddings"
    from workings.training.errors import TrainingError
    from workings.transformer import Config

    try:
        return Config.from_dict(run.description.model).shape
    except ValueError as error:
        where = run.path / "config.json"
        raise TrainingError(f"model: {error}", hint="the file is damaged; train again", where=where) from None


def _check_shape(name: str, run: RunDirectory, wanted: str) -> None:
    """Raise UserError for a run of another kind, with what can be done with it."""
    found = shape_of(run)
    if found != wanted:
        what, verb = _KINDS[found]
        raise UserError(f"{name}: this is {what}", _KINDS[wanted][0], f"try: workings {verb.format(name)}")


def translator(name: str) -> Translator:
    """A run that translates."""
    from workings.transformer import EncoderDecoder

    run = open_run(name)
    _check_shape(name, run, EncoderDecoder.shape)
    model = run.model()
    assert isinstance(model, EncoderDecoder)
    return Translator(model, run.tokeniser(), run.target_tokeniser())


def language_model(name: str) -> LanguageModel:
    """A run that continues texts."""
    from workings.transformer import DecoderOnly

    run = open_run(name)
    _check_shape(name, run, DecoderOnly.shape)
    model = run.model()
    assert isinstance(model, DecoderOnly)
    return LanguageModel(model, run.tokeniser())


def classifier(name: str) -> Classifier:
    """A run that labels texts."""
    from workings.transformer import EncoderOnly

    run = open_run(name)
    _check_shape(name, run, EncoderOnly.shape)
    model = run.model()
    assert isinstance(model, EncoderOnly)
    if model.config.classes != len(run.description.labels):
        found = f"{name}: the model has {model.config.classes or 'no'} classes, and {len(run.description.labels)} names"
        raise UserError(found, "a name for each class", "train it as a classifier")
    return Classifier(model, run.tokeniser(), run.description.labels)


def check_fits(tokens: Sequence[int], model: DecoderOnly | EncoderOnly | EncoderDecoder, where: str = "") -> None:
    """Raise UserError for a text with more tokens than the model has positions."""
    from workings.generation.rows import most_tokens

    most = most_tokens(model.config)
    if most is not None and len(tokens) > most:
        found = f"the text is {counted(len(tokens), 'token')} long"
        hint = "shorten it, or part it"
        raise UserError(found, f"at most {most:,}, as many as the model has positions", hint, where=where)


@final
class Lengths:
    """Checks texts one by one, and counts those that are longer than what the model was trained on."""

    def __init__(self, model: DecoderOnly | EncoderOnly | EncoderDecoder) -> None:
        self.model, self.beyond = model, 0

    def check(self, tokens: Sequence[int], where: str) -> None:
        """Raise UserError for a text with more tokens than the model has positions."""
        check_fits(tokens, self.model, where)
        self.beyond += len(tokens) > self.model.config.context

    def say(self) -> None:
        """Say how many were too long, and what was done with them."""
        if self.beyond:
            found = f"{counted(self.beyond, 'text')} longer than the {self.model.config.context:,} tokens"
            say(f"workings: {found} that the model was trained on at once, read whole; the result may be worse")


def room_for(model: DecoderOnly | EncoderDecoder, length: int, rows: int) -> int:
    """So many tokens, or as many as the model has positions for.

    Raises UserError where their keys and values need more memory than there is.
    """
    from workings.generation.rows import most_tokens
    from workings.training.memory import available, said_bytes
    from workings.transformer import cost_of

    longest = min(length, most_tokens(model.config) or length)
    weight = model.embedding.weight
    needed, held = rows * weight.element_size() * cost_of(model.config, longest, 1).cached, available(weight.device)
    if held is not None and needed > held:
        found = f"{counted(length, 'token')} need {said_bytes(needed)} for their keys and values"
        raise UserError(found, f"at most {said_bytes(held)}, which are free", "give a smaller --length")
    return longest
