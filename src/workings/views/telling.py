"""A Working told from beginning to end: which sentences, equations, lines, tables and worked elements, in what order.

Nothing is said twice: an equation is written out where it is first used, a value where it is first made.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import workings.equations
from workings.reading.arithmetic import Line
from workings.reading.formula import formula
from workings.reading.formula_symbols import symbol
from workings.reading.walk import Entry, Section, Value, sample, walk, worked
from workings.recording.operations.expression import Leaf
from workings.recording.working import Ref, Working
from workings.views.document import (
    DEPTHS,
    Block,
    Displayed,
    Document,
    Heading,
    Loop,
    Prose,
    Same,
    Step,
    Worked,
)
from workings.views.notices import closing, place
from workings.views.tables import Table, is_distribution, visible

_PACKAGE = Path(workings.equations.__file__).parent.parent
_LOOPS = ("for ", "while ", "async for ")
_MOST_WORKED = 144  # elements of one value that are worked out in full
_MOST_CALLS = 4  # calls of one function from one line that are all shown
ORIENTATION = "Rows ask, columns answer: each row says how one token spreads its attention, and sums to 1."


def tell(working: Working, depth: str = "steps") -> Document:
    """The blocks of a page about ``working``. Raises ``ValueError`` for an unknown depth."""
    if depth not in DEPTHS:
        raise ValueError(f"depth is one of {', '.join(DEPTHS)}, not {depth!r}")
    source = working.source
    title = working.groups[0].title or source.name
    origin = " ".join(dict.fromkeys(w for w in (source.kind, Path(source.file).name if source.file else source.name) if w))
    teller = _Teller(working, depth)
    blocks: list[Block] = []
    if source.error:
        blocks.append(Prose(f"Stopped: {source.error}. What was recorded until then follows.", "error"))
    root = walk(working)
    blocks += teller.story(root) if depth == "sentences" else teller.section(root, None)
    blocks += closing(working)
    return Document(title, origin, blocks)


class _Teller:
    def __init__(self, working: Working, depth: str) -> None:
        self.working = working
        self.depth = depth
        self.home = working.source.file
        self.shown: dict[Ref, str] = {}
        self.said: set[str] = set()
        self.oriented = False
        self.loops: set[tuple[str, int]] = set()
        self.addresses = working.index.shortest()

    # -- sections -----------------------------------------------------------------------------------------------

    def section(self, section: Section, above: Section | None) -> Iterator[Block]:
        if section.level and not self._transparent(section, above):
            yield from self.opening(section)
        helper = self._helper(section)
        outer = above if helper and above is not None else section
        waiting: list[tuple[Entry, Value]] = []
        repeated = self._repeats(section)
        for item in section.items:
            if isinstance(item, Entry):
                yield from self.entry(item, outer, section if helper else None, waiting)
                continue
            times = repeated.get(id(item), 1)
            if times:
                yield from self.section(item, outer)
            if times > 1:
                yield Prose(f"{item.name} is called {times} times here; this was the first.", "note")
            yield from self._waited(waiting, item)
        yield from self._waited(waiting, None)

    def opening(self, section: Section) -> Iterator[Block]:
        """The heading, the plain sentence and the equation, each equation once."""
        equation = section.equation
        first = equation is not None and equation.name not in self.said
        label = equation.label if equation is not None and not first else ""
        title = section.title.replace("_", " ") if section.kind == "call" and equation is None else section.title
        where = place(section.site, self.home)
        called = f"called in {where}" if where and section.kind == "call" and equation is None else ""
        yield Heading(section.level, title, section.number, section.path, label, called)
        if section.detail:
            yield Prose(section.detail)
        elif first:
            yield Prose(section.sentence)
        if equation is not None and first:
            self.said.add(equation.name)
            if self.depth != "sentences":
                yield Displayed(equation.latex, equation.label)

    def _transparent(self, section: Section, above: Section | None) -> bool:
        """A call that stands for its section, or a line of ours that only has to be a function to be recorded."""
        if above is not None and section.equation is not None and above.equation == section.equation:
            return not section.number
        return self._helper(section)

    def _helper(self, section: Section) -> bool:
        if section.kind != "call" or section.equation is not None:
            return False
        entries = [i for i in section.items if isinstance(i, Entry)]
        lines = [e for e in entries if not _is_signature(e)]
        made = {v.ref for e in lines for v in e.values}
        return len(entries) == len(section.items) and len(made) == 1 and all(_is_ours(e) for e in lines)

    def _repeats(self, section: Section) -> dict[int, int]:
        """How often each called section stands for: 0 for one that another stands for."""
        if self.depth == "numbers":
            return {}
        called = [s for s in section.items if isinstance(s, Section) and s.kind == "call" and s.site is not None]
        keys = [(s.name, s.site.file, s.site.line) for s in called if s.site is not None]
        counts = Counter(keys)
        out: dict[int, int] = {}
        seen: set[tuple[str, str, int]] = set()
        for each, key in zip(called, keys, strict=True):
            small = all(len(v.shape) < 2 for e in each.entries() for v in e.values)
            if counts[key] == 1 or (not small and counts[key] <= _MOST_CALLS):
                continue
            out[id(each)] = 0 if key in seen else counts[key]
            seen.add(key)
        return out

    # -- lines --------------------------------------------------------------------------------------------------

    def entry(
        self, entry: Entry, section: Section, helper: Section | None, waiting: list[tuple[Entry, Value]]
    ) -> Iterator[Block]:
        text = entry.site.text if entry.site is not None else ""
        if text.startswith(_LOOPS):
            yield from self._loop(entry, text)
            return
        signature = _is_signature(entry)
        fresh, known, later = [], [], []
        for value in entry.values:
            if value.ref in self.shown or (signature and value.ref.index):
                known.append(value)
            elif self._made_inside(value, section):
                later.append(value)
            else:
                fresh.append(value)
        if later:
            waiting += [(entry, v) for v in later]
            if text:
                yield self._step(entry, section, helper)
        if fresh:
            yield from self._made(entry, fresh, section, helper, said=bool(later))
        elif not later and known and not signature and text and entry.sentence:
            yield self._step(entry, section, helper)
        same = tuple(dict.fromkeys(pair for v in known if (pair := self._pair(v)) is not None))
        if same and not helper and (signature or not fresh):
            yield Same(same)

    def _loop(self, entry: Entry, text: str) -> Iterator[Block]:
        assert entry.site is not None
        key = (entry.site.file, entry.site.line)
        if key not in self.loops:
            self.loops.add(key)
            yield Loop(text.splitlines()[0].rstrip(":"), entry.sentence, place(entry.site, self.home))

    def _made(
        self, entry: Entry, values: list[Value], section: Section, helper: Section | None, *, said: bool
    ) -> Iterator[Block]:
        if len(values) > 1 and all(not v.shape for v in values) and len({v.name for v in values}) == 1:
            yield from self._several(entry, values, section, helper)
            return
        for value in values:
            self.shown[value.ref] = self.address(value)
            lines = self._worked(entry, value)
            number = not value.shape and (not lines or not lines[0].lines)
            result = self._number(value) if number else ""
            yield self._step(entry, section, helper, value, result, plain=said)
            said = True
            if value.shape:
                yield from self._table(value, entry, section)
            yield from lines

    def _several(
        self, entry: Entry, values: list[Value], section: Section, helper: Section | None
    ) -> Iterator[Block]:
        """The numbers of a list that is built one by one."""
        for value in values:
            self.shown[value.ref] = self.address(value)
        yield self._step(entry, section, helper, values[0])
        numbers = np.array([v.array[()] for v in values])
        yield Table(self.name(entry, values[0]), values[0].path, numbers, (None,), self.working.decimals, is_distribution(numbers))
        for value in values if self.depth == "numbers" else values[:1]:
            yield from self._worked(entry, value)

    def _table(self, value: Value, entry: Entry, section: Section) -> Iterator[Block]:
        shaded = not entry.given and is_distribution(value.array)
        name = self.name(entry, value)
        yield Table(name, self.address(value), value.array, value.labels, self.working.decimals, shaded)
        if shaded and not self.oriented and _is_attention(value, name):
            self.oriented = True
            yield Prose(ORIENTATION, "note")

    def _waited(self, waiting: list[tuple[Entry, Value]], after: Section | None) -> Iterator[Block]:
        """Values of a call's line that were expected in the call's own section and did not appear there."""
        for pair in list(waiting):
            entry, value = pair
            inside = after is None or self._is_within(self.working.steps[value.ref.step].group, after.group)
            if value.ref in self.shown:
                waiting.remove(pair)
            elif inside:
                waiting.remove(pair)
                self.shown[value.ref] = self.address(value)
                yield Step(self.name(entry, value), self.address(value), None, "", "", place(entry.site, self.home))
                if value.shape:
                    yield Table(
                        self.name(entry, value), self.address(value), value.array, value.labels, self.working.decimals,
                        is_distribution(value.array),
                    )  # fmt: skip
                yield from self._worked(entry, value)

    # -- pieces -------------------------------------------------------------------------------------------------

    def _step(
        self, entry: Entry, section: Section, helper: Section | None, value: Value | None = None, result: str = "", *,
        plain: bool = False,
    ) -> Step:  # fmt: skip
        value = value if value is not None else entry.values[0]
        name, where = self.name(entry, value), place(entry.site, self.home)
        if plain:
            return Step(name, self.address(value), None, "", "", where, 1, result)
        text = entry.site.text if entry.site is not None else ""
        written = entry.formula
        if helper is not None and text:
            written = formula(text, self._outer_symbols(helper, section, value, entry))
        if _is_signature(entry) or _is_literal(self.working, entry):
            written, text = None, ""
        code = "" if written is not None else text.strip().split("\n")[0]
        return Step(name, self.address(value), written, code, entry.sentence or entry.note, where, entry.times, result)

    def _outer_symbols(self, helper: Section, section: Section, result: Value, entry: Entry) -> dict[str, str]:
        """What the names inside a helper stand for outside: ``rows @ matrix`` reads as X W^Q."""
        known = dict(section.equation.symbols) if section.equation is not None else {}
        out: dict[str, str] = {}
        for each in helper.items:
            if isinstance(each, Entry) and _is_signature(each):
                for value in each.values:
                    outer = self.shown.get(value.ref, value.path).split("[")[0].split(".")[-1].split("#")[0]
                    out[value.name] = known.get(outer) or symbol(outer, {}).latex
        target = self.address(result).split(".")[-1]
        for name in {v.name for v in entry.values if v.name}:
            out[name] = known.get(target) or symbol(target, {}).latex
        return out

    def _worked(self, entry: Entry, value: Value) -> list[Worked]:
        if entry.given or not value.array.size:
            return []
        shape = value.shape
        if self.depth == "numbers":
            size = math.prod(shape)
            places = [tuple(map(int, np.unravel_index(i, shape))) for i in range(min(size, _MOST_WORKED))] if shape else [()]
            more = f"{size - _MOST_WORKED:,} more numbers are made in the same way".replace(",", " ")
            return self._lines(value, places, entry, more if size > _MOST_WORKED else "")
        index = sample(replace(entry, values=(value,)))
        return self._lines(value, [index], entry, "") if index is not None else []

    def _lines(self, value: Value, places: list[tuple[int, ...]], entry: Entry, more: str) -> list[Worked]:
        lines: list[tuple[str, Line]] = []
        for at in places:
            found = worked(self.working, value, at)
            if not found.lines or found.last.expression is None or isinstance(found.last.expression, Leaf):
                continue
            _, bracket, rest = self.working.index.element_path(Ref(value.ref.step, value.ref.index + at)).partition("[")
            lines.append((self.name(entry, value) + bracket + visible(rest) if bracket else self.name(entry, value), found.last))
        return [Worked(tuple(lines), more)] if lines else []

    def name(self, entry: Entry, value: Value) -> str:
        """What a line calls its value: the name it assigns, or the last name of the address."""
        if value.name and value.name != "result":
            return value.name
        targets = entry.site.targets if entry.site is not None else ()
        target = targets[0].partition("[")[0] if len(targets) == 1 else ""
        if target.isidentifier() and target != "result":
            return target
        return self.address(value).split("[")[0].split(".")[-1].split("#")[0]

    def address(self, value: Value) -> str:
        """The shortest unambiguous way to ask for the value again."""
        return self.addresses.get(value.ref, value.path)

    def _pair(self, value: Value) -> tuple[str, str] | None:
        address = self.shown.get(value.ref) or self.working.index.element_path(value.ref)
        name = value.name
        return (name, address) if name and address.split(".")[-1] != name else None

    def _number(self, value: Value) -> str:
        from workings.views.tables import scalar

        return scalar(value.array[()], self.working.decimals)

    def _made_inside(self, value: Value, section: Section) -> bool:
        group = self.working.steps[value.ref.step].group
        return group != section.group and self._is_within(group, section.group) and self._is_called(group, section)

    def _is_called(self, group: int, section: Section) -> bool:
        return any(self._is_within(group, s.group) for s in section.items if isinstance(s, Section))

    def _is_within(self, group: int | None, outer: int) -> bool:
        while group is not None and group != outer:
            group = self.working.groups[group].parent
        return group is not None

    # -- the story in sentences ---------------------------------------------------------------------------------

    def story(self, root: Section) -> Iterator[Block]:
        """Plain sentences and the values that matter: what is given, the weights, and what comes out."""
        for item in root.items:
            if isinstance(item, Section) and item.kind == "section":
                yield from self.opening(item)
                yield from self._main(item)
            elif isinstance(item, Section):
                yield from self.story(item)
            elif (item.sentence or item.given) and not _is_signature(item):
                yield from self._told(item, root)

    def _main(self, section: Section) -> Iterator[Block]:
        own = [e for e in section.items if isinstance(e, Entry)]
        entries = list(section.entries())
        picked: dict[Ref, tuple[Entry, Value]] = {}
        for entry in entries:
            for value in entry.values:
                heavy = not entry.given and is_distribution(value.array) and len(value.shape) > 1
                if heavy or (entry.given and entry in own and len(value.shape) == 2):
                    picked.setdefault(value.ref, (entry, value))
        results = [(e, v) for e in (own or entries) if not e.given for v in e.values]
        for entry, value in results[-1:]:
            picked.setdefault(value.ref, (entry, value))
        for ref, (entry, value) in picked.items():
            if ref not in self.shown:
                yield from self._shown_value(entry, value, section)

    def _told(self, entry: Entry, section: Section) -> Iterator[Block]:
        fresh = [v for v in entry.values if v.ref not in self.shown]
        if entry.sentence:
            yield Prose(entry.sentence[0].upper() + entry.sentence[1:])
        for value in fresh:
            yield from self._shown_value(entry, value, section)

    def _shown_value(self, entry: Entry, value: Value, section: Section) -> Iterator[Block]:
        address = self.address(value)
        self.shown[value.ref] = address
        name = address.split(".")[-1]
        yield Step(name, address, None, "", "", place(entry.site, self.home), 1, "" if value.shape else self._number(value))
        if value.shape:
            yield from self._table(value, entry, section)


def _is_signature(entry: Entry) -> bool:
    """The line of a ``def``, where parameters get their values."""
    site = entry.site
    return site is not None and not site.targets and (not site.text or site.text.startswith(("def ", "async def ", "class ")))


def _is_ours(entry: Entry) -> bool:
    return entry.site is not None and Path(entry.site.file).is_relative_to(_PACKAGE)


def _is_literal(working: Working, entry: Entry) -> bool:
    """Numbers written out in the source: their formula would only repeat the table."""
    steps = [working.steps[n] for n in entry.steps]
    own = {s.number for s in steps}
    literal = all(s.operation in ("given", "array", "asarray", "tensor", "list") for s in steps)
    return literal and any(v.shape for v in entry.values) and all(r.step in own for s in steps for r in s.inputs)


def _is_attention(value: Value, name: str) -> bool:
    """Whether weights are of every token to every token (not, say, of one position over a vocabulary)."""
    if len(value.shape) < 2:
        return False
    rows, columns = value.labels[-2:]
    return value.shape[-1] == value.shape[-2] or name == "weights" or (rows is not None and rows == columns)
