"""The course of a training as JSON lines: one object a line, each with its "kind" and "step"."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from workings.training.errors import TrainingError, why
from workings.training.tensor_file import write_text


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The lines of a metrics.jsonl. A last line that was being written when the process died is left out.

    Raises:
        TrainingError: no such file, or another line that is no JSON object, with its number.
    """
    try:
        lines = path.read_text("utf-8", errors="replace").split("\n")
    except OSError as error:
        raise TrainingError(f"it cannot be read: {why(error)}", "the metrics of a training", where=path) from None
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            entry["kind"], entry["step"]
        except (ValueError, TypeError, KeyError):
            if line.strip() and number < len(lines):
                raise TrainingError("this line is damaged", "a JSON object", where=f"{path}, line {number}") from None
        else:
            found.append(entry)
    return found


@final
class Metrics:
    """Appends lines to a metrics.jsonl."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, kind: str, step: int, **values: Any) -> None:
        """One line; a number that is not finite becomes null.

        Raises:
            TrainingError: it cannot be written.
        """
        line = json.dumps({"kind": kind, "step": step, **_finite(values)}, ensure_ascii=False)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            hint = "make room and go on from the last saved state"
            raise TrainingError(f"it cannot be written: {why(error)}", hint=hint, where=self.path) from error

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        if self.path.exists():
            with self.path.open("rb") as file:
                os.fsync(file.fileno())

    def cut(self, step: int) -> None:
        """Take out what came after a step, and damaged lines: the training goes on from there."""
        if not self.path.exists():
            return
        kept = []
        for line in self.path.read_text("utf-8", errors="replace").splitlines():
            try:
                if json.loads(line)["step"] <= step:
                    kept.append(line + "\n")
            except (ValueError, TypeError, KeyError):
                continue
        write_text(self.path, "".join(kept))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
