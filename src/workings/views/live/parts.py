"""What the pages share: their files, their templates, and how texts and scripts are put into them."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from workings.views.tables import visible

if TYPE_CHECKING:
    from jinja2 import Template


def seen(text: str) -> str:
    """Text with nothing hidden in it; nothing stays nothing."""
    return visible(text) if text else ""


def bar(share: float) -> float:
    """How long the bar of a share is drawn, of 100; what is no finite number has none."""
    return round(100 * share, 2) if math.isfinite(share) else 0.0


def asset(name: str, package: str = "workings.views.live") -> str:
    """A file of a page, without the indentation and the comments that only its authors need."""
    text = files(package).joinpath("assets", name).read_text(encoding="utf-8")
    if name.endswith(".html"):
        return text
    lines = (line.strip().split(" // ")[0].rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def script(*names: str, package: str = "workings.views.live") -> str:
    """The page's own scripts, as one."""
    return "\n".join(['"use strict";', *(asset(f"{name}.js", package) for name in names)])


def template(name: str, package: str = "workings.views.live") -> Template:
    """A template of a page. What is put into it is escaped."""
    from jinja2 import Environment, FunctionLoader

    there = FunctionLoader(lambda part: asset(part, package))
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=there).get_template(name)


def policy(style: str, script: str = "", *, forms: str = "'none'", asks: str = "") -> str:
    """The content-security policy of a page: its own style and script, by their digests, and nothing else.

    `forms` is where its forms may be sent, `asks` what its script may ask for.
    """
    scripts = f"script-src '{_digest(script)}'; " if script else ""
    scripts += f"connect-src {asks}; " if asks else ""
    rest = f"img-src data:; base-uri 'none'; form-action {forms}"
    return f"default-src 'none'; {scripts}style-src '{_digest(style)}'; {rest}"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def packed(data: Any) -> str:
    """JSON, deflated and in base 64: a page can hold it as it is, and it is a tenth of its size."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeeze.compress(text.encode()) + squeeze.flush()).decode()
