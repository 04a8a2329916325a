"""Pages in Chromium: a new one for each test. No network: nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page's HTML from disk. Whatever it complains of, and whatever it asks the network for, fails the test."""
    complaints: list[str] = []
    contexts = []

    def open_html(html: str, width: int = 1400, height: int = 900, **about: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **about)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: complaints.append(asked.url) if asked.url.startswith("http") else None)
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(html, encoding="utf-8")
        page.goto(file.as_uri())
        if about.get("java_script_enabled", True):
            page.wait_for_selector("body[data-ready]")
        return page

    yield open_html
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def kernels(browser: Any) -> Iterator[Any]:
    """A page that holds nothing but the kernels."""
    from workings.views.live.parts import script

    names = "Machine, Reader, Notation, numberText, column, typed, exactCall, FUNCTIONS, SIGNS"
    page = browser.new_page()
    page.add_script_tag(content=script("kernels", "numbers", "arithmetic") + f"\nwindow.W = {{ {names} }};")
    yield page
    page.close()
