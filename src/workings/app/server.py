"""The app: what each address answers. Every page is whole without scripts; the live page brings its own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from workings.app.answers import address, page, wrong
from workings.app.guarding import Guard
from workings.app.models import Turn
from workings.app.places import Folder, NotThere
from workings.app.work import Job, Jobs, Task, TooMany
from workings.app.worker import OWN, example_of
from workings.app.writing import more_of, sampling_of, tokens_of, writing_page
from workings.commands import runs
from workings.views.live.parts import seen

PATIENCE = 2.0
"""Seconds an answer is waited for before a page says how far the work is."""
PACE = 0.5
"""Seconds from one answer to the page that waits to the next."""


def application(folder: Path, hosts: list[str], *, code: bool = False) -> Guard:
    """The app over a folder.

    Args:
        folder: what may be read.
        hosts: what it is called: the values of the Host header that are answered.
        code: whether scripts in the folder may be run.
    """
    return Guard(_App(Folder(folder, code=code)).starlette(), hosts)


class _App:
    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.jobs = Jobs()

    def starlette(self) -> Starlette:
        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            yield
            self.jobs.stop_all()

        routes = [
            Route("/", self.index),
            Route("/show", self.show),
            Route("/own", self.own, methods=["GET", "POST"]),
            Route("/check", self.check, methods=["POST"]),
            Route("/work/{name}", self.work),
            Route("/work/{name}/progress", self.progress),
            Route("/work/{name}/stop", self.stop, methods=["POST"]),
            Route("/write", self.write),
            Route("/look", self.look),
            Route("/experiments", self.experiments),
            Route("/experiment", self.experiment),
        ]
        return Starlette(routes=routes, lifespan=lifespan)

    # -- pages --------------------------------------------------------------------------------------------------

    async def index(self, _: Request) -> Response:
        """What can be opened."""
        from workings import examples

        found = await run_in_threadpool(self.folder.found)
        listed = [(name, examples.load(name)) for name in examples.names()]
        return page(
            "index.html",
            title="Workings",
            examples=[(name, seen(example.title), seen(example.sentence)) for name, example in listed],
            files=[(f.kind, seen(f.name), address("/show", file=f.name)) for f in found if f.kind != "run"],
            models=[("model", name, name, _writes(runs.SHIPPED / name)) for name in runs.shipped_names()]
            + [("run", f.name, seen(f.name), _writes(self.folder.root / f.name)) for f in found if f.kind == "run"],
            folder=seen(self.folder.root.name),
            code=self.folder.code,
        )

    async def show(self, request: Request) -> Response:
        """An example or a file, worked out."""
        from workings import examples

        asked = request.query_params
        sentence = asked.get("sentence", "")[:2000]
        if "example" in asked:
            if asked["example"] not in examples.names():
                return wrong("There is no such example.", 404)
            return await self._answered(Task("example", asked["example"], sentence), request)
        try:
            path = await run_in_threadpool(self.folder.path, asked.get("file", ""))
            stamp = path.stat().st_mtime
        except (NotThere, OSError):
            return wrong("There is no such file in this folder.", 404)
        if path.is_dir():
            return RedirectResponse("/", status_code=303)
        return await self._answered(Task("file", str(path), sentence, stamp), request)

    async def own(self, request: Request) -> Response:
        """An example written in the page: its text again with what is wrong beside the line, or the example shown."""
        from workings import examples

        if request.method == "GET":
            return _editor(examples.template())
        text = _form(await request.body()).get("text", "").replace("\r\n", "\n")
        mistake = await run_in_threadpool(_mistake, text)
        if mistake is not None:
            return _editor(text, mistake)
        return await self._answered(Task("text", text), request)

    async def check(self, request: Request) -> Response:
        """Whether a text is an example: {"fine": true}, or what is wrong with it and in which line."""
        text = (await request.body()).decode("utf-8", "replace")
        mistake = await run_in_threadpool(_mistake, text)
        return JSONResponse(
            {"fine": True} if mistake is None else {"fine": False, "said": mistake, "line": _line(mistake)}
        )

    async def write(self, request: Request) -> Response:
        """A text that a model goes on with, token by token, or by several at once."""
        asked = request.query_params
        try:
            path, stamp = self._model(asked)
            sampling, more = sampling_of(asked), more_of(asked)
            tokens = tokens_of(asked)
        except NotThere:
            return wrong("There is no such model in this folder.", 404)
        except ValueError as error:
            return wrong(f"{error}.", 400)
        chosen = {key: asked[key] for key in ("model", "run") if key in asked}
        text = asked.get("text", "")[:20_000]
        if not text and not tokens:
            return writing_page(chosen, sampling, text, None)
        begun = "" if tokens else text
        job = await self._job(Task("write", path, begun, stamp, tokens, more, sampling), request)
        if job is not None and isinstance(job.result, Turn):
            return writing_page(chosen, sampling, text, job.result)
        return _stands(job)

    async def look(self, request: Request) -> Response:
        """Inside a model that reads a text: where its heads look, and what may come next."""
        asked = request.query_params
        try:
            path, stamp = self._model(asked)
        except NotThere:
            return wrong("There is no such model in this folder.", 404)
        text = asked.get("text", "")[:20_000]
        if not text.strip():
            return wrong("There is nothing to read; type a sentence.", 400)
        return await self._answered(Task("model", path, text, stamp), request)

    async def experiments(self, _: Request) -> Response:
        """The claims of the two texts, each to be run."""
        from workings import experiments
        from workings.experiments.experiment import SOURCES

        listed = [experiments.load(name) for name in experiments.names()]
        texts = [(text, source, [each for each in listed if each.text == text]) for text, source in SOURCES.items()]
        return page("experiments.html", title="Claims, run", texts=texts)

    async def experiment(self, request: Request) -> Response:
        """A claim, run: what it says, what must come out, what happened, holds or not."""
        from workings import experiments
        from workings.experiments import Outcome
        from workings.experiments.telling import COLUMNS, Told, paragraphs, row, sentence

        name, counter = request.query_params.get("name", ""), "counter" in request.query_params
        if name not in experiments.names():
            return wrong("There is no such experiment.", 404)
        experiment = experiments.load(name)
        if experiment.lacking:
            return wrong(experiment.lacking, 422)
        job = await self._job(Task("experiment", name, counter=counter), request)
        if job is None or not isinstance(job.result, Outcome):
            return _stands(job)
        told = Told(experiment, job.result, counter)
        return page(
            "experiment.html", title=experiment.title, told=told, paragraphs=paragraphs(told), columns=COLUMNS,
            rows=[row(measured) for measured in job.result.values], verdict=sentence(told),
        )  # fmt: skip

    def _model(self, asked: Mapping[str, str]) -> tuple[str, float]:
        """A model that ships, or a run of the folder, and when it was last trained. Raises NotThere."""
        if "model" in asked:
            if asked["model"] not in runs.shipped_names():
                raise NotThere(asked["model"])
            return asked["model"], 0.0
        path = self.folder.path(asked.get("run", ""))
        if not path.is_dir():
            raise NotThere(asked.get("run", ""))
        return str(path), (path / "model.safetensors").stat().st_mtime

    # -- work ---------------------------------------------------------------------------------------------------

    async def _job(self, task: Task, request: Request) -> Job | None:
        """The job of a task, over if that was soon; None where too much is waiting."""
        there = f"{request.url.path}?{request.url.query}" if request.method == "GET" else ""
        try:
            job = self.jobs.start(task, there)
        except TooMany:
            return None
        await job.over(PATIENCE)
        return job

    async def _answered(self, task: Task, request: Request) -> Response:
        """What came of a task, or where to wait for it."""
        return _stands(await self._job(task, request))

    async def work(self, request: Request) -> Response:
        """Where a job stands; what came of it is at the address where it was asked for, if it has one."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return _no_such_work()
        if not job.ended.is_set():
            called = seen(_called(job))
            return page("wait.html", scripts=("wait",), title=called, what=called, now=_now(job), name=job.name)
        if job.address and job.state in ("done", "mistake"):
            return RedirectResponse(job.address, status_code=303)
        return _finished(job)

    async def progress(self, request: Request) -> Response:
        """How far a job is, for the script of the page that waits; it asks again at once, and is kept waiting here."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return JSONResponse({"ended": True})
        await job.over(PACE)
        return JSONResponse(_now(job))

    async def stop(self, request: Request) -> Response:
        """End a job."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return _no_such_work()
        self.jobs.stop(job)
        await job.over(PATIENCE)
        return RedirectResponse(f"/work/{job.name}", status_code=303)


