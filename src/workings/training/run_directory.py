"""The folder of one training: what is needed to use the model, to go on, and to see how it went.

    config.json          the task, the model's config, the run file as it was last read
    tokeniser/           and target_tokeniser/ where the target has its own
    model.safetensors    the weights that validated best (the last ones, where nothing is validated)
    state.safetensors    the last state, with which the training goes on
    metrics.jsonl        the course of the training

Each file is written whole or not at all, and the folder appears when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, final

from torch import Tensor, nn

from workings.text.tokenisers import Tokeniser
from workings.training.errors import TrainingError, why
from workings.training.metrics import Metrics, read_metrics
from workings.training.tensor_file import read_tensors, sync, write_tensors, write_text
from workings.transformer.config import Config
from workings.transformer.models import Model, build
from workings.wording import near

FORMAT = 1
_CONFIG, _BEST, _LAST, _METRICS = "config.json", "model.safetensors", "state.safetensors", "metrics.jsonl"
_SOURCE, _TARGET = "tokeniser", "target_tokeniser"
WEIGHTS = "weights/"
"""What the names of the weights begin with in the state."""
AVERAGES = "average/"


@dataclass(frozen=True, kw_only=True)
class Description:
    """What config.json says.

    `model` is `Config.to_dict()`, but for embeddings, where it is their vocabulary and width. `configuration` is the
    run file with its defaults. `labels` are a classifier's classes in order.
    """

    task: str
    model: dict[str, Any]
    configuration: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


@final
class RunDirectory:
    """One such folder; `open` it, or `create` it."""

    def __init__(self, path: Path, description: Description) -> None:
        self.path = path
        self.description = description
        self.metrics = Metrics(path / _METRICS)

    @property
    def name(self) -> str:
        """What it is called: the last part of its path."""
        return self.path.resolve().name

    @classmethod
    def open(cls, path: Path | str) -> RunDirectory:
        """A folder that a training has made.

        Raises:
            TrainingError: there is none, it is incomplete or damaged, or a later version wrote it.
        """
        path = Path(path)
        if not path.is_dir():
            beside = [f.name for f in path.parent.iterdir() if f.is_dir()] if path.parent.is_dir() else []
            hint = near(path.name, beside, "name the folder that `workings train` made")
            raise TrainingError("there is no such folder", "the folder of a training", hint, where=path)
        description = _described(path / _CONFIG)
        if not (path / _SOURCE).is_dir():
            raise TrainingError("its tokeniser is missing", "a folder with one", "train again", where=path / _SOURCE)
        return cls(path, description)

    @classmethod
    def exists(cls, path: Path | str) -> bool:
        """Whether a training stands there, whole or not."""
        return (Path(path) / _CONFIG).exists()

    @classmethod
    @contextmanager
    def creating(cls, path: Path | str, *, replace: bool = False) -> Iterator[Path]:
        """A folder beside, to be filled; it becomes the run directory when all has gone well.

        Raises:
            TrainingError: there is one already (unless it is to be replaced), or the folder cannot be made.
        """
        path = Path(path)
        _check_free(path, replace)
        with _alone(path) if cls.exists(path) else nullcontext(), cls._filling(path) as beside:
            yield beside

    @classmethod
    @contextmanager
    def _filling(cls, path: Path) -> Iterator[Path]:
        beside = path.with_name(f".{path.name}.part")
        try:
            if beside.exists():
                shutil.rmtree(beside)
            beside.mkdir(parents=True)
        except OSError as error:
            raise TrainingError(f"the folder cannot be made: {why(error)}", where=path) from error
        try:
            yield beside
            sync(beside)
            _move(beside, path)
        except OSError as error:
            raise TrainingError(f"the folder cannot be written: {why(error)}", where=path) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def write_description(self) -> None:
        """Write config.json, at the end of what makes the folder."""
        from workings import __version__

        sums = {name: _sum_of(self.path / name) for name in (_SOURCE, _TARGET) if (self.path / name).is_dir()}
        content = {"format": FORMAT, "workings": __version__, **asdict(self.description), "tokenisers": sums}
        write_text(self.path / _CONFIG, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    def describe_again(self, configuration: dict[str, Any]) -> None:
        """Write down with which run file the training goes on: some of its keys may be others than before."""
        self.description = replace(self.description, configuration=configuration)
        self.write_description()

    def save_tokenisers(self, source: Tokeniser, target: Tokeniser | None = None) -> None:
        """Write the tokeniser, and the target's where it is another."""
        source.save(self.path / _SOURCE)
        if target is not None and target is not source:
            target.save(self.path / _TARGET)

    def tokeniser(self) -> Tokeniser:
        """How text, or the source, is cut.

        Raises:
            TrainingError: it is not the one that the model was trained with.
        """
        return self._tokeniser(_SOURCE)

    def target_tokeniser(self) -> Tokeniser:
        """How the target is cut: the same, unless it has its own."""
        return self._tokeniser(_TARGET if (self.path / _TARGET).is_dir() else _SOURCE)

    def _tokeniser(self, name: str) -> Tokeniser:
        sums = json.loads((self.path / _CONFIG).read_text("utf-8")).get("tokenisers", {})
        if isinstance(sums, dict) and sums.get(name, "") not in ("", _sum_of(self.path / name)):
            found = "this is not the tokeniser that the model was trained with"
            raise TrainingError(found, hint="the run directory is damaged", where=self.path / name)
        return Tokeniser.load(self.path / name)

    def model(self, which: Literal["best", "last"] = "best") -> Model:
        """The trained model, ready to be used, with its best weights or the last.

        Raises:
            TrainingError: nothing was saved yet, or the files are damaged or belong to another model.
        """
        if self.description.task == "embeddings":
            raise TrainingError("this run has embeddings and no transformer", "a run of another task", where=self.path)
        try:
            model = build(Config.from_dict(self.description.model))
        except ValueError as error:
            raise TrainingError(f"model: {error}", hint="the file is damaged", where=self.path / _CONFIG) from None
        load_weights(model, self.weights(which), self.path)
        return model.eval()

    def weights(self, which: Literal["best", "last"] = "best") -> dict[str, Tensor]:
        """The saved weights by their names; the last ones are the averaged ones where an average is kept."""
        if which == "best" and (self.path / _BEST).exists():
            return read_tensors(self.path / _BEST)[0]
        if not self.has_state():
            raise TrainingError("no weights were saved yet", "a training that has begun", where=self.path)
        tensors = read_tensors(self.path / _LAST)[0]
        found: dict[str, Tensor] = {}
        for prefix in (WEIGHTS, AVERAGES):
            found |= {n.removeprefix(prefix): tensor for n, tensor in tensors.items() if n.startswith(prefix)}
        return found

    def save_best(self, weights: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """Keep these weights as the best so far."""
        write_tensors(self.path / _BEST, weights, about)

    def about_best(self) -> dict[str, Any]:
        """What was said about the best weights: at which step, with which loss."""
        return read_tensors(self.path / _BEST)[1]

    def save_state(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """Keep this as the state to go on from; the metrics up to here are on the disk before it."""
        self.metrics.sync()
        write_tensors(self.path / _LAST, tensors, about)

    def has_state(self) -> bool:
        """Whether there is a state to go on from."""
        return (self.path / _LAST).exists()

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The state to go on from; None where none was saved yet."""
        return read_tensors(self.path / _LAST) if self.has_state() else None

    def reached(self) -> int:
        """The last step of which anything is written in the metrics; 0 where there are none."""
        if not self.metrics.path.exists():
            return 0
        return max((line["step"] for line in self.read_metrics() if isinstance(line.get("step"), int)), default=0)

    def read_metrics(self) -> list[dict[str, Any]]:
        """The lines of metrics.jsonl."""
        return read_metrics(self.path / _METRICS)

    def alone(self) -> AbstractContextManager[None]:
        """While this is held, no other training may write here."""
        return _alone(self.path)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # not on this system: nobody is kept out
        yield
        return
    with (path / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            hint = "wait for it, or stop it"
            raise TrainingError("another training is writing there", hint=hint, where=path) from None
        except OSError:  # the file system has no locks
            pass
        yield


def load_weights(model: nn.Module, weights: Mapping[str, Tensor], where: Path) -> None:
    """Copy weights into a model that has exactly these.

    Raises:
        TrainingError: a name or shape that does not fit.
    """
    own = model.state_dict()
    for name in sorted({*own, *weights}):
        if name not in own or name not in weights:
            found = f"the weight {name!r} is {'missing' if name in own else 'unknown'}"
            raise TrainingError(found, "the weights of this config", "the run directory is damaged", where=where)
        if own[name].shape != weights[name].shape:
            found = f"the weight {name!r} has the shape {tuple(weights[name].shape)}"
            raise TrainingError(found, str(tuple(own[name].shape)), "the run directory is damaged", where=where)
    model.load_state_dict(dict(weights))


def _sum_of(folder: Path) -> str:
    """A sum over the names and contents of a folder's files."""
    found = hashlib.sha256()
    for file in sorted(file for file in folder.iterdir() if file.is_file()):
        found.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def _check_free(path: Path, replace: bool) -> None:
    if RunDirectory.exists(path) and not replace:
        hint = "go on with it (--resume), name another folder (-o), or put the new one in its place (--replace)"
        raise TrainingError("there is already a training", "a folder that does not exist", hint, where=path)
    if path.exists() and not RunDirectory.exists(path) and (not path.is_dir() or any(path.iterdir())):
        raise TrainingError("there is already something else", "a folder that does not exist", where=path)


def _move(new: Path, path: Path) -> None:
    """Put a complete folder in its place. The one it replaces goes afterwards."""
    old = path.with_name(f".{path.name}.old")
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
        path.rename(old)
    new.rename(path)
    sync(path.parent)
    shutil.rmtree(old, ignore_errors=True)


def _described(path: Path) -> Description:
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        hint = "name the folder that `workings train` made"
        raise TrainingError(
            "this folder holds no training: config.json is missing", hint=hint, where=path.parent
        ) from None
    except OSError as error:
        raise TrainingError(f"it cannot be read: {why(error)}", where=path) from None
    except (ValueError, RecursionError) as error:
        raise TrainingError(f"the file is damaged: {str(error).lower()}", hint="train again", where=path) from None
    form = content.get("format") if isinstance(content, dict) else None
    if isinstance(form, int) and form != FORMAT:
        found = f"a training of format {form}"
        raise TrainingError(found, f"format {FORMAT}", "use the version of workings that wrote it", where=path)
    try:
        if form != FORMAT:
            raise KeyError("format")
        return Description(
            task=str(content["task"]),
            model=dict(content["model"]),
            configuration=dict(content["configuration"]),
            labels=tuple(map(str, content["labels"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TrainingError(
            f"the file is damaged ({error})", "what a training writes", "train again", where=path
        ) from None
