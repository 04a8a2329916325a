"""Work that takes a while: in processes of its own, which can be stopped, while the server goes on answering."""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

from workings.frozen import frozen
from workings.generation import Sampling

if TYPE_CHECKING:
    from workings.app.models import Turn
    from workings.experiments import Outcome

State = Literal["waiting", "working", "done", "mistake", "fault", "stopped"]
STOP = "stop"
"""Said to a process: end what is being done, with what there is of it."""
KEPT = 64
"""Finished jobs that are remembered."""
_QUARTERS = ("", ", a quarter is done", ", half is done", ", three quarters are done", ", all is done")


@frozen
class Task:
    """What is to be shown: an example by name, a file by path, the text of an example, a model that reads, or writes.

    A model that writes goes on from `tokens`, or from the sentence if there are none, by `more` tokens. An experiment
    is run as it is, or as its counter-check.
    """

    kind: Literal["example", "file", "text", "model", "write", "experiment"]
    what: str
    sentence: str = ""
    stamp: float = 0.0  # when a file was last changed: another time is another task
    tokens: tuple[int, ...] = ()
    more: int = 0
    sampling: Sampling = Sampling()
    counter: bool = False

    @property
    def runs_code(self) -> bool:
        """Whether somebody else's program is run, which may leave anything behind in its process."""
        return self.kind == "file" and Path(self.what).suffix.lower() == ".py"

    @property
    def keeps_part(self) -> bool:
        """Whether half of it is of use, as half a text is."""
        return self.kind == "write"


