"""A Working as JSON, for other programs: every step, with its numbers at full precision."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workings.recording.evaluation import NotRecorded
from workings.recording.operations.bound import as_array
from workings.recording.operations.functions import BY_NAME
from workings.recording.operations.torch_names import PARAMETERS
from workings.recording.working import Loss, Ref, Room, Slot, Step, Working

if TYPE_CHECKING:
    from workings.reading.line import Arithmetic

VERSION = 1


def render(working: Working) -> str:
    """The whole Working: one JSON object, one line for each step.

    ``{"workings": 1, "source", "conventions", "steps": [...], "lost": [...]}``. A step's ``inputs`` are the paths of
    the values it used, with the place of the part where it used a part; ``parameters`` is its call, every argument by
    name, with ``{"input": n}`` where input number n went in and ``{"new": {"shape", "dtype"}}`` for the memory an
    ``out=`` writes into; what JSON has no word for is its ``repr``. NaN and infinities are the texts "NaN", "Infinity"
    and "-Infinity"; a complex number is its two parts; a value that was not kept and cannot be computed again is null.
    """
    head = {"workings": VERSION, "source": source(working), "conventions": dict(working.conventions)}
    lines = [f"{_json(key)}: {_json(value)}," for key, value in head.items()]
    body = _several("steps", [_json(entry) for entry in steps(working)])
    lost = _several("lost", [_json(_loss(working, entry)) for entry in working.unfollowed()])
    return "{\n" + "\n".join(lines) + "\n" + body + ",\n" + lost + "\n}\n"


def render_arithmetic(worked: list[tuple[str, Arithmetic]]) -> str:
    """The working of single numbers: ``{"workings": 1, "arithmetic": [{"address", "value", "lines": [...]}]}``."""
    entries = []
    for address, found in worked:
        lines = [
            {
                "name": line.name,
                "value": number(line.value),
                "text": line.text(),
                "latex": line.text(latex=True),
                "line": line.site.line if line.site is not None else None,
            }
            for line in found.lines
        ]
        entries.append({"address": address, "value": number(found.last.value), "more": found.more, "lines": lines})
    return f'{{\n"workings": {VERSION},\n' + _several("arithmetic", [_json(e) for e in entries]) + "\n}\n"


def source(working: Working) -> dict[str, str]:
    """What was recorded: its kind, its name, the file, and what stopped it if something did."""
    origin = working.source
    out = {"kind": origin.kind, "name": origin.name, "file": origin.file}
    return out | ({"error": origin.error} if origin.error else {})


def steps(working: Working) -> Iterator[dict[str, Any]]:
    """Every step as plain data, in the order they ran."""
    names = _names(working)
    equations = _equations(working)
    for step in working.steps:
        yield {
            "path": working.path(step.number),
            "name": names.get(step.number),
            "operation": step.operation,
            "equation": equations[step.group],
            "line": step.site.line if step.site is not None else None,
            "shape": list(step.shape),
            "dtype": step.dtype,
            "labels": [list(axis) if axis is not None else None for axis in working.labels(step.number)],
            "inputs": [_input(working, ref) for ref in step.inputs],
            "parameters": _parameters(step),
            "value": _value(working, step),
        }


def _names(working: Working) -> dict[int, str]:
    """The last name each whole step was given."""
    return {b.ref.step: b.name for b in working.bindings if not b.ref.index}


def _equations(working: Working) -> list[str | None]:
    """For each group, the equation it or the nearest group around it is."""
    out: list[str | None] = []
    for group in working.groups:
        around = out[group.parent] if group.parent is not None else None
        out.append(group.equation or around)
    return out


def _input(working: Working, ref: Ref) -> dict[str, Any]:
    return {"path": working.path(ref.step), "index": list(ref.index)}


def _parameters(step: Step) -> dict[str, Any]:
    function = BY_NAME.get(step.function)
    if function is not None:
        names = function.parameters
    else:
        names = PARAMETERS.get(step.function.split(".")[1], ()) if step.function.startswith("aten.") else ()
    out: dict[str, Any] = {}
    for place, argument in enumerate(step.arguments):
        known = place < len(names) and not names[place].startswith("*")
        out[names[place] if known else f"argument{place}"] = plain(argument)
    return out | {key: plain(value) for key, value in step.keywords.items()}


def _value(working: Working, step: Step) -> Any:
    try:
        value = working.evaluator.step_value(step.number)
    except NotRecorded:
        return None
    return plain(value)


def _loss(working: Working, loss: Loss) -> dict[str, Any]:
    known = 0 <= loss.step < len(working.steps)
    return {
        "kind": loss.kind,
        "what": loss.what,
        "path": working.path(loss.step) if known else None,
        "line": loss.site.line if loss.site is not None else None,
    }


def plain(value: Any) -> Any:
    """Any recorded value or argument as JSON has it; what JSON has no word for is its text."""
    match value:
        case None | bool() | str():
            return value
        case int() | float() | complex():
            return number(value)
        case Slot():
            return {"input": value.position}
        case slice():
            return {"slice": [plain(value.start), plain(value.stop), plain(value.step)]}
        case list() | tuple():
            return [plain(v) for v in value]
        case dict():
            return {str(k): plain(v) for k, v in value.items()}
        case Room():
            room = {"shape": list(value.shape), "dtype": value.dtype}
            return {"new": room | ({"strides": list(value.strides)} if value.strides is not None else {})}
        case type():
            return value.__name__
    if value is Ellipsis:
        return "..."
    if getattr(value, "is_nested", False):  # PyTorch's rows of different lengths
        return [plain(row) for row in value.unbind()]
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        try:
            return _nested(as_array(value).tolist())
        except (TypeError, ValueError):  # it has a shape, but no numbers to show
            return _text(value)
    return _text(value)


def _nested(value: Any) -> Any:
    """The numbers of an array; what else it holds is not looked into, as it may hold itself."""
    if isinstance(value, list):
        return [_nested(v) for v in value]
    return plain(value) if isinstance(value, (str, int, float, complex)) or value is None else _text(value)


def _text(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a program's own __repr__ may fail
        return f"<{type(value).__name__}>"


def number(value: Any) -> Any:
    """A number; NaN and infinities as texts, complex numbers as two parts."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _several(key: str, entries: list[str]) -> str:
    return f"{_json(key)}: [\n" + ",\n".join(entries) + "\n]" if entries else f"{_json(key)}: []"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
