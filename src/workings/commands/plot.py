"""`workings plot`: the losses of one training, or of several side by side."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workings.commands import output, runs
from workings.commands.chart import MARKS, text_chart
from workings.commands.figure import check_installed, kind_of, save, style_options
from workings.commands.problems import UserError
from workings.figures.curves import Curve
from workings.wording import near

_WHAT = {"loss": "loss", "accuracy": "accuracy", "rate": "learning rate", "norm": "norm of the gradient"}
_KINDS = {"step": "training", "validation": "validation"}


def options(parser: ArgumentParser) -> None:
    """What `workings plot` takes."""
    add = parser.add_argument
    add("runs", metavar="RUN", nargs="+", help=runs.RUN_HELP)
    add("--of", metavar="WHAT", action="append", choices=list(_WHAT), help=f"{', '.join(_WHAT)}; may be repeated")
    add("-o", "--output", metavar="FILE", help="a picture, .svg, .png or .pdf; or the same chart as text, .txt")
    add("--width", metavar="N", type=int, help="how many columns the chart in text may take")
    style_options(parser)


def run(found: Namespace) -> None:
    """Draw. Raises UserError and TrainingError."""
    as_text = found.output in (None, "-") or Path(found.output).suffix.lower() == ".txt"
    kind = "" if as_text else kind_of(found.output)
    output.check_writable(found.output)
    if not as_text:
        check_installed()
        from workings.figures.losses import draw_losses
        from workings.figures.style import style_named

        style = style_named(found.style, found.dark)
        save(draw_losses(charts_of(found.runs, found.of), style), found.output, kind)
        return
    from workings.views.paper import terminal_width

    width = found.width or min(terminal_width(100), 120)
    drawn = [text_chart(title, some, width) for title, some in charts_of(found.runs, found.of)]
    output.write("\n".join("\n".join(lines) + "\n" for lines in drawn), found.output)


def charts_of(names: Sequence[str], of: Sequence[str] | None) -> list[tuple[str, list[Curve]]]:
    """What is drawn: for each quantity its name and the curves of each run."""
    unknown = [what for what in of or () if what not in _WHAT]
    if unknown:
        raise UserError(f"--of {unknown[0]}", f"one of {', '.join(_WHAT)}", near(unknown[0], _WHAT))
    return [(_WHAT[what], curves(names, what)) for what in of or ["loss"]]


def curves(names: Sequence[str], what: str) -> list[Curve]:
    """The curves of each run: those of training, then of validation."""
    found = []
    for name in names:
        metrics = runs.open_run(name).read_metrics()
        called = f"{name}, " if len(names) > 1 else ""
        for kind, word in _KINDS.items():
            points = _points(metrics, kind, what)
            if points:
                found.append(Curve(called + word, points))
    if not found:
        held = sorted({key for name in names for entry in runs.open_run(name).read_metrics() for key in entry})
        hint = f"in its metrics there are {', '.join(held)}" if held else "train a little longer"
        raise UserError(f"{', '.join(names)}: there is no {_WHAT[what]} to draw yet", "a training under way", hint)
    if len(found) > len(MARKS):
        raise UserError(f"{len(found)} curves", f"at most {len(MARKS)} in one chart", "name fewer runs at once")
    return found


def _points(metrics: Sequence[dict[str, Any]], kind: str, what: str) -> tuple[tuple[float, float], ...]:
    """Where a quantity stood after which step; what is no finite number is left out."""
    return tuple(
        (float(entry["step"]), float(entry[what]))
        for entry in metrics
        if entry["kind"] == kind and isinstance(entry.get(what), int | float) and math.isfinite(entry[what])
    )
