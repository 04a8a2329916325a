"""The run file: TOML that says what to train, on what, how large and how long.

PyTorch is not needed to read one, or to write a template.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from workings.training.defaults import DEFAULTS
from workings.training.errors import TrainingError, why
from workings.training.expectations import choices, said, table_at
from workings.training.schedules import Constant, Cosine, InverseSquareRoot, Schedule
from workings.training.tables import (
    KINDS,
    SHAPES,
    TASKS,
    Classify,
    Configuration,
    Copy,
    Embeddings,
    LanguageModel,
    Task,
    Training,
    Translate,
)
from workings.transformer.config import Config
from workings.wording import near

__all__ = [  # noqa: RUF022 - what is done with run files, then what they are
    "read_configuration", "configured", "template", "schedule_of", "difference",
    "TASKS", "Task", "Configuration", "Classify", "Copy", "Embeddings", "Training",
]  # fmt: skip

_ADAPTER: TypeAdapter[Configuration] = TypeAdapter(Annotated[Configuration, Field(discriminator="task")])

_COURSE = "steps minutes validate_every validation_batches save_every report_every patience"
FREE = {("run",), *(("training", key) for key in f"{_COURSE} preflight sharded tensorboard".split())}
"""What may be another when a training is resumed: it does not change the steps themselves."""


def read_configuration(path: Path | str) -> Configuration:
    """A run file, with its task's defaults for what it leaves out.

    Raises:
        TrainingError: naming file, line and key, what was found, what was expected, and a near name.
    """
    path = Path(path)
    text = _text(path)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        hint = "put texts in quotes and close every bracket"
        raise TrainingError(f"this is not TOML ({str(error).lower()})", "key = value", hint, where=path) from None
    return configured(data, str(path), text)


def configured(data: dict[str, Any], file: str = "the run", text: str = "") -> Configuration:
    """The same from plain data.

    Args:
        data: what the file holds.
        file: how messages call it.
        text: the file itself, in which the lines of keys are found.
    """
    task = data.get("task")
    if not isinstance(task, str) or task not in KINDS:
        found = f"task is {task!r}" if "task" in data else "the key 'task' is missing"
        hint = near(str(task), TASKS) or _misspelt("task", data)
        raise TrainingError(found, " or ".join(map(repr, TASKS)), hint, where=_where(file, text, ["task"]))
    filled = _with_defaults(data)
    try:
        configuration = _ADAPTER.validate_python(filled)
    except ValidationError as error:
        raise _complaint(error, KINDS[task], filled, file, text) from None
    batches = None if isinstance(configuration, Embeddings) else configuration.batches
    if batches is not None and (batches.tokens is None) == (batches.rows is None):
        has = "tokens and rows" if batches.tokens else "neither tokens nor rows"
        raise TrainingError(f"batches has {has}", "one of them", where=_where(file, text, ["batches", ""]))
    if not isinstance(configuration, Embeddings):
        _check_model(configuration, file, text)
    return configuration


def schedule_of(training: Training, width: int) -> Schedule:
    """The schedule that a run file chooses; without a rate, the paper's for this width."""
    rate, warmup = training.rate, training.warmup
    if rate is None:
        rate = InverseSquareRoot.paper(width, max(1, warmup)).peak
    match training.schedule:
        case "inverse-square-root":
            return InverseSquareRoot(peak=rate, warmup=warmup)
        case "cosine":
            return Cosine(peak=rate, warmup=warmup, steps=training.steps, floor=training.floor)
        case "constant":
            return Constant(peak=rate, warmup=warmup)


