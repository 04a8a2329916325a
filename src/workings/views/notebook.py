"""A Working in a notebook: the live page in a frame, and below it what can be read where no script may run."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from workings.recording.operations.bound import as_array
from workings.views import terminal
from workings.views.live import page
from workings.views.live.parts import template
from workings.views.tables import Table, is_distribution

if TYPE_CHECKING:
    from workings.recording.working import Item, Working

HEIGHT = 680
"""Of the frame, in pixels."""


def render(working: Working, *, depth: str = "steps") -> str:
    """HTML for an output cell. The frame may run its own scripts and nothing else; it cannot reach the notebook."""
    if not page.fits(working):
        return f"<pre>{escape(terminal.render(working, depth=depth, colour=False))}</pre>"
    plain = f"<article>{''.join(page.blocks(working, depth))}</article>"
    frame = (
        f'<iframe sandbox="allow-scripts allow-downloads" width="100%" height="{HEIGHT}" '
        f'title="{escape(working.source.name)}" srcdoc="{escape(page.render(working, depth=depth))}"></iframe>'
    )
    return f"{frame}<details><summary>The same, to read without scripts</summary>{plain}</details>"


def render_item(item: Item) -> str:
    """A value as a table, or as a number with its name."""
    array = as_array(item.value)
    name = item.address.split(".")[-1]
    if not array.shape or array.dtype.kind not in "fiub":
        return f"<code>{escape(name)} = {escape(str(item.value))}</code>"
    table = Table(name, item.path, array, item.labels, item.working.decimals, is_distribution(array))
    return str(template("blocks.html").module.table(page.laid_out(table)))  # type: ignore[attr-defined]
