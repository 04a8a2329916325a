"""A Working in a notebook: the live page in a frame, and below it what can be read where no script may run."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from workings.recording.operations.bound import as_array
from workings.views import terminal
from workings.views.live import page, pages
from workings.views.live.parts import template
from workings.views.tables import Table, is_distribution

if TYPE_CHECKING:
    from workings.recording.working import Item, Working

HEIGHT = 680
"""Of the frame, in pixels."""


def render(working: Working, *, depth: str = "steps") -> str:
    """HTML for an output cell. The frame may run its own scripts and nothing else; it cannot reach the notebook."""
    try:
        live = pages.render(working, depth=depth)
    except pages.TooLarge:
        return plain(terminal.render(working, depth=depth, colour=False))
    frame = (
        f'<iframe sandbox="allow-scripts allow-downloads" title="{escape(working.source.name)}" width="100%" '
        f'height="{HEIGHT}" style="border: 1px solid #8888" srcdoc="{escape(live)}"></iframe>'
    )
    return f"{frame}<details><summary>All of it, to read without scripts</summary>{_still(working, depth)}</details>"


def _still(working: Working, depth: str) -> str:
    """What is to be read where no script may run."""
    if page.fits(working):
        return f"<article>{''.join(page.blocks(working, depth))}</article>"
    return plain(terminal.render(working, depth=depth, colour=False))


def plain(text: str) -> str:
    """A text of the terminal in an output cell: notebooks give `pre` the letters of the text around it."""
    return f'<pre style="font-family: monospace; overflow-x: auto">{escape(text)}</pre>'


def render_item(item: Item) -> str:
    """A value as a table, or as a number with its name."""
    array = as_array(item.value)
    name = item.address.split(".")[-1]
    if not array.shape or array.dtype.kind not in "fiub":
        return f"<code>{escape(name)} = {escape(str(item.value))}</code>"
    table = Table(name, item.path, array, item.labels, item.working.decimals, is_distribution(array))
    return str(template("blocks.html").module.table(page.laid_out(table)))  # type: ignore[attr-defined]
