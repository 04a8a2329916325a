"""The app as a server of its own on a free port, asked over HTTP."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

uvicorn = pytest.importorskip("uvicorn")
pytest.importorskip("starlette")


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Client:
    """Asks one server; headers that are given replace those a browser would send."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(connection):
            # Refused while it is still sending, it finds the answer there all the same.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body, sent, encode_chunked="Transfer-Encoding" in sent)
            response = connection.getresponse()
            text = response.read().decode("utf-8")
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)

    def follow(self, path: str, seconds: float = 60.0, **about: Any) -> Answer:
        """Ask, and wait for work that goes on."""
        answer = self.ask(path, **about)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if answer.status == 303:
                path = answer.headers["location"]
            elif 'http-equiv="refresh"' not in answer.text:
                return answer
            time.sleep(0.2)
            answer = self.ask(path)
        raise AssertionError(f"{path} was not done in {seconds} s")


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Starts the app over a folder."""
    from workings.app.serve import _listening
    from workings.app.server import application

    started = []

    def start(folder: Path = tmp_path, *, code: bool = False) -> Client:
        listening = _listening("127.0.0.1", 0)
        port = listening.getsockname()[1]
        hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
        config = uvicorn.Config(application(folder, hosts, code=code), log_level="warning", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = time.monotonic() + 20
        while not server.started and time.monotonic() < until:
            time.sleep(0.02)
        started.append((server, thread, listening))
        return Client(port)

    yield start
    for server, thread, listening in started:
        server.should_exit = True
        thread.join(20)
        listening.close()
