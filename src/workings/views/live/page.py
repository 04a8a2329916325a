"""A Working as one HTML file: everything is in it, nothing is loaded, and it runs without a network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.frozen import frozen
from workings.progress import Report, unheard
from workings.reading.replay import changed_value
from workings.recording.address import AddressError
from workings.recording.operations.bound import as_array
from workings.recording.working import Changes, Ref, Working
from workings.views.data import number as plain
from workings.views.document import (
    DEPTHS,
    Block,
    Displayed,
    Document,
    Heading,
    Listing,
    Loop,
    Over,
    Pair,
    Printed,
    Prose,
    Same,
    Step,
    Turn,
    Worked,
)
from workings.views.live import flow
from workings.views.live.parts import asset, packed, policy, script, seen, template
from workings.views.live.program import Program
from workings.views.live.symbols import Symbols
from workings.views.live.turns import board
from workings.views.live.waves import waves
from workings.views.page import tell
from workings.views.plain import plain_lines
from workings.views.tables import GAP, Table, grid

if TYPE_CHECKING:
    from jinja2 import Template

SCRIPTS = (
    "kernels",
    "numbers",
    "arithmetic",
    "state",
    "dom",
    "tables",
    "beside",
    "symbols",
    "working",
    "labels",
    "plane",
    "diagram",
    "waves",
    "turns",
    "predict",
    "page",
)
MOST = 4096
"""The most numbers of one value that a page lays out; of larger ones the first rows."""
LARGEST = 200_000
"""The most numbers of all steps together for which a page is made."""
_MOST_ROWS, _MOST_COLUMNS = 64, 64


def render(
    working: Working,
    *,
    depth: str = "steps",
    ask: bool = False,
    changes: Changes | None = None,
    report: Report = unheard,
) -> str:
    """The page of a Working. Where it can be recorded under other conventions, the page can change to them.

    Args:
        depth: how much it shows at first.
        ask: begin by asking for each value before it is shown.
        changes: what has been changed when it opens, as `Working.replay` takes it; it can be taken back.
        report: is told how far it is.

    Raises AddressError for a change that names nothing, ValueError for numbers that do not fit or an unknown depth.
    """
    if depth not in DEPTHS:
        raise ValueError(f"depth is one of {', '.join(DEPTHS)}, not {depth!r}")
    blocks = template("blocks.html")
    base = _Story("as it is", working, blocks, report)
    variants = working.source.variants() if working.source.variants is not None else {}
    others: list[_Story] = []
    report("working it out under other conventions", others, len(variants), "conventions")
    for name, make in variants.items():
        others.append(_Story(name, make(), blocks))
    report("drawing the page")
    maps: list[dict[str, Any]] = []
    for story in (base, *others):
        maps += [each for each in story.waves if each not in maps]
    data = {
        "programs": [story.data(maps, base if story is not base else None) for story in (base, *others)],
        "waves": maps,
        "depth": depth,
        "ask": ask,
        "changes": base.changes(changes or {}),
        "glossary": {word: said for story in (base, *others) for word, said in story.symbols.words.items()},
    }
    scripts = script(*SCRIPTS)
    style = asset("page.css")
    return template("page.html").render(
        title=seen(base.document.title),
        origin=seen(base.document.origin),
        contents=base.contents,
        stories=base.stories,
        data=packed(data),
        script=scripts,
        style=style,
        policy=policy(style, scripts),
    )


def fits(working: Working) -> bool:
    """Whether a Working is of a size for paper: few enough numbers that a page can hold and run all of them."""
    return sum(math.prod(step.shape) for step in working.steps) <= LARGEST


def blocks(working: Working, depth: str) -> list[str]:
    """The text of a page, block by block, without what makes it live. Raises ValueError for an unknown depth.

    Formulas are a line of text: of MathML, a reader that does not trust a page leaves letters in a row.
    """
    story = _Story("", working, template("blocks.html"), still=True)
    return story.stories["sentences" if depth == "sentences" else "steps"]


def laid_out(block: Table) -> dict[str, Any]:
    """A table as the template wants it."""
    return {
        "kind": "table", "name": seen(block.name), "path": block.path, "at": "",
        "shape": " × ".join(map(str, block.shape)), "grids": list(_grids(block)), "shaded": block.shaded,
        "flat": len(block.shape) == 1, "cut": block.array.size > MOST,
    }  # fmt: skip


def _grids(block: Table) -> Iterator[_Rows]:
    """The matrices of a value, each cell with its place in it."""
    places = np.arange(block.array.size).reshape(block.shape)
    leading = block.shape[:-2] if len(block.shape) > 2 else ()
    shown = 0
    for index in np.ndindex(*leading):
        if shown > MOST:
            return
        cells = grid(block, _MOST_ROWS, _MOST_COLUMNS, index)
        own = grid(Table("", "", places, block.labels, 0), _MOST_ROWS, _MOST_COLUMNS, index)
        rows = []
        for (label, row), (_, spots) in zip(cells.rows, own.rows, strict=True):
            numbers = [-1 if spot.text == GAP else int(spot.text) for spot in spots]
            rows.append((label, tuple(zip((cell.text for cell in row), numbers, strict=True))))
            shown += len(numbers)
        yield _Rows(seen(cells.caption), cells.columns, cells.named_columns, cells.named_rows, tuple(rows))


@frozen
class _Rows:
    """A table as it is laid out: its heads, and for each row its label and its cells as text and place."""

    caption: str
    columns: tuple[str, ...]
    named_columns: bool
    named_rows: bool
    rows: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


def _places(block: dict[str, Any]) -> list[str]:
    """Where the numbers of a block are, in the order in which the template writes them."""
    if block["kind"] == "worked":
        return [line["at"] for line in block["lines"] if line["at"]]
    if block.get("board"):
        return list(block["board"]["at"])
    return [block["at"]] if block.get("at") else []


def _bare(block: dict[str, Any]) -> str:
    """A block without its numbers: what two programs have in common."""
    kept = {key: value for key, value in block.items() if key not in ("at", "result", "lines", "grids", "board")}
    kept["result"] = bool(block.get("result"))
    kept["board"] = bool(block.get("board"))
    kept["lines"] = [bool(line["at"]) or line["text"] for line in block.get("lines", ())]
    kept["grids"] = [
        (g.caption, g.columns, [(label, [place for _, place in cells]) for label, cells in g.rows])
        for g in block.get("grids", ())
    ]
    return repr(kept)


class _Story:
    """One program with the documents that tell it, block by block."""

    def __init__(
        self, name: str, working: Working, template: Template, report: Report = unheard, *, still: bool = False
    ) -> None:
        self.name = name
        self.still = still
        self.working = working
        self.program = Program(working, report)
        report("drawing the page")
        self.waves = waves(working)
        self.document: Document = tell(working, "steps", turns=True)
        self.symbols = Symbols(self.program, self.document.blocks)
        self.blocks = {
            "sentences": list(self._blocks(tell(working, "sentences", turns=True))),
            "steps": list(self._blocks(self.document)),
        }
        write = template.module.block  # type: ignore[attr-defined]
        self.stories = {
            depth: [str(write(block, f"{depth}-{n}")).strip() for n, block in enumerate(blocks)]
            for depth, blocks in self.blocks.items()
        }
        self.contents = [
            {"id": f"steps-{n}", "number": block["number"], "text": block["text"]}
            for n, block in enumerate(self.blocks["steps"])
            if block["kind"] == "heading" and block["level"] < 2
        ]

    def changes(self, changes: Changes) -> list[list[Any]]:
        """Changes as the page keeps them: node, place and number."""
        whole: dict[Ref, Any] = {}
        for address, new in changes.items():
            ref, value = changed_value(self.working, address, new, {r.step: v for r, v in whole.items()})
            whole[Ref(ref.step)] = value
        return self._changed(whole.items())

    def _changed(self, changes: Iterable[tuple[Ref, Any]]) -> list[list[Any]]:
        """Whole new values as the numbers in them that differ."""
        out = []
        for ref, value in changes:
            node, start, _ = self.program.view(Ref(ref.step))
            old = as_array(self.working.value(Ref(ref.step))).reshape(-1).tolist()
            new = as_array(value).reshape(-1).tolist()
            pairs = enumerate(zip(old, new, strict=True))
            out += [[node, start + place, plain(after)] for place, (before, after) in pairs if before != after]
        return out

    def _questions(self) -> list[dict[str, Any]]:
        return [
            {"ask": q.ask, "at": self.program.view(q.at)[:2], "changes": self._changed(q.changes)}
            for q in self.working.questions
        ]

    def data(self, maps: list[dict[str, Any]], base: _Story | None) -> dict[str, Any]:
        """The program with what it is called; which of the maps are its own; how its text differs from the base's."""
        about = {
            "name": self.name, **self.program.data(), "lines": self._source(), "questions": self._questions(),
            "values": self.symbols.data(), "waves": [maps.index(each) for each in self.waves],
            "parts": flow.written(flow.parts(self.working), self.program.of_step),
        }  # fmt: skip
        if base is not None:
            about["stories"] = {depth: self._against(base, depth) for depth in self.stories}
        return about

    def _against(self, base: _Story, depth: str) -> list[Any]:
        """The text of a story: a block of the base with the places of its numbers, or a block of its own."""
        known = {_bare(block): n for n, block in enumerate(base.blocks[depth])}
        out: list[Any] = []
        for block, html in zip(self.blocks[depth], self.stories[depth], strict=True):
            same = known.get(_bare(block))
            out.append(html if same is None else [same, *_places(block)])
        return out

    def _source(self) -> list[str]:
        source = self.working.source
        return source.text.splitlines() if source.kind in ("script", "function") and len(source.text) < 60_000 else []

    def _blocks(self, document: Document) -> Iterator[dict[str, Any]]:
        """The document's blocks as the template wants them; arithmetic belongs to the value before it."""
        last: Ref | None = None
        for block in document.blocks:
            made = self.block(block, last)
            if isinstance(block, Heading):
                made["tag"] = f"h{min(block.level + 1, 6)}"
            ref = made.pop("ref", None)
            if made["kind"] in ("table", "step"):
                last = ref or last
            yield made

    def block(self, block: Block, last: Ref | None) -> dict[str, Any]:
        match block:
            case Turn():
                return {
                    "kind": "turn", "level": block.level, "text": seen(block.text), "loop": seen(block.loop),
                    "path": block.path, "board": board(self.working, block.group, self.program.view),
                }  # fmt: skip
            case Heading():
                return {
                    "kind": "heading", "level": block.level, "text": seen(block.text), "number": block.number,
                    "label": block.label, "path": block.path, "place": block.place,
                }  # fmt: skip
            case Prose():
                return {"kind": "prose", "tone": block.kind, "text": seen(block.text)}
            case Displayed():
                written = {"texts": plain_lines(block.latex)} if self.still else {"math": self.symbols.equation(block)}
                return {"kind": "equation", **written, "label": block.label}
            case Step():
                return self._step(block)
            case Loop():
                return {"kind": "loop", "code": seen(block.code), "said": seen(block.sentence)}
            case Over():
                return {"kind": "over", "level": block.level}
            case Same():
                chains = [" = ".join(map(seen, chain)) for chain in block.chains]
                return {"kind": "same", "text": ", ".join(chains)}
            case Table():
                return self._table(block)
            case Pair():
                return self._table(block.after)
            case Worked():
                return self._worked(block, last)
            case Listing():
                rows = [(seen(name), seen(said)) for name, said in block.rows]
                return {"kind": "listing", "title": block.title, "rows": rows}
            case Printed():
                return {"kind": "printed", "text": block.text}

    def _find(self, address: str) -> Ref | None:
        try:
            return self.working.find(address) if address else None
        except AddressError:
            return None

    def _at(self, ref: Ref | None) -> str:
        """Where the page finds a value: node, first place, count."""
        if ref is None:
            return ""
        node, start, _ = self.program.view(ref)
        return f"{node},{start}"

    def _step(self, block: Step) -> dict[str, Any]:
        ref = self._find(block.path)
        scalar = ref is not None and not self.working.steps[ref.step].shape[len(ref.index) :]
        code, math = block.code, ""
        if block.stated:
            code = ""  # the number itself stands there, to be changed
        elif block.formula is not None and self.still:
            code = block.formula.text
        elif block.formula is not None:
            math = self.symbols.formula(block)
        return {
            "kind": "step", "name": seen(block.name), "path": block.path, "code": seen(code),
            "math": math, "said": seen(block.sentence),
            "place": block.place, "times": block.times, "result": block.result,
            "at": self._at(ref) if scalar and block.result else "", "ref": ref,
        }  # fmt: skip

    def _table(self, block: Table) -> dict[str, Any]:
        ref = self._find(block.path)
        return {**laid_out(block), "at": self._at(ref), "ref": ref}

    def _worked(self, block: Worked, last: Ref | None) -> dict[str, Any]:
        lines = []
        for label, line in block.lines:
            ref = self._element(label, last)
            lines.append({"text": line.text(label=label), "at": self._at(ref) if ref is not None else ""})
        return {"kind": "worked", "lines": lines, "more": block.more}

    def _element(self, label: str, last: Ref | None) -> Ref | None:
        """The number that a line works out: the value before it, at the place in the label's brackets."""
        if last is None:
            return None
        _, bracket, inside = label.partition("[")
        if not bracket:
            return last
        return self._find(f"{self.working.path(last.step)}[{inside}")
