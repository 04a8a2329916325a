"""A Working told from beginning to end: which sentences, equations, lines, tables and worked elements, in what order.

Nothing is said twice: an equation is written out where it is first used, a value where it is first made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from workings.frozen import evolve
from workings.reading.formula import formula
from workings.reading.line import Line
from workings.reading.sections import Entry, Section, Value, sample, worked
from workings.reading.source_lines import is_number, own_name, place_written
from workings.recording.operations.expression import Leaf
from workings.recording.working import Binding, Ref, Site, Working
from workings.views.calls import outer_symbols, repeats
from workings.views.document import (
    Block,
    Displayed,
    Heading,
    Loop,
    Over,
    Prose,
    Same,
    Step,
    Turn,
    Worked,
)
from workings.views.lines import (
    UNFILLED,
    is_attention,
    is_def,
    is_literal,
    is_loop,
    is_machinery,
    is_ours,
    is_signature,
    within_package,
)
from workings.views.naming import addresses, last_name, spoken
from workings.views.notices import place
from workings.views.tables import Table, is_distribution, visible
from workings.views.turns import begins, code, ends, written

_MOST_PLACES = 8  # of a dictionary, a list of arrays or the parameters of a model, that one line shows
_MOST_WORKED = 144  # elements of one value that are worked out in full
ORIENTATION = "A row asks, a column answers; each row sums to 1."
_Waiting = list[tuple[Entry, Value]]


class Teller:
    """Goes through the sections of a Working and remembers what it has said."""

    def __init__(self, working: Working, depth: str, *, turns: bool = False) -> None:
        self.working = working
        self.depth = depth
        self.turns = turns
        self.home = working.source.file
        self.shown: dict[Ref, str] = {}
        self.said: set[str] = set()
        self.oriented = False
        self.renamed: set[tuple[str, str]] = set()
        self.loops: set[Site | None] = set()
        self.explained: set[str] = set()
        self.filled: dict[str, tuple[Entry, Value]] = {}
        self.bindings: dict[int, list[Binding]] = {}
        for binding in working.bindings:
            self.bindings.setdefault(binding.group, []).append(binding)
        self.addresses = addresses(working)

    # -- sections -----------------------------------------------------------------------------------------------

    def section(self, section: Section, above: Section | None) -> Iterator[Block]:
        if section.level and not self._transparent(section, above):
            yield from self.opening(section)
        helper = self._helper(section)
        outer = above if helper and above is not None else section
        if above is None or section.level == 1:
            self.renamed = set()
        if not helper and not (section.kind == "turn" and section.site is not None):
            yield from self._renamings(section)
        waiting: _Waiting = []
        repeated = repeats(section) if self.depth != "numbers" else {}
        for place_, item in enumerate(section.items):
            if isinstance(item, Entry):
                yield from self.entry(item, section, outer, waiting)
                continue
            if item.site is not None and begins(section.items, place_):
                yield from self._loop(item.site)
            times = repeated.get(id(item), 1)
            if times:
                yield from self.section(item, outer)
            if self.turns and ends(section.items, place_):
                yield self._over(item)
                if section.kind != "turn":
                    yield from self._whole(section)
            if times > 1:
                yield Prose(f"{item.name} is called {times} times here; this was the first.", "note")
            yield from self._waited(waiting, item)
        yield from self._waited(waiting, None)

    def opening(self, section: Section) -> Iterator[Block]:
        """The heading, the plain sentence and the equation, each equation once."""
        if section.kind == "turn" and self.turns:
            above = self.working.groups[self.working.groups[section.group].parent or 0]
            loop = code(section.site) if section.site is not None else above.title
            yield Turn(section.level, section.title, path=section.path, loop=loop, group=section.group)
            return
        equation = section.equation
        first = equation is not None and equation.name not in self.said
        label = equation.label if equation is not None and not first else ""
        title = spoken(section.title) if section.kind == "call" and equation is None else section.title
        where = place(section.site, self.home)
        called = f"called in {where}" if where and self._is_called_here(section) else ""
        yield Heading(section.level, title, section.number, section.path, label, called)
        if section.detail:
            yield Prose(section.detail)
        elif first:
            yield Prose(section.sentence)
        if equation is not None and first:
            self.said.add(equation.name)
            if self.depth != "sentences":
                yield Displayed(equation.latex, equation.label, equation.symbols, section.group)

    def _is_called_here(self, section: Section) -> bool:
        """Whether it is this section, and not the one around it, that the reader's own line calls."""
        if section.kind == "module":
            above = self.working.groups[self.working.groups[section.group].parent or 0]
            return section.site != above.site
        return section.kind == "call" and not within_package(section.site)

    def _transparent(self, section: Section, above: Section | None) -> bool:
        """A call that stands for its section, or a line of ours that only has to be a function to be recorded."""
        if above is not None and section.equation is not None and above.equation == section.equation:
            return not section.number
        return self._helper(section)

    def _helper(self, section: Section) -> bool:
        if section.kind != "call" or section.equation is not None:
            return False
        entries = [i for i in section.items if isinstance(i, Entry)]
        lines = [e for e in entries if not is_signature(e)]
        made = {v.ref for e in lines for v in e.values}
        return len(entries) == len(section.items) and len(made) == 1 and all(is_ours(e) for e in lines)

    # -- lines --------------------------------------------------------------------------------------------------

    def entry(self, entry: Entry, section: Section, outer: Section, waiting: _Waiting) -> Iterator[Block]:
        """A line. ``outer`` is the section a reader sees it in: another where ``section`` is only a helper of ours."""
        text = entry.site.text if entry.site is not None else ""
        if is_ours(entry) and is_machinery(entry):
            return
        if entry.site is not None and is_loop(entry):
            yield from self._running(entry) if section.kind == "turn" else self._loop(entry.site)
            return
        if entry.held:
            yield evolve(self._step(entry, section, outer), path="")
            return
        signature = is_signature(entry)
        fresh, known, later = [], [], []
        for value in entry.values:
            part = written(self.working, value) if section.kind == "turn" and entry.times == 1 else value
            if part is not value:
                self.filled[value.name] = entry, value
                fresh.append(part)
                continue
            if value.ref in self.shown or (signature and (value.ref.index or not value.shape)):
                known.append(value)
            elif self._made_inside(value, section):
                later.append(value)
            else:
                fresh.append(value)
        if later:
            waiting += [(entry, v) for v in later]
            if text:
                yield self._step(entry, section, outer)
        if fresh:
            yield from self._made(entry, fresh, section, outer, said=bool(later))
        elif known and not later and not signature and text:
            yield self._step(entry, section, outer)
        elif known and entry.unwritten:
            pairs = tuple((v.name, self.shown[v.ref]) for v in known if v.name != last_name(self.shown[v.ref]))
            yield from [Same(pairs)] if not self.renamed.issuperset(pairs) else []

    def _renamings(self, section: Section) -> Iterator[Block]:
        """What the parameters of a call, or the names at the head of a section, stand for."""
        pairs: list[tuple[str, str]] = []
        for binding in self.bindings.get(section.group, ()):
            ref = binding.ref
            library = section.kind == "module" and binding.site == section.site
            if binding.site is not None and not is_def(binding.site) and not library:
                continue
            if self.working.steps[ref.step].group == section.group:
                continue
            address = self.shown.get(ref, "")
            if not address and ref.index and Ref(ref.step) in self.shown:
                address = self.working.index.element_path(ref)
            pair = (binding.name, address)
            if address and address.split(".")[-1] != binding.name and pair not in self.renamed:
                pairs.append(pair)
        self.renamed.update(pairs)
        if pairs:
            yield Same(tuple(dict.fromkeys(pairs)))

    def _loop(self, site: Site) -> Iterator[Block]:
        if site not in self.loops:
            self.loops.add(site)
            yield Loop(code(site), site.comment, place(site, self.home))

    def _running(self, entry: Entry) -> Iterator[Block]:
        """What the variables of a loop stand for in one of its turns."""
        pairs = []
        for value in (v for v in entry.values if entry.site is not None and v.name in entry.site.targets):
            known = self.shown.get(value.ref) or self.working.index.element_path(value.ref)
            pairs.append((value.name, known if value.shape else self._number(value)))
        if pairs:
            yield Same(tuple(pairs))

    def _over(self, turn: Section) -> Block:
        """The end of a loop, which is written out again where it runs once more."""
        self.loops.discard(turn.site)
        return Over(turn.level)

    def _whole(self, section: Section) -> Iterator[Block]:
        """The arrays that the turns of a loop have filled, part by part."""
        for entry, value in self.filled.values():
            self.shown[value.ref] = address = self.address(value)
            yield Step(self.name(entry, value), address, None, "", "", place(entry.site, self.home))
            yield from self._table(value, entry, section)
        self.filled.clear()

    def _made(
        self, entry: Entry, values: list[Value], section: Section, outer: Section, *, said: bool
    ) -> Iterator[Block]:
        if len(values) > 1 and all(not v.shape for v in values) and len({v.name for v in values}) == 1:
            yield from self._several(entry, values, section, outer)
            return
        left = [value for value in values if "[" in value.name or "." in value.name][_MOST_PLACES:]
        for value in (v for v in values if not any(v is other for other in left)):
            self.shown[value.ref] = self.address(value)
            lines = self._worked(entry, value)
            result = self._number(value) if not value.shape and not lines else ""
            if entry.operation in UNFILLED:
                step = self._step(entry, section, outer, value, plain=said)
                yield evolve(step, sentence=entry.sentence or "not filled yet")
                continue
            several = bool(result) and entry.site is not None and len(entry.site.targets) > 1
            yield self._step(entry, section, outer, value, result, plain=said or several)
            said = True
            if entry.moved:
                continue
            if value.shape:
                yield from self._table(value, entry, section)
            yield from lines
        if left:
            names = ", ".join(value.name for value in left[:3])
            yield Prose(f"{len(left)} more places of the same line have their addresses too: {names}, …", "note")

    def _several(self, entry: Entry, values: list[Value], section: Section, outer: Section) -> Iterator[Block]:
        """The numbers of a list that is built one by one."""
        for value in values:
            self.shown[value.ref] = self.address(value)
        yield evolve(self._step(entry, section, outer, values[0]), path="")
        numbers = np.array([v.array[()] for v in values])
        yield Table("", "", numbers, (None,), self.working.decimals, is_distribution(numbers))
        for place_, value in enumerate(values if self.depth == "numbers" else values[:1]):
            yield from (Worked(tuple((f"[{place_}]", line) for _, line in w.lines)) for w in self._worked(entry, value))

    def _table(self, value: Value, entry: Entry, section: Section) -> Iterator[Block]:
        shaded = not entry.given and is_distribution(value.array)
        name = self.name(entry, value)
        yield Table(name, self.address(value), value.array, value.labels, self.working.decimals, shaded)
        if shaded and not self.oriented and is_attention(value, name):
            self.oriented = True
            yield Prose(ORIENTATION, "note")

    def _waited(self, waiting: _Waiting, after: Section | None) -> Iterator[Block]:
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
        self, entry: Entry, section: Section, outer: Section, value: Value | None = None, result: str = "", *,
        plain: bool = False,
    ) -> Step:  # fmt: skip
        value = value if value is not None else entry.values[0]
        name, where = self.name(entry, value), place(entry.site, self.home)
        if plain:
            return Step(name, self.address(value), None, "", "", where, 1, result)
        text = entry.site.text if entry.site is not None else ""
        written, helper = entry.formula, outer is not section and bool(text)
        if helper:
            written = formula(text, self._symbols(section, outer, value, entry))
        if is_signature(entry) or is_literal(self.working, entry):
            written, text = None, ""
        code = "" if written is not None else text.strip().split("\n")[0]
        sentence = entry.sentence or entry.note
        stated = bool(result) and is_number(text)
        if entry.about and not sentence and entry.about not in self.explained:
            self.explained.add(entry.about)
            sentence = entry.about
        return Step(
            name, self.address(value), written, code, sentence, where, entry.times, result, entry.line, helper, stated
        )

    def _symbols(self, helper: Section, outer: Section, result: Value, entry: Entry) -> dict[str, str]:
        """What the names inside a helper stand for outside: ``rows @ matrix`` reads as X W^Q."""
        inner = {name: self.address(result) for name in (v.name for v in entry.values) if name}
        for binding in self.bindings.get(helper.group, ()):
            if binding.site is not None and is_def(binding.site):
                inner[binding.name] = self.shown.get(binding.ref, self.working.path(binding.ref.step))
        return outer_symbols(inner, outer)

    def _worked(self, entry: Entry, value: Value) -> list[Worked]:
        if entry.given or not value.array.size or (entry.operation == "round" and not value.name):
            return []
        shape = value.shape
        if self.depth == "numbers":
            size = math.prod(shape)
            places: list[tuple[int, ...]] = [()]
            if shape:
                places = [tuple(map(int, np.unravel_index(i, shape))) for i in range(min(size, _MOST_WORKED))]
            more = f"{size - _MOST_WORKED:,} more numbers are made in the same way".replace(",", " ")
            return self._lines(value, places, entry, more if size > _MOST_WORKED else "")
        index = sample(self.working, evolve(entry, values=(value,)))
        return self._lines(value, [index], entry, "") if index is not None else []

    def _lines(self, value: Value, places: list[tuple[int, ...]], entry: Entry, more: str) -> list[Worked]:
        lines: list[tuple[str, Line]] = []
        for at in places:
            found = worked(self.working, value, at)
            if not found.lines or found.last.expression is None or isinstance(found.last.expression, Leaf):
                continue
            name = self.name(entry, value)
            _, bracket, rest = self.working.index.element_path(Ref(value.ref.step, value.ref.index + at)).partition("[")
            lines.append((name + bracket + visible(rest) if bracket else name, found.last))
        return [Worked(tuple(lines), more)] if lines else []

    def name(self, entry: Entry, value: Value) -> str:
        """What a line calls its value: the name it assigns, or the last name of the address."""
        if is_ours(entry):
            return self._last_name(value)
        if value.name and value.name != "result":
            return value.name
        written = place_written(entry.site.text) if entry.site is not None and not value.ref.index else ""
        if written:
            whole = self.working.steps[value.ref.step].operation in ("put", "put_flat")
            return own_name(written) if whole else written
        targets = entry.site.targets if entry.site is not None else ()
        target = targets[0].partition("[")[0] if len(targets) == 1 else ""
        if target.isidentifier() and target != "result":
            return target
        return self._last_name(value)

    def _last_name(self, value: Value) -> str:
        place = "" if value.ref.index else self.working.index.place_name(value.ref.step)
        return place or last_name(self.address(value))

    def address(self, value: Value) -> str:
        """The shortest unambiguous way to ask for the value again."""
        return self.addresses.get(value.ref, value.path)

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
