"""`workings serve`: examples, files of a folder and trained models in the browser."""

from __future__ import annotations

import socket
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from workings.commands.output import write
from workings.commands.problems import UserError, say

PORT = 8017
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def options(parser: ArgumentParser) -> None:
    """What `workings serve` takes."""
    add = parser.add_argument
    add("folder", metavar="FOLDER", nargs="?", default=".", help="the one folder it may read; this one unless given")
    add("--port", metavar="N", type=_port, default=PORT, help=f"where it listens; {PORT} unless given, 0 for any")
    add("--host", metavar="ADDRESS", default="127.0.0.1", help="this machine only (127.0.0.1) unless given")
    add("--allow-code", action="store_true", help="let scripts (.py) of the folder be run")


def run(found: Namespace) -> None:
    """Serve until interrupted. Raises UserError."""
    folder = Path(found.folder)
    if not folder.is_dir():
        raise UserError(f"{found.folder}: there is no such folder", "a folder", "leave it out for this one")
    try:
        import uvicorn

        from workings.app.server import application
    except ModuleNotFoundError as error:
        hint = "install what is needed with: pip install 'workings[app]'"
        raise UserError(f"{error.name} cannot be imported, which the app needs", "", hint) from None
    listening = _listening(found.host, found.port)
    port = listening.getsockname()[1]
    names = [*_LOOPBACK[:2], "[::1]"] if found.host in _LOOPBACK else [found.host]
    hosts = [f"{name}:{port}" for name in names]
    if found.host not in _LOOPBACK:
        say(f"workings: anyone who reaches {found.host} can read the examples and trainings in this folder")
    if found.allow_code:
        say("workings: scripts in this folder are run when their page is opened")
    write(f"Open http://{'localhost' if found.host in _LOOPBACK else found.host}:{port}/ · stop with Ctrl-C")
    config = uvicorn.Config(
        application(folder, hosts, code=found.allow_code), log_level="warning", server_header=False,
        limit_concurrency=256, timeout_keep_alive=5, timeout_graceful_shutdown=2, ws="none",
    )  # fmt: skip
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        found = f"--host {host} --port {port}: cannot listen there ({error.strerror or error})"
        raise UserError(found, "a port that is free", "take another, or --port 0 for any") from None


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is not a port; expected a whole number from 0 to 65535")
    return int(text)
