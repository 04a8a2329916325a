"""`workings train`: from a run file to a trained model."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from workings.commands import output, runs
from workings.commands.problems import YOURS, Ended

_NEXT = {
    "translate": 'workings translate {} "..."',
    "copy": 'workings translate {} "1 2 3"',
    "lm": 'workings generate {} "..."',
    "classify": 'workings classify {} "..."',
    "embeddings": "workings near {} WORD",
}


def options(parser: ArgumentParser) -> None:
    """What `workings train` takes."""
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="the run file; `workings new translate|lm|classify|copy|embeddings FILE` writes one",
    )
    add(
        "--resume",
        action="store_true",
        help="go on exactly where the training stopped; Ctrl-C and SIGTERM save and stop it, with exit code 2",
    )
    add("--output", "-o", metavar="RUN", help="the folder to keep it in; otherwise one beside FILE, named like it")
    add("--replace", action="store_true", help="begin anew where there is a training already")


def run(found: Namespace) -> None:
    """Train. Raises UserError, TextError and TrainingError; ends with 2 where it was stopped, with all saved."""
    if os.environ.get("WORLD_SIZE", "1") == "1":  # several processes must come together first, so that one tells
        from workings.training.configuration import read_configuration

        read_configuration(found.file)  # its mistakes are told before PyTorch is loaded
    runs.check_installed()
    from workings.training.errors import ToldElsewhere
    from workings.training.progress import Terminal
    from workings.training.run_directory import RunDirectory
    from workings.training.running import train

    terminal = Terminal()
    try:
        outcome = train(found.file, found.output, resume=found.resume, replace=found.replace, listener=terminal)
    except ToldElsewhere:
        raise Ended(YOURS) from None
    finally:
        terminal.close()
    if outcome.ended == "stopped":
        raise Ended(YOURS)
    if outcome.run is not None and os.environ.get("RANK", "0") == "0":  # of several processes the first one tells
        then = _NEXT[RunDirectory.open(outcome.run).description.task].format(outcome.run)
        output.write(f"The trained model is in {outcome.run}. Try: {then}")
