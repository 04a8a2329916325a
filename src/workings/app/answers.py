"""What the app answers with: pages that are whole without scripts, in one frame."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from workings.views.live.parts import asset, policy, script, template


def address(path: str, **query: Any) -> str:
    """An address of the app."""
    return f"{path}?{urlencode(query)}"


def page(name: str, status: int = 200, /, *, scripts: tuple[str, ...] = (), **about: Any) -> Response:
    """A page from its template. One with scripts asks the server on; without them it is loaded again every second."""
    style = asset("plain.css") + "\n" + asset("app.css", "workings.app")
    code = script(*scripts, package="workings.app") if scripts else ""
    text = template("frame.html", "workings.app").render(
        style=style, script=code, title=about["title"], body=template(name, "workings.app").render(**about)
    )
    rules = policy(style, code, forms="'self'", asks="'self'" if code else "")
    return HTMLResponse(text, status, {"content-security-policy": rules, "referrer-policy": "same-origin"})


def wrong(said: str, status: int) -> Response:
    """What is not so."""
    return page("wrong.html", status, title="Not so", said=said)
