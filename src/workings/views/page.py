"""The page about a Working: its title, where it comes from, what is told of it, and what closes it."""

from __future__ import annotations

from pathlib import Path

from workings.frozen import evolve
from workings.reading.walk import walk
from workings.recording.working import Working
from workings.views.document import DEPTHS, Block, Document, Heading, Over, Prose, Same
from workings.views.naming import in_notebook
from workings.views.notices import closing
from workings.views.story import Story
from workings.views.telling import Teller
from workings.views.turns import told_apart


def tell(working: Working, depth: str = "steps", *, turns: bool = False) -> Document:
    """The blocks of a page about ``working``; with ``turns`` each turn of a loop stands by itself.

    Raises ``ValueError`` for an unknown depth.
    """
    if depth not in DEPTHS:
        raise ValueError(f"depth is one of {', '.join(DEPTHS)}, not {depth!r}")
    source = working.source
    title = working.groups[0].title or source.name
    file = Path(source.file).name if source.file else source.name
    if in_notebook(source.file):
        file = "in a notebook"
    origin = source.kind if file == title else f"{source.kind} {file}"
    blocks: list[Block] = []
    if working.groups[0].detail:
        blocks.append(Prose(working.groups[0].detail))
    if source.error:
        blocks.append(Prose(f"Stopped: {source.error}. What was recorded until then follows.", "error"))
    if depth == "sentences":
        blocks += Story(working, depth, turns=turns).told(walk(working))
    else:
        root = walk(working, told_apart(working) if turns else ())
        blocks += Teller(working, depth, turns=turns).section(root, None)
    blocks += closing(working)
    return Document(title, origin, _stepped(_joined(blocks)))


def _stepped(blocks: list[Block]) -> list[Block]:
    """The blocks with each heading one level below the one around it, also where a section between them has none."""
    around: list[int] = []
    out: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            around = [*(level for level in around if level < block.level), block.level]
            out.append(evolve(block, level=len(around)))
        elif isinstance(block, Over):
            out.append(Over(sum(level <= block.level for level in around)))
        else:
            out.append(block)
    return out


def _joined(blocks: list[Block]) -> list[Block]:
    """Neighbouring lists of names as one."""
    out: list[Block] = []
    for block in blocks:
        if isinstance(block, Same) and out and isinstance(out[-1], Same):
            out[-1] = Same(tuple(dict.fromkeys(out[-1].names + block.names)))
        else:
            out.append(block)
    return out
