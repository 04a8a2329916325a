"""What a process of the app does: one task after the other, with how far it is, and then what came of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, final

from workings.app.models import Models, Turn
from workings.app.work import STOP, Answer, Progress, Task
from workings.progress import Report

if TYPE_CHECKING:
    from workings.experiments import Outcome

EVERY = 0.2
"""Seconds between two looks at how far it is."""
OWN = "your example"


def work(connection: Connection) -> None:
    """Do what comes until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it
    models = Models()
    try:
        while True:
            task = connection.recv()
            if task != STOP:  # said too late: what was to be stopped is done
                with _heard(connection) as said:
                    answer = _answer(task, models, said)
                connection.send(answer)
    except (EOFError, OSError):
        return


@contextmanager
def _heard(connection: Connection) -> Iterator[_Said]:
    """Send what is reported, while it goes on, and listen whether it is to stop."""
    said, over = _Said(), threading.Event()
    sending = threading.Thread(target=_send, args=(connection, said, over), daemon=True)
    sending.start()
    try:
        yield said
    finally:
        over.set()
        sending.join()


@final
class _Said:
    """The last report, and whether the work is to stop."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._last: tuple[str, int | Sized, int, str] = ("starting", 0, 0, "")

    def __call__(self, doing: str, done: int | Sized = 0, of: int = 0, what: str = "") -> None:
        self._last = doing, done, of, what

    def now(self) -> Progress:
        doing, done, of, what = self._last
        return Progress(doing, done if isinstance(done, int) else len(done), of, what)


def _send(connection: Connection, said: _Said, over: threading.Event) -> None:
    last = None
    while not over.wait(EVERY):
        if connection.poll():
            connection.recv()  # STOP: no other task comes before this one is answered
            said.stop.set()
        now = said.now()
        if now != last:
            last = now
            connection.send(now)


def _answer(task: Task, models: Models, said: _Said) -> Answer:
    from workings.commands.problems import users_errors
    from workings.recording.stopped import ScriptError

    try:
        return Answer("done", _done(task, models, said))
    except ScriptError as error:
        return Answer("mistake", str(error))
    except Exception as error:
        if isinstance(error, users_errors()):
            return Answer("mistake", str(error))
        return Answer("fault", f"{type(error).__name__}: {error}")


def _done(task: Task, models: Models, said: _Said) -> str | Turn | Outcome:
    if task.kind == "write":
        return _turn(task, models, said)
    return _outcome(task, said) if task.kind == "experiment" else _page(task, said)


def _outcome(task: Task, report: Report) -> Outcome:
    from workings import experiments

    experiment = experiments.load(task.what)
    report("running the counter-check" if task.counter else "running the experiment")
    return experiment.counter_check() if task.counter else experiment.run()


def _turn(task: Task, models: Models, said: _Said) -> Turn:
    return models.turn(
        task.what, task.stamp, task.tokens or task.sentence, task.sampling,
        more=task.more, report=said, stop=said.stop.is_set,
    )  # fmt: skip


def _page(task: Task, report: Report) -> str:
    from workings.commands.problems import UserError
    from workings.commands.what import working_of
    from workings.views.live import pages

    if task.kind == "text":
        report("recording")
        working = example_of(task.what).run(task.sentence or None)
    else:
        working = working_of(task.what, task.sentence or None, report)
    try:
        return pages.render(working, report=report)
    except pages.TooLarge as error:
        raise UserError(str(error)) from None


def example_of(text: str):  # type: ignore[no-untyped-def]  # an Example; its module is loaded when it is needed
    """An example from its text. Raises ExampleError."""
    from workings.examples import reading
    from workings.examples.example import Example

    return Example(OWN, OWN, text, reading.read(text, OWN))