@frozen
class Progress:
    """How far a task is: what is being done, how many of what are done, and of how many, 0 where that is not known."""

    doing: str
    done: int = 0
    of: int = 0
    what: str = ""

    @property
    def said(self) -> str:
        """A sentence that changes seldom enough to be read out."""
        quarter = _QUARTERS[4 * min(self.done, self.of) // self.of] if self.of else ""
        return f"{self.doing[:1].upper()}{self.doing[1:]}{quarter}."

    @property
    def count(self) -> str:
        """How many are done, as of now."""
        if self.of:
            return f"{self.done:,} of {self.of:,} {self.what}"
        return f"{self.done:,} {self.what} so far" if self.done else ""


@frozen
class Answer:
    """How a task ended, and what came of it: a page, what a model wrote, what an experiment gave, or what is wrong."""

    state: State
    result: str | Turn | Outcome


@dataclass
class Job:
    """A task on its way: where it stands, how far it is, and what came of it.

    `address` is where it was asked for, if asking there again answers the same.
    """

    task: Task
    address: str = ""
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    state: State = "waiting"
    progress: Progress = field(default_factory=lambda: Progress("waiting for its turn"))
    result: str | Turn | Outcome = ""
    began: float = field(default_factory=time.monotonic)
    asked: float = field(default_factory=time.monotonic)  # when somebody last asked for it
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    worker: Worker | None = None
    asked_to_stop: bool = False

    @property
    def seconds(self) -> float:
        """Since it was asked for."""
        return time.monotonic() - self.began

    async def over(self, seconds: float) -> None:
        """Wait for its end, but no longer than so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.ended.wait(), seconds)

    def hear(self, progress: Progress) -> None:
        """Be told how far it is."""
        self.progress = progress

    def end(self, state: State, result: str | Turn | Outcome = "") -> None:
        """Be over, unless it is already."""
        if not self.ended.is_set():
            self.state, self.result = state, result
            self.ended.set()


class TooMany(RuntimeError):
    """More work is waiting than will be done in a time that anybody waits."""


@final
class Worker:
    """A process that does one task after the other, and says on the way how far it is.

    `usable` says whether it can take another task.
    """

    def __init__(self, context: SpawnContext) -> None:
        from workings.app.worker import work

        self.usable = True
        self._here, there = context.Pipe()
        self._process = context.Process(target=work, args=(there,), daemon=True)
        self._process.start()
        there.close()

    def do(self, task: Task, hear: Callable[[Progress], None]) -> Answer:
        """Do a task."""
        self.usable = not task.runs_code
        try:
            self._here.send(task)
            while isinstance(said := self._here.recv(), Progress):
                hear(said)
        except (EOFError, OSError):
            self.usable = False
            return Answer("fault", "the work ended without a result")
        answer: Answer = said
        return answer

    def ask_to_stop(self) -> None:
        """Let it end what it is doing with what there is of it."""
        with suppress(OSError):
            self._here.send(STOP)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.usable = False
        self._process.kill()

    def bury(self) -> None:
        """End it, and leave nothing of it."""
        self.end()
        self._process.join()
        self._here.close()


@final
class Jobs:
    """Runs a few jobs at once, in their order; a job is stopped that takes too long, or that nobody asks for any more.

    The page that waits for a job asks on and on, by its script or by being loaded again; a page that is closed, left or
    lost with its browser does not. `alone` is for how many seconds nobody may ask, more than anybody is kept waiting.

    Processes wait for the next job, with the models that they have opened; one that ran somebody's program does not.
    """

    def __init__(self, *, at_once: int = 2, waiting: int = 64, seconds: float = 120.0, alone: float = 5.0) -> None:
        self.waiting = waiting
        self.seconds = seconds
        self.alone = alone
        self._turn = asyncio.Semaphore(at_once)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._running: set[asyncio.Task[None]] = set()
        self._context = multiprocessing.get_context("spawn")
        self._idle: list[Worker] = []

    def start(self, task: Task, address: str = "") -> Job:
        """Begin a job, or let it wait for its turn; the same task is worked on once. Raises TooMany."""
        for known in reversed(self._jobs.values()):
            if known.task == task and known.state in ("waiting", "working", "done", "mistake"):
                known.asked = time.monotonic()
                return known
        open_jobs = [job for job in self._jobs.values() if not job.ended.is_set()]
        if len(open_jobs) >= self.waiting:
            raise TooMany(f"{len(open_jobs)} jobs are waiting")
        job = Job(task, address)
        self._jobs[job.name] = job
        finished = [name for name, each in self._jobs.items() if each.ended.is_set()]
        for name in finished[: max(0, len(finished) - KEPT)]:
            del self._jobs[name]
        for work in (self._run(job), self._watch(job)):
            running = asyncio.get_running_loop().create_task(work)
            self._running.add(running)
            running.add_done_callback(self._running.discard)
        return job

    def get(self, name: str) -> Job | None:
        """A job by its name, for somebody who asks for it."""
        job = self._jobs.get(name)
        if job is not None:
            job.asked = time.monotonic()
        return job

    def stop(self, job: Job, why: str = "It was stopped.") -> None:
        """End a job, whether it has begun or not. What it has written is kept, unless it is told a second time."""
        if job.ended.is_set():
            return
        if job.worker is not None and job.task.keeps_part and not job.asked_to_stop:
            job.asked_to_stop = True
            job.worker.ask_to_stop()
        else:
            job.end("stopped", why)
            if job.worker is not None:
                job.worker.end()

    def stop_all(self) -> None:
        """End every job at once, and the processes that wait for one."""
        for job in list(self._jobs.values()):
            job.asked_to_stop = True
            self.stop(job)
        for worker in self._idle:
            worker.end()

    async def _watch(self, job: Job) -> None:
        """Stop a job once nobody has asked for it in a while, and again if that was not enough."""
        while not job.ended.is_set():
            left = job.asked + self.alone - time.monotonic()
            if left <= 0:
                self.stop(job, "Its page was closed or left, and so it was stopped.")
                left = self.alone
            await job.over(left)

    async def _run(self, job: Job) -> None:
        async with self._turn:
            if job.ended.is_set():
                return
            job.state, job.progress = "working", Progress("starting")
            if self._idle and not job.task.runs_code:
                job.worker = self._idle.pop()
            else:
                job.worker = await asyncio.to_thread(Worker, self._context)
            if not job.ended.is_set():
                answer = await self._done(job.worker, job)
                job.end(answer.state, answer.result)
            if job.worker.usable:
                self._idle.append(job.worker)
            else:
                await asyncio.to_thread(job.worker.bury)

    async def _done(self, worker: Worker, job: Job) -> Answer:
        try:
            async with asyncio.timeout(self.seconds):
                return await asyncio.to_thread(worker.do, job.task, job.hear)
        except TimeoutError:
            worker.end()
            return Answer("stopped", f"It took more than {self.seconds:g} seconds, and was stopped.")
