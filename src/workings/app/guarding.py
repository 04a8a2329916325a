"""What reaches the app: requests to this host, from its own pages, of a size and in a time that are bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_TOO_LARGE = 413
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """Refuses what other sites could send through a reader's browser, and what would never end.

    A page from elsewhere can make a browser ask a server on this machine. It cannot choose the Host that names us
    (unless its name was made to lead here: DNS rebinding), nor hide its Origin.
    """

    def __init__(self, app: App, hosts: Collection[str], *, most: int = 1_000_000, seconds: float = 10.0) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.most = most
        self.seconds = seconds

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope["method"], headers)
        body = b""
        if scope["method"] not in ("GET", "HEAD") and (refused is None or refused[0] != _TOO_LARGE):
            found = await self._body(receive, send)  # also of what is refused: who still sends hears no answer
            if found is None:
                return
            body = found
        if refused is not None:
            await _say(send, *refused)
            return
        await self.app(scope, _given(body, receive), _with_headers(send))

    def _refused(self, method: str, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return 400, "This server answers to its own address only."
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host}":
            return 403, "Pages of other origins are not answered."
        elsewhere = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if elsewhere and (method != "GET" or headers.get("sec-fetch-mode") != "navigate"):
            return 403, "Pages of other origins are not answered."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.most:
            return _TOO_LARGE, f"At most {self.most:,} bytes are taken."
        return None

    async def _body(self, receive: Receive, send: Send) -> bytes | None:
        """The whole body; None where it was refused, or nobody sends it any more."""
        body = b""
        try:
            async with asyncio.timeout(self.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    piece: bytes = message.get("body", b"")
                    body += piece
                    if len(body) > self.most:
                        await _say(send, _TOO_LARGE, f"At most {self.most:,} bytes are taken.")
                        return None
                    if not message.get("more_body", False):
                        return body
        except TimeoutError:
            await _say(send, 408, "It took too long to arrive.")
            return None


def _given(body: bytes, receive: Receive) -> Receive:
    """The body as one message; after it, whatever the connection says."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Message:
        return waiting.pop() if waiting else await receive()

    return give


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS]
        await send(message)

    return sent


async def _say(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})
