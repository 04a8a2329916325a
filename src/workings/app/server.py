"""The app: what each address answers. Every page is whole without scripts; the live page brings its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from workings.app.guarding import Guard
from workings.app.models import Models
from workings.app.places import Folder, NotThere
from workings.app.work import OWN, Job, Jobs, Task, TooMany, example_of
from workings.commands import runs
from workings.commands.problems import users_errors
from workings.reading.numbers import number
from workings.views.live.parts import asset, policy, seen, template

if TYPE_CHECKING:
    from workings.app.models import Turn

PATIENCE = 4.0
"""Seconds an answer is waited for before a page says that the work goes on."""
_DECIMALS = 4


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
        self.models = Models()

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
            Route("/work/{name}/stop", self.stop, methods=["POST"]),
            Route("/write", self.write),
            Route("/look", self.look),
        ]
        return Starlette(routes=routes, lifespan=lifespan)

    # -- pages --------------------------------------------------------------------------------------------------

    async def index(self, _: Request) -> Response:
        """What can be opened."""
        from workings import examples

        found = await run_in_threadpool(self.folder.found)
        listed = [(name, examples.load(name)) for name in examples.names()]
        return _html(
            "index.html",
            title="Workings",
            examples=[(name, seen(example.title), seen(example.sentence)) for name, example in listed],
            files=[(f.kind, seen(f.name), _address("/show", file=f.name)) for f in found if f.kind != "run"],
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
                return _wrong("There is no such example.", 404)
            return await self._begin(Task("example", asked["example"], sentence))
        try:
            path = await run_in_threadpool(self.folder.path, asked.get("file", ""))
            stamp = path.stat().st_mtime
        except (NotThere, OSError):
            return _wrong("There is no such file in this folder.", 404)
        if path.is_dir():
            return RedirectResponse("/", status_code=303)
        return await self._begin(Task("file", str(path), sentence, stamp))

    async def own(self, request: Request) -> Response:
        """An example written in the page: its text again with what is wrong beside the line, or the example shown."""
        from workings import examples

        if request.method == "GET":
            return _editor(examples.template())
        text = _form(await request.body()).get("text", "").replace("\r\n", "\n")
        mistake = await run_in_threadpool(_mistake, text)
        if mistake is not None:
            return _editor(text, mistake)
        return await self._begin(Task("text", text), text)

    async def check(self, request: Request) -> Response:
        """Whether a text is an example: {"fine": true}, or what is wrong with it and in which line."""
        text = (await request.body()).decode("utf-8", "replace")
        mistake = await run_in_threadpool(_mistake, text)
        return JSONResponse(
            {"fine": True} if mistake is None else {"fine": False, "said": mistake, "line": _line(mistake)}
        )

    async def write(self, request: Request) -> Response:
        """A text that a model goes on with, token by token."""
        asked = request.query_params
        try:
            path = self._model(asked)
            settings = _settings(asked)
            tokens = [int(token) for token in asked.get("tokens", "").split(",") if token]
        except NotThere:
            return _wrong("There is no such model in this folder.", 404)
        except ValueError:
            return _wrong("A number was expected.", 400)
        chosen = {key: asked[key] for key in ("model", "run") if key in asked}
        text = asked.get("text", "")[:20_000]
        if not text and not tokens:
            return _html("write.html", title="Write", chosen=chosen, text="To be, or", turn=None, settings=settings)
        try:
            turn = await run_in_threadpool(self.models.turn, path, text, tokens, **settings)
        except Exception as error:
            if not isinstance(error, users_errors()):
                raise
            return _wrong(str(error), 400)
        return _html("write.html", title="Write", chosen=chosen, text=text, settings=settings,
                     turn=_shown(turn, chosen, settings))  # fmt: skip

    async def look(self, request: Request) -> Response:
        """Inside a model that reads a text: where its heads look, and what may come next."""
        asked = request.query_params
        try:
            path = self._model(asked)
        except NotThere:
            return _wrong("There is no such model in this folder.", 404)
        text = asked.get("text", "")[:20_000]
        if not text.strip():
            return _wrong("There is nothing to read; type a sentence.", 400)
        return await self._begin(Task("model", str(path), text))

    def _model(self, asked: Mapping[str, str]) -> Path | str:
        """A model that ships, or a run of the folder. Raises NotThere."""
        if "model" in asked:
            if asked["model"] not in runs.shipped_names():
                raise NotThere(asked["model"])
            return asked["model"]
        path = self.folder.path(asked.get("run", ""))
        if not path.is_dir():
            raise NotThere(asked.get("run", ""))
        return path

    # -- work ---------------------------------------------------------------------------------------------------

    async def _begin(self, task: Task, text: str = "") -> Response:
        """Start a job; answer with its page if that is soon there, or with where to wait for it."""
        try:
            job = self.jobs.start(task)
        except TooMany:
            return _wrong("Too much work is waiting. Try again in a while.", 503)
        try:
            await asyncio.wait_for(job.ended.wait(), PATIENCE)
        except TimeoutError:
            return RedirectResponse(f"/work/{job.name}", status_code=303)
        return _finished(job, text)

    async def work(self, request: Request) -> Response:
        """Where a job stands."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return _wrong("There is no such work; it may have been long ago.", 404)
        if job.ended.is_set():
            return _finished(job)
        said = "waits for its turn" if job.state == "waiting" else "is being worked out"
        return _html("wait.html", title="Working", what=seen(_called(job)), said=said, seconds=round(job.seconds),
                     stop=f"/work/{job.name}/stop")  # fmt: skip

    async def stop(self, request: Request) -> Response:
        """End a job."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return _wrong("There is no such work; it may have been long ago.", 404)
        self.jobs.stop(job)
        return RedirectResponse("/", status_code=303)


def _writes(run: Path) -> bool:
    """Whether a training made a model that continues texts."""
    try:
        return bool(json.loads((run / "config.json").read_text(encoding="utf-8")).get("task") == "lm")
    except (OSError, ValueError, AttributeError):
        return False


def _finished(job: Job, text: str = "") -> Response:
    if job.state == "done":
        return HTMLResponse(job.result)
    if job.state == "mistake" and text:
        return _editor(text, job.result)
    if job.state == "mistake":
        return _wrong(job.result, 422)
    if job.state == "stopped":
        return _wrong("It was stopped.", 410)
    return _wrong(f"This is a mistake in Workings, not yours: {job.result}", 500)


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
    return _html(
        "own.html", 422 if mistake else 200, title="An example of yours", text=text, mistake=mistake, near=near
    )


def _form(body: bytes) -> dict[str, str]:
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[0] for name, values in fields.items()}


def _settings(asked: Mapping[str, str]) -> dict[str, Any]:
    """Raises ValueError for what is no number."""
    settings: dict[str, Any] = {"temperature": float(asked.get("temperature") or 1.0)}
    if asked.get("top_k"):
        settings["top_k"] = int(asked["top_k"])
    if asked.get("top_p"):
        settings["top_p"] = float(asked["top_p"])
    return settings


def _shown(turn: Turn, chosen: dict[str, str], settings: dict[str, Any]) -> dict[str, Any]:
    """The candidates, each with the address of the text that it would make."""
    entry, last = turn.entry, turn.entry["stages"][-1]
    kept = {key: value for key, value in settings.items() if value is not None}
    rows = []
    for n, token in enumerate(entry["candidates"]):
        tokens = ",".join(map(str, (*turn.tokens, token)))
        rows.append(
            {
                "piece": seen(entry["pieces"][n]),
                "link": _address("/write", **chosen, **kept, tokens=tokens),
                "logit": number(entry["stages"][0]["logits"][n], _DECIMALS),
                "before": number(entry["stages"][0]["probabilities"][n], _DECIMALS),
                "share": number(last["probabilities"][n], _DECIMALS),
                "bar": round(100 * last["probabilities"][n], 2),
                "chosen": token == entry["chosen"],
                "largest": n == 0,
            }
        )
    back = ",".join(map(str, turn.tokens[:-1]))
    return {
        "pieces": [seen(piece) for piece in turn.pieces],
        "rows": rows,
        "kept": last["kept"],
        "back": _address("/write", **chosen, **kept, tokens=back) if len(turn.tokens) > 1 else "",
    }


def _address(path: str, **query: Any) -> str:
    return f"{path}?{urlencode(query)}"


def _html(name: str, status: int = 200, **about: Any) -> Response:
    style = asset("plain.css") + "\n" + asset("app.css", "workings.app")
    text = template("frame.html", "workings.app").render(
        style=style, title=about["title"], body=template(name, "workings.app").render(**about)
    )
    headers = {"content-security-policy": policy(style, forms="'self'"), "referrer-policy": "same-origin"}
    return HTMLResponse(text, status, headers)


def _wrong(said: str, status: int) -> Response:
    return _html("wrong.html", status, title="Not so", said=said)


__all__ = ["application"]
