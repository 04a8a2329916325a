"""Work that takes a while: in a process of its own, which can be stopped, while the server goes on answering."""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
import signal
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Literal, final

from workings.frozen import frozen

State = Literal["waiting", "working", "done", "mistake", "fault", "stopped"]
KEPT = 64
"""Finished jobs that are remembered."""


@frozen
class Task:
    """What is to be shown: an example by name, a file by path, the text of an example, or a model that reads."""

    kind: Literal["example", "file", "text", "model"]
    what: str
    sentence: str = ""
    stamp: float = 0.0  # when a file was last changed: another time is another task


@dataclass
class Job:
    """A task on its way: where it stands, and what came of it (a page, or what is wrong)."""

    task: Task
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    state: State = "waiting"
    result: str = ""
    began: float = field(default_factory=time.monotonic)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    process: BaseProcess | None = None

    @property
    def seconds(self) -> float:
        """Since it was asked for."""
        return time.monotonic() - self.began


class TooMany(RuntimeError):
    """More work is waiting than will be done in a time that anybody waits."""


@final
class Jobs:
    """Runs a few jobs at once, in their order; a job that takes too long is stopped."""

    def __init__(self, *, at_once: int = 2, waiting: int = 64, seconds: float = 120.0) -> None:
        self.waiting = waiting
        self.seconds = seconds
        self._turn = asyncio.Semaphore(at_once)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._running: set[asyncio.Task[None]] = set()
        self._context = multiprocessing.get_context("spawn")

    def start(self, task: Task) -> Job:
        """Begin a job, or let it wait for its turn; the same task is worked on once. Raises TooMany."""
        for known in reversed(self._jobs.values()):
            if known.task == task and known.state in ("waiting", "working", "done", "mistake"):
                return known
        open_jobs = [job for job in self._jobs.values() if not job.ended.is_set()]
        if len(open_jobs) >= self.waiting:
            raise TooMany(f"{len(open_jobs)} jobs are waiting")
        job = Job(task)
        self._jobs[job.name] = job
        finished = [name for name, each in self._jobs.items() if each.ended.is_set()]
        for name in finished[: max(0, len(finished) - KEPT)]:
            del self._jobs[name]
        running = asyncio.get_running_loop().create_task(self._run(job))
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        return job

    def get(self, name: str) -> Job | None:
        """A job by its name."""
        return self._jobs.get(name)

    def stop(self, job: Job) -> None:
        """End a job, whether it has begun or not."""
        if not job.ended.is_set():
            job.state = "stopped"
            job.ended.set()
            if job.process is not None:
                job.process.kill()

    def stop_all(self) -> None:
        """End every job."""
        for job in list(self._jobs.values()):
            self.stop(job)

    async def _run(self, job: Job) -> None:
        async with self._turn:
            if job.ended.is_set():
                return
            here, there = self._context.Pipe(duplex=False)
            job.process = self._context.Process(target=work, args=(there, job.task), daemon=True)
            job.state = "working"
            await asyncio.to_thread(job.process.start)
            there.close()
            try:
                async with asyncio.timeout(self.seconds):
                    state, result = await asyncio.to_thread(_received, here)
            except TimeoutError:
                state, result = "mistake", f"this took more than {self.seconds:g} seconds, and was stopped"
                job.process.kill()
            if not job.ended.is_set():
                job.state, job.result = state, result
                job.ended.set()
            await asyncio.to_thread(job.process.join)
            here.close()


def _received(connection: Connection) -> tuple[State, str]:
    try:
        state, result = connection.recv()
    except (EOFError, OSError):
        return "fault", "the work ended without a result"
    return state, result


def work(connection: Connection, task: Task) -> None:
    """What the process does: run the task, send the page or what is wrong with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server stops it
    from workings.commands.problems import users_errors
    from workings.recording.stopped import ScriptError

    try:
        answer = ("done", _page(task))
    except ScriptError as error:
        answer = ("mistake", str(error))
    except Exception as error:
        known = isinstance(error, users_errors())
        answer = ("mistake", str(error)) if known else ("fault", f"{type(error).__name__}: {error}")
    connection.send(answer)
    connection.close()


def _page(task: Task) -> str:
    from workings.commands.problems import UserError
    from workings.commands.what import working_of
    from workings.views.live import pages

    if task.kind == "text":
        working = example_of(task.what).run(task.sentence or None)
    else:
        working = working_of(task.what, task.sentence or None)
    try:
        return pages.render(working)
    except pages.TooLarge as error:
        raise UserError(str(error)) from None


OWN = "your example"


def example_of(text: str):  # type: ignore[no-untyped-def]  # an Example; its module is loaded when it is needed
    """An example from its text. Raises ExampleError."""
    from workings.examples import reading
    from workings.examples.example import Example

    return Example(OWN, OWN, text, reading.read(text, OWN))
