"""Mistakes and how they are answered: a message for the user's (exit code 2), a traceback for ours (exit code 1)."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

FINE, OURS, YOURS = 0, 1, 2


class UserError(Exception):
    """A mistake that the user can mend: where it is, what was found, what was expected, one suggestion."""

    def __init__(self, found: str, expected: str = "", hint: str = "", *, where: str = "") -> None:
        message = f"{where}: {found}" if where else found
        if expected:
            message += f"; expected {expected}"
        if hint:
            message += f"; {hint}"
        super().__init__(message)


class Ended(SystemExit):
    """The command is over, and everything has been said."""


@contextmanager
def answered() -> Iterator[None]:
    """Run a command; whatever goes wrong in it ends with a clear message and the right exit code."""
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        say("workings: interrupted")
        raise Ended(YOURS) from None
    except BrokenPipeError:  # whoever reads our output has seen enough (`| head`): nothing is wrong
        drop_output()
        raise Ended(FINE) from None
    except Exception as error:
        if isinstance(error, users_errors()):
            say(f"workings: {error}")
            raise Ended(YOURS) from None
        say(traceback.format_exc().rstrip())
        say("workings: this is a mistake in Workings, not yours; please report it with the lines above and the input")
        raise Ended(OURS) from None


def users_errors() -> tuple[type[Exception], ...]:
    """Errors of the layers below whose message is for the user. Their modules are loaded by the time one is raised."""
    named = [
        ("workings.examples.errors", "ExampleError"),
        ("workings.experiments.experiment", "ExperimentError"),
        ("workings.figures.errors", "FigureError"),
        ("workings.recording.address", "AddressError"),
        ("workings.recording.saving", "SavedFileError"),
        ("workings.text.errors", "TextError"),
        ("workings.training.errors", "TrainingError"),
    ]
    modules = [(sys.modules.get(module), name) for module, name in named]
    found = (getattr(module, name) for module, name in modules if module is not None and hasattr(module, name))
    return UserError, *found


def drop_output() -> None:
    """Standard output cannot be written any more; the last flush must not complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str) -> None:
    """A message to the user, on standard error, with whatever a terminal would obey made visible."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    safe = printable(message).encode(encoding, "backslashreplace").decode(encoding)
    print(safe, file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Text with control characters written as escapes, so that a token or a file name cannot steer the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