def difference(before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """The first key that is another in two configurations and may not be, when one resumes the other; else None."""
    keys = [(table, key) for table in {**before, **now} for key in _keys(before.get(table)) | _keys(now.get(table))]
    free = FREE - {("training", "steps")} if _is_cosine(before) else FREE
    for table, key in sorted(keys):
        path = (table,) if key == "" else (table, key)
        one, other = (_value(data, path) for data in (before, now))
        if one != other and path not in free:
            return f"{'.'.join(path)} was {_shown(one)} and is {_shown(other)}"
    return None


def template(task: Task) -> str:
    """A commented run file to start from."""
    return (Path(__file__).parent / "templates" / f"{task}.toml").read_text("utf-8")


def _check_model(configuration: Translate | LanguageModel | Classify | Copy, file: str, text: str) -> None:
    """See that the table [model] makes a model of the task's kind, as far as that does not depend on the data.

    Raises:
        TrainingError: a key that does not exist or follows from the data, sizes that do not go together.
    """
    table, shape = configuration.model, SHAPES[configuration.task]
    own = {"vocabulary": 1} | ({"classes": 2} if shape == "encoder-only" else {})
    for key in (*own, "source_vocabulary"):
        if key in table:
            where = _where(file, text, ["model", key])
            raise TrainingError(f"model.{key} is given", "it to be left out", "it follows from the data", where=where)
    try:
        found = Config.from_dict({**own, **table}).shape
    except ValueError as error:
        named = re.match(r"\w*", str(error))
        where = _where(file, text, ["model", named[0] if named else ""])
        raise TrainingError(f"[model] {error}", where=where) from None
    if found != shape:
        layers = " and ".join(f"{name} {table.get(name, 0)}" for name in ("encoder_layers", "decoder_layers"))
        expected, where = f"{shape}, for the task {configuration.task}", _where(file, text, ["model", ""])
        raise TrainingError(f"[model] {layers} make it {found}", expected, where=where)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is not UTF-8"
        raise TrainingError(found, "a text file in UTF-8", "save it with that encoding", where=path) from None
    except OSError as error:
        beside = [file.name for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        hint = near(path.name, beside) or "write one with `workings new translate FILE`"
        raise TrainingError(f"it cannot be read: {why(error)}", "a run file", hint, where=path) from None


def _with_defaults(data: dict[str, Any]) -> dict[str, Any]:
    """The file's tables, filled up with the task's defaults. A size of batches replaces the other size."""
    filled = dict(data)
    for table, defaults in DEFAULTS[data["task"]].items():
        given = data.get(table, {})
        if isinstance(given, dict):
            keep = {} if table == "batches" and given else defaults
            filled[table] = {**keep, **given}
    return filled


def _complaint(
    error: ValidationError, kind: type[BaseModel], data: dict[str, Any], file: str, text: str
) -> TrainingError:
    """The first thing that is wrong, as the user can mend it."""
    first = error.errors()[0]
    # The first part is the task; an entry of a list is said by the list.
    place = [part for part in first["loc"] if isinstance(part, str)][1:]
    name, where = ".".join(place), _where(file, text, place)
    table = table_at(kind, place[:-1])
    known = {} if table is None else table.model_fields
    if place[-1] not in known:
        hint = near(place[-1], known, f"known here: {', '.join(known)}")
        return TrainingError(f"there is no key {name}", hint=hint, where=where)
    if first["type"] == "missing":
        beside = _value(data, tuple(place[:-1]))
        return TrainingError(f"the key {name} is missing", hint=_misspelt(place[-1], beside), where=where)
    found, field = _value(data, tuple(place)), known[place[-1]]
    hint = near(found, choices(field)) if isinstance(found, str) else ""
    return TrainingError(f"{name} is {_shown(found)}", said(field), hint, where=where)


def _misspelt(key: str, table: dict[str, Any]) -> str:
    close = near(key, table)
    return close.replace("did you mean", "is it written as") if close else f"add {key} = ..."


def _where(file: str, text: str, place: list[str]) -> str:
    line = _line(text, place)
    return f"{file}, line {line}" if line else file


def _line(text: str, place: list[str]) -> int:
    """The line of a key, from 1, or of its table; 0 where neither is found."""
    table, best = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = header[1]
            if table == ".".join(place):
                return number
            best = number if table == ".".join(place[:-1]) and not best else best
        elif (key := re.match(r"\s*([\w.-]+)\s*=", line)) and f"{table}.{key[1]}".strip(".") == ".".join(place):
            return number
    return best


def _keys(table: Any) -> set[str]:
    return set(table) if isinstance(table, dict) else {""}


def _value(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _is_cosine(data: dict[str, Any]) -> bool:
    return bool(_value(data, ("training", "schedule")) == "cosine")


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"
