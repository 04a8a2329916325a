"""A Working in one file: a zip archive with JSON for the structure and NumPy's own format for arrays.

Nothing in it is code: there is no pickle, and a file can only name functions that compute and touch nothing else.
Tensors are kept as arrays, so that a Working of PyTorch code can be read where there is no PyTorch: its numbers, names,
labels and arithmetic are all there, and what only PyTorch could run again stands frozen at its recorded value. Where
PyTorch has been imported before the file is read, they are tensors again and a replay runs.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from workings.recording.evaluation import NotRecorded
from workings.recording.operations.functions import BY_NAME
from workings.recording.plain_data import Reader, SavedFileError, Writer, holds_unsaved
from workings.recording.working import Binding, Group, Guard, Loss, Question, Site, Source, Step, Turn, Working

VERSION = 1
_MEMBER = "working.json"
_LIMIT = 4 * 2**30  # bytes of one array when unpacked: a small file cannot ask for more memory than that
_KEYS = {
    "workings", "source", "sites", "groups", "steps", "bindings", "guards", "turns", "lost", "conventions", "decimals",
    "changed", "axis_labels", "notes", "questions", "varying", "printed", "argument_parts", "result_parts", "result",
}  # fmt: skip
# Opaque functions that a file may name: packages of functions that return numbers for numbers and do nothing else.
_COMPUTING = (
    "numpy.linalg.",
    "numpy.fft.",
    "math.",
    "cmath.",
    "statistics.",
    "scipy.special.",
    "scipy.linalg.",
    "scipy.fft.",
)


def save(working: Working, path: Path) -> None:
    """Write a Working to one file, whole or not at all. Values that were not kept are computed again where possible."""
    if path.is_dir():
        raise ValueError(f"{path}: this is a folder; expected the name of a file, such as {path / 'working.wk'}")
    if not path.resolve().parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.resolve().parent}; make it first")
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.resolve().parent)
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            writer = Writer(lambda name, array: _write_array(archive, name, array))
            archive.writestr(_MEMBER, json.dumps(_document(working, writer), ensure_ascii=False, allow_nan=False))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def load(path: Path) -> Working:
    """Read a Working. Raises :class:`SavedFileError` for a file that is not one, or that this version does not know."""
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(archive.read(_MEMBER))
            _check(document, path)
            return _working(document, Reader(lambda name: _read_array(archive, name)))
    except FileNotFoundError:
        raise SavedFileError(f"{path}: there is no such file; expected a saved Working") from None
    except IsADirectoryError:
        raise SavedFileError(f"{path}: this is a folder; expected a saved Working, which is one file") from None
    except SavedFileError as error:
        raise SavedFileError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None
    except (zipfile.BadZipFile, UnicodeDecodeError, json.JSONDecodeError, EOFError, OSError) as error:
        raise SavedFileError(f"{path}: this is not a saved Working, or it is damaged ({error})") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise SavedFileError(f"{path}: the file is damaged: {type(error).__name__}: {error}") from None


def _check(document: Any, path: Path) -> None:
    version = document.get("workings") if isinstance(document, dict) else None
    if version != VERSION:
        raise SavedFileError(
            f"{path}: found version {version!r} of the format; expected {VERSION}; use the Workings that wrote it"
        )
    unknown, missing = set(document) - _KEYS, _KEYS - set(document)
    if unknown or missing:
        what = f"unknown keys {sorted(unknown)}" if unknown else f"no {sorted(missing)}"
        raise SavedFileError(f"{path}: found {what}; expected what version {VERSION} has")


def _write_array(archive: zipfile.ZipFile, name: str, array: np.ndarray[Any, Any]) -> None:
    out = io.BytesIO()
    npy.write_array(out, array, allow_pickle=False)
    archive.writestr(name, out.getvalue(), zipfile.ZIP_STORED)  # the digits of computed numbers hardly shrink


def _read_array(archive: zipfile.ZipFile, name: str) -> np.ndarray[Any, Any]:
    if archive.getinfo(name).file_size > _LIMIT:
        raise SavedFileError(f"{name} is larger than {_LIMIT >> 30} GB")
    with archive.open(name) as file:
        array: np.ndarray[Any, Any] = npy.read_array(file, allow_pickle=False)
    return array


# -- writing ----------------------------------------------------------------------------------------------------------


def _document(working: Working, writer: Writer) -> dict[str, Any]:
    origin = working.source
    sites: dict[Site, int] = {}

    def site(found: Site | None) -> int | None:
        return None if found is None else sites.setdefault(found, len(sites))

    document: dict[str, Any] = {
        "workings": VERSION,
        "source": {
            "kind": origin.kind,
            "name": origin.name,
            "file": origin.file,
            "text": origin.text,
            "error": origin.error,
        },
        "groups": [
            [g.number, g.parent, g.name, g.kind, g.statement, g.title, g.equation, g.section, site(g.site), g.detail]
            for g in working.groups
        ],
        "steps": [_step(working, step, writer, site(step.site)) for step in working.steps],
        "bindings": [[b.group, b.name, writer.ref(b.ref), b.statement, site(b.site)] for b in working.bindings],
        "guards": [
            [writer.ref(g.ref), writer.write(g.value), site(g.site), g.reason, writer.write(g.only)]
            for g in working.guards
        ],
        "turns": [[t.group, t.statement, site(t.site)] for t in working.turns],
        "lost": [[loss.kind, loss.what, loss.step, site(loss.site)] for loss in working.lost],
        "conventions": working.conventions,
        "decimals": working.decimals,
        "changed": [[step, writer.write(places)] for step, places in working.changed.items()],
        "axis_labels": [[step, labels] for step, labels in working.axis_labels.items()],
        "notes": working.notes,
        "questions": [
            [q.ask, writer.ref(q.at), [[writer.ref(ref), writer.write(new)] for ref, new in q.changes]]
            for q in working.questions
        ],
        "varying": sorted(working.varying),
        "printed": working.printed,
        "argument_parts": writer.write(working.argument_parts),
        "result_parts": writer.write(working.result_parts),
        "result": writer.write(working.result),
    }
    document["sites"] = [[s.file, s.line, s.text, s.comment, list(s.targets), s.end] for s in sites]
    return document


def _step(working: Working, step: Step, writer: Writer, site: int | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "operation": step.operation,
        "function": step.function,
        "inputs": [writer.ref(r) for r in step.inputs],
        "arguments": writer.write(list(step.arguments)),
        "keywords": writer.write(step.keywords),
        "group": step.group,
        "statement": step.statement,
        "site": site,
        "shape": list(step.shape),
        "dtype": step.dtype,
    }
    if step.output is not None:
        entry["output"] = step.output
    entry |= {key: getattr(step, key) for key in ("plain", "note") if getattr(step, key)}
    # What NumPy can compute again need not be written; what only PyTorch can must be, to be read without it.
    if step.kept or step.function.startswith("aten."):
        try:
            kept = step.kept
            entry["value"] = (
                writer.write(step.value) if kept else writer.once(working.evaluator.step_value(step.number))
            )
        except NotRecorded:
            pass  # it was not to be had here either
    return entry


# -- reading ----------------------------------------------------------------------------------------------------------


def _working(document: Mapping[str, Any], reader: Reader) -> Working:
    sites = [
        Site(file, line, text, comment, tuple(targets), end)
        for file, line, text, comment, targets, end in document["sites"]
    ]

    def site(number: int | None) -> Site | None:
        return None if number is None else sites[number]

    groups = [
        Group(number, parent, name, kind, statement, title, equation, section, site(place), detail)
        for number, parent, name, kind, statement, title, equation, section, place, detail in document["groups"]
    ]
    working = Working(Source(**document["source"]), groups=groups)
    for number, entry in enumerate(document["steps"]):
        working.steps.append(_read_step(number, entry, reader, site(entry["site"])))
    known = len(working.steps)
    reader.steps = known
    for step in working.steps:
        if any(not 0 <= ref.step < step.number for ref in step.inputs):
            raise SavedFileError(f"step {step.number} uses a step that does not come before it")
    working.bindings = [Binding(g, name, reader.ref(ref), at, site(s)) for g, name, ref, at, s in document["bindings"]]
    working.guards = [
        Guard(reader.ref(ref), reader.read(value), site(s), why, reader.read(only))
        for ref, value, s, why, only in document["guards"]
    ]
    working.turns = [Turn(group, statement, sites[s]) for group, statement, s in document["turns"]]
    working.lost = [Loss(kind, what, step, site(s)) for kind, what, step, s in document["lost"]]
    working.conventions = {str(k): str(v) for k, v in document["conventions"].items()}
    working.decimals = int(document["decimals"])
    working.changed = {int(step): reader.read(places) for step, places in document["changed"]}
    working.axis_labels = {
        int(step): tuple(tuple(axis) if axis is not None else None for axis in labels)
        for step, labels in document["axis_labels"]
    }
    working.notes = [str(note) for note in document["notes"]]
    working.questions = [
        Question(str(ask), reader.ref(at), tuple((reader.ref(ref), reader.read(new)) for ref, new in changes))
        for ask, at, changes in document["questions"]
    ]
    working.varying = {int(number) for number in document["varying"]}
    working.printed = str(document["printed"])
    working.argument_parts = reader.read(document["argument_parts"])
    working.result_parts = reader.read(document["result_parts"])
    working.result = reader.read(document["result"])
    return working


def _read_step(number: int, entry: Mapping[str, Any], reader: Reader, site: Site | None) -> Step:
    function = str(entry["function"])
    note = str(entry.get("note", ""))
    step = Step(
        number, str(entry["operation"]), function, tuple(reader.ref(r) for r in entry["inputs"]),
        tuple(reader.read(entry["arguments"])), reader.read(entry["keywords"]), int(entry["group"]),
        int(entry["statement"]), site,
    )  # fmt: skip
    step.output = entry.get("output")
    step.plain = bool(entry.get("plain", False))
    step.note = note
    step.shape = tuple(int(n) for n in entry["shape"])
    step.dtype = str(entry["dtype"])
    if "value" in entry:
        step.value, step.kept = reader.read(entry["value"]), True
    if not _may_run(function) or holds_unsaved(step.arguments) or holds_unsaved(step.keywords):
        step.function = ""
        step.note = note or f"{function} is not run again from a file"
    elif function.startswith("aten.") and sys.modules.get("torch") is None:
        from workings.recording.without_torch import adapt

        adapt(step)
    return step


def _may_run(function: str) -> bool:
    """Whether a file may have a function run: those of the tables, and those of packages that only compute."""
    known = BY_NAME.get(function)
    if known is not None and known.operation != "opaque":
        return True
    return not function or function.startswith("aten.") or function.startswith(_COMPUTING)


__all__ = ["SavedFileError", "load", "save"]