def _writes(run: Path) -> bool:
    """Whether a training made a model that continues texts."""
    try:
        return bool(json.loads((run / "config.json").read_text(encoding="utf-8")).get("task") == "lm")
    except (OSError, ValueError, AttributeError):
        return False


def _stands(job: Job | None) -> Response:
    if job is None:
        return wrong("Too much work is waiting. Try again in a while.", 503)
    if not job.ended.is_set():
        return RedirectResponse(f"/work/{job.name}", status_code=303)
    return _finished(job)


def _finished(job: Job) -> Response:
    said = str(job.result)
    match job.state:
        case "done":
            return HTMLResponse(said)
        case "mistake" if job.task.kind == "text":
            return _editor(job.task.what, said)
        case "mistake":
            return wrong(said, 422)
        case "stopped":
            return page("stopped.html", 410, title="Stopped", said=said, again=job.address)
    return wrong(f"This is a mistake in Workings, not yours: {said}", 500)


def _now(job: Job) -> dict[str, Any]:
    """Where a job stands, as the page that waits says it."""
    far = job.progress
    spent = f"{job.seconds:.0f} seconds"
    count = f"{far.count}, {spent}" if far.count else spent
    return {"ended": job.ended.is_set(), "said": far.said, "count": count, "done": far.done, "of": far.of}


def _no_such_work() -> Response:
    return wrong("There is no such work; it may have been long ago.", 404)


def _called(job: Job) -> str:
    return OWN if job.task.kind == "text" else Path(job.task.what).name


def _mistake(text: str) -> str | None:
    """What is wrong with the text of an example; None where nothing is."""
    from workings.examples.errors import ExampleError

    try:
        example_of(text)
    except ExampleError as error:
        return str(error)
    return None


def _line(mistake: str) -> int | None:
    """The line that a complaint names."""
    import re

    found = re.match(rf"{re.escape(OWN)}, line (\d+)", mistake)
    return int(found[1]) if found else None


def _editor(text: str, mistake: str = "") -> Response:
    line = _line(mistake)
    lines = [{"number": n, "text": each, "wrong": n == line} for n, each in enumerate(text.splitlines(), 1)]
    near = lines[max(0, line - 4) : line + 3] if line else []
    return page("own.html", 422 if mistake else 200, title="An example of yours", text=text, mistake=mistake, near=near)


def _form(body: bytes) -> dict[str, str]:
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[0] for name, values in fields.items()}


__all__ = ["application"]
