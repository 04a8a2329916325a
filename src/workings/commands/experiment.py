"""`workings experiment`: run a claim of the texts, and say whether it holds."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workings.commands import output
from workings.commands.problems import OURS, Ended, UserError

if TYPE_CHECKING:
    from workings.experiments import Experiment
    from workings.experiments.telling import Told

_FORMATS = ("txt", "md", "json")


def options(parser: ArgumentParser) -> None:
    """What `workings experiment` takes."""
    add = parser.add_argument
    add("name", metavar="NAME", nargs="*", help="which to run; several may be named; without one, they are listed")
    add("--all", action="store_true", help="run every one")
    add("--counter", action="store_true", help="run a computation that breaks the claim: it must not hold then")
    add("-f", "--format", metavar="FORMAT", help="txt, md or json; left out, the ending of FILE says it")
    add("-o", "--output", metavar="FILE", help="write to this file")
    add("--width", metavar="N", type=int, help="how many columns a line may take")
    add(
        "--color",
        "--colour",
        action=BooleanOptionalAction,
        default=True,
        dest="colour",
        help="whether the verdict is coloured",
    )


def run(found: Namespace) -> None:
    """List them, or run some. Ends with 1 where a claim does not hold. Raises UserError and ExperimentError."""
    chosen = _format(found)
    output.check_writable(found.output)
    experiments = _chosen(found)
    if not experiments:
        _list(found, chosen)
        return
    if not found.all:
        _check_installed(experiments)
    told: list[Told] = []
    running = _run(experiments, found.counter, told)
    if chosen == "json":
        from workings.experiments.telling import as_json

        output.write(as_json(list(running)), found.output)
    else:
        output.write_parts(_parts(running, told, found, chosen), found.output)
    if not all(one.as_it_must for one in told):
        raise Ended(OURS)


def _format(found: Namespace) -> str:
    chosen = output.format_for(found.format, found.output)
    if chosen not in _FORMATS:
        raise UserError(
            f"{chosen}: an experiment is not written so", f"one of {', '.join(_FORMATS)}", "md is the nearest"
        )
    if found.width is not None and found.width < 20:
        raise UserError(f"--width {found.width}", "at least 20 columns", "leave it out to fit the window")
    return chosen


def _chosen(found: Namespace) -> list[Experiment]:
    """The experiments asked for; none where they are to be listed."""
    from workings import experiments

    if found.all and found.name:
        raise UserError(f"--all and {found.name[0]}", "one of the two", "leave --all out to run one")
    if found.counter and not (found.all or found.name):
        raise UserError("--counter without an experiment", "a name, or --all", "`workings experiment` lists them")
    chosen = [experiments.load(name) for name in (experiments.names() if found.all else found.name)]
    return list({experiment.name: experiment for experiment in chosen}.values())


def _list(found: Namespace, chosen: str) -> None:
    if chosen != "txt":
        raise UserError("the list of experiments is text", "a name, or --all", f"add --all to write all as {chosen}")
    from workings import experiments
    from workings.experiments.telling import listing

    output.write(listing([experiments.load(name) for name in experiments.names()], _width(found)), found.output)


def _check_installed(experiments: Sequence[Experiment]) -> None:
    """What is asked for by name must be able to run; with --all it is said of each that cannot."""
    for experiment in experiments:
        if experiment.lacking:
            raise UserError(experiment.lacking)


def _run(experiments: Sequence[Experiment], counter: bool, told: list[Told]) -> Iterator[Told]:
    """Run each when it is asked for, and note it down."""
    from workings.experiments.telling import Told

    for experiment in experiments:
        if experiment.lacking:
            one = Told(experiment, None, counter)
        else:
            one = Told(experiment, experiment.counter_check() if counter else experiment.run(), counter)
        told.append(one)
        yield one


def _parts(running: Iterator[Told], told: list[Told], found: Namespace, chosen: str) -> Iterator[str]:
    """What is written, each part when it is there: one whole; of all in text, a line or two each."""
    from workings.experiments import telling

    width, colour = _width(found), _colour(found)
    short, several = found.all and chosen == "txt", found.all or len(found.name) > 1
    if chosen == "md" and several:
        yield "# Claims, run\n\n"
    for number, one in enumerate(running):
        gap = "\n" if number else ""
        if chosen == "md":
            yield gap + telling.as_markdown(one, 2 if several else 1)
        elif short and one.as_it_must:
            yield telling.as_line(one, width, colour)
        else:
            yield gap + telling.as_text(one, width, colour) + ("\n" if short else "")
    if found.all:
        yield "\n" + telling.summary(told, found.counter)


def _width(found: Namespace) -> int:
    from workings.views.paper import terminal_width

    return found.width or terminal_width(100)


def _colour(found: Namespace) -> bool:
    to_screen = found.output in (None, "-") and sys.stdout.isatty()
    wanted = found.colour and "NO_COLOR" not in os.environ
    return wanted and (to_screen or bool(os.environ.get("FORCE_COLOR")))
