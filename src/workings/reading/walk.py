"""A Working in the order a teacher would go through it: sections, and in each the lines that make its values.

Every text view and the page read this, so that all of them say the same things in the same order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workings.equations import EQUATIONS, Equation, equation_of
from workings.frozen import evolve, frozen
from workings.reading.formula import Formula, formula
from workings.reading.made import Made, is_held
from workings.reading.sections import Entry, Section, Value
from workings.reading.source_lines import argument_of, body, own_name, running
from workings.reading.turns import Event, parts
from workings.recording.operations.bound import as_array
from workings.recording.operations.number_types import conversion, sentence
from workings.recording.working import Binding, Group, Ref, Site, Step, Turn, Working

if TYPE_CHECKING:
    from workings.reading.unwritten import Unwritten

HIDDEN_KINDS = {"check"}
_DEEPEST = 100  # calls inside calls that are written out; a function that calls itself for ever has no last one


def walk(working: Working, turns: Sequence[Turn] = ()) -> Section:
    """The Working as a tree of sections and entries. Each of ``turns`` is a section; other loops keep their last."""
    return _Walker(working, turns).section(0, 0)


def is_unwritten(working: Working, group: Group, site: Site | None) -> bool:
    """Whether a model or a library's module did something without a line of source: that of its call is not its own."""
    if group.kind == "module" and site == group.site:
        return True
    return working.source.kind == "model" and (site is None or not site.text)


@frozen
class _Stretch:
    """What a statement that is not in the source does between two of the modules it calls."""

    statement: int


_WORD = re.compile(r"\w+")
_SYMBOL = re.compile(r"\\?[A-Za-z]+(?:[_^](?:\{[^{}]*\}|[A-Za-z0-9]))*'?$")


class _Walker:
    def __init__(self, working: Working, turns: Sequence[Turn]) -> None:
        self.working = working
        self.turns: dict[int, list[Turn]] = {}
        for turn in turns:
            self.turns.setdefault(turn.group, []).append(turn)
        self.seen: set[int] = set()
        self.formulas: dict[tuple[str, str, frozenset[str]], Formula | None] = {("", "", frozenset()): None}
        self.bindings: dict[tuple[int, int], list[Binding]] = {}
        for binding in working.bindings:
            self.bindings.setdefault((binding.group, binding.statement), []).append(binding)
        self.made = Made(working)
        self.known = {(binding.group, binding.ref) for binding in working.bindings}
        self.events: dict[int, list[Event]] = {}
        self.files: dict[int, str] = {b.group: b.site.file for b in working.bindings if b.site is not None}
        for step in working.steps:
            self.events.setdefault(step.group, []).append((step.statement, "step", step))
        for group in working.groups[1:]:
            self.events.setdefault(group.parent or 0, []).append((group.statement, "group", group))
        bound = {(b.group, b.statement) for b in working.bindings}
        made = {(s.group, s.statement) for s in working.steps}
        for group_number, statement in bound - made:
            self.events.setdefault(group_number, []).append((statement, "name", None))

    def section(self, number: int, level: int) -> Section:
        group = self.working.groups[number]
        section = self._head(group, number, level)
        section.items += self._items(group, level, self.events.get(number, ()), self.turns.get(number, ()))
        return section

    def _items(
        self, group: Group, level: int, events: Iterable[Event], turns: Sequence[Turn]
    ) -> Iterator[Section | Entry]:
        """What happened in a group, with the turns of its loops as sections of their own."""
        for part in parts(events, turns, lambda event: self._site(group.number, event)):
            if part.turn is None:
                yield from self._lines_of(group, level, part.events)
                continue
            turn = Section("", str(part.number), f"Turn {part.number}", "turn", level=level + 1, group=group.number)
            turn.site = part.turn.site
            turn.items += self._items(group, level + 1, part.events, part.inner)
            if turn.items:
                yield turn

    def _lines_of(self, group: Group, level: int, events: list[Event]) -> Iterator[Section | Entry]:
        number = group.number
        buckets = self._buckets(group, events)
        names = {
            what.statement: list(self.bindings.get((number, what.statement), ()))
            for what, _ in buckets
            if isinstance(what, _Stretch)
        }
        for place, (what, runs) in enumerate(buckets):
            if isinstance(what, Group):
                inner = self.section(what.number, level + 1) if level < _DEEPEST else None
                if inner is not None and inner.items:
                    yield inner
                continue
            if isinstance(what, _Stretch):
                later = (r[0][1][0].number for w, r in buckets[place + 1 :] if w == what and r[0][1])
                entries = self._unwritten(group, runs, names[what.statement], next(later, math.inf))
            else:
                entries = self._entries(number, runs)
            yield from [e for e in entries if self._worth_showing(group, e)]

    def _buckets(self, group: Group, events: list[Event]) -> list[tuple[Any, list[tuple[int, list[Step]]]]]:
        """The lines of a group, each with the times it ran and what it made, and its groups, in the order shown."""
        unwritten = self._unwritten_statements(group)
        places: dict[Any, int] = {}
        buckets: list[tuple[Any, list[tuple[int, list[Step]]]]] = []
        for statement, kind, thing in sorted(events, key=lambda event: self._order(event, unwritten)):
            if kind == "group":
                if thing.kind not in HIDDEN_KINDS:
                    buckets.append((thing, []))
                continue
            site = self._site(group.number, (statement, kind, thing))
            key: Any = (site.file, site.line, site.text) if site is not None and site.text else ("statement", statement)
            if statement in unwritten:
                key = _Stretch(statement)
                if buckets and isinstance(buckets[-1][0], Group):
                    places.pop(key, None)
            if key not in places:
                places[key] = len(buckets)
                buckets.append((key, []))
            runs = buckets[places[key]][1]
            if not runs or runs[-1][0] != statement:
                runs.append((statement, []))
            if thing is not None:
                runs[-1][1].append(thing)
        return buckets

    def _order(self, event: tuple[int, str, Any], unwritten: set[int]) -> tuple[int, float]:
        """A line comes before the groups that it calls; where there is no line, everything comes as it ran."""
        statement, kind, thing = event
        return statement, self._lines.order(thing) if statement in unwritten else kind == "group"

    def _site(self, group: int, event: Event) -> Site | None:
        """Where a step, a group or, with nothing else, a name came about."""
        statement, _, thing = event
        site: Site | None = thing.site if thing is not None else self.bindings[group, statement][0].site
        return site

    def _unwritten_statements(self, group: Group) -> set[int]:
        """The statements of a group that are no line of the source and make something."""
        module = group.kind == "module"
        return {
            statement
            for statement, kind, thing in self.events.get(group.number, ())
            if kind != "group"
            and (module or (kind == "step" and thing.operation not in ("given", "size")))
            and is_unwritten(self.working, group, self._site(group.number, (statement, kind, thing)))
        }

    @cached_property
    def _lines(self) -> Unwritten:
        from workings.reading.unwritten import Unwritten  # examples, and scripts without modules, do without

        return Unwritten(self.working)

    def _unwritten(
        self, group: Group, runs: list[tuple[int, list[Step]]], names: list[Binding], until: float
    ) -> list[Entry]:
        """Values that no line of source makes, each with its formula. Takes from ``names`` those of earlier steps."""
        steps = [s for _, part in runs for s in part]
        bindings = [b for b in names if b.ref.step < until]
        names[:] = [b for b in names if b.ref.step >= until]
        out = []
        for line in self._lines.shown(group, steps, bindings):
            value = self._value(line.ref, self._path(line.ref, line.name, group.number), line.name)
            if value is not None:
                step = self.working.steps[line.ref.step]
                entry = Entry(
                    value.path, "", line.formula, None, (value,), (line.ref.step,), given=line.given, about=line.about,
                    operation=step.operation, note=step.note if line.given else "", unwritten=True, moved=line.moved,
                )  # fmt: skip
                out.append(entry)
        return out

    def _worth_showing(self, group: Group, entry: Entry) -> bool:
        """Not a value shown before under another name, and not a size or a setting of an equation."""
        for value in entry.values:
            self.seen.add(value.ref.step)
        if entry.site is not None and entry.site.text.startswith(("for ", "while ")):
            return not group.equation
        if entry.repeats:
            return not group.equation and entry.formula is not None and not entry.given
        scalar = not entry.values[0].shape
        if group.equation and scalar and entry.values[0].ref.step not in self.working.index.bound_steps:
            return False  # a check inside an equation, not a number of it
        if entry.given and scalar:
            return not group.equation and (entry.formula is not None or "[" in entry.values[0].name)
        return True

    def _head(self, group: Group, number: int, level: int) -> Section:
        equation = self._equation(group)
        title = group.title or (equation.title if equation is not None else group.name)
        if group.kind == "module" and not title:
            title = group.detail.partition("(")[0]
        sentence = equation.sentence if equation is not None else ""
        return Section(
            self.working.index.group_path(number), group.name, title, group.kind, sentence, equation, group.section,
            group.detail, level, number, group.site,
        )  # fmt: skip

    def _entries(self, group: int, runs: list[tuple[int, list[Step]]]) -> list[Entry]:
        """A statement that ran once, or the last of the times a loop ran it."""
        steps = runs[-1][1]
        every = [s for _, part in runs for s in part]
        bound = [self.bindings.get((group, at), []) for at, _ in runs]
        bindings = list({b.name: b for part in bound for b in part}.values())  # what each name was bound to last
        times = max([1, sum(bool(part) for _, part in runs), *(_count(b.name, bound) for b in bindings)])
        site = next((s.site for s in steps if s.site is not None), None) or next((b.site for b in bindings), None)
        text = site.text if site is not None else ""
        if text.startswith("lambda"):  # what it makes, and not what it was given
            text, bindings = body(text), []
        if all(s.operation in ("given", "size") for s in every) and (every or not site):
            return self._given(bindings, steps, site, (group, runs[-1][0]))
        named = _targets(bindings, site)
        values = tuple(v for v in (self._value(b.ref, self._path_of(b), b.name) for b in named) if v is not None)
        nameless = not values
        if nameless:
            passing = {b.ref.step for b in bindings} - {b.ref.step for b in named}
            results = self.made.results([s for s in steps if s.number not in passing], site, group)
            made = (self._value(Ref(s.number), self.working.path(s.number), self.made.kept_as(s)) for s in results)
            values = tuple(v for v in made if v is not None)
        if not values:
            return []
        repeats = not every and all(v.ref.step in self.seen for v in values)
        held = nameless and site is not None and is_held(site, [self.working.steps[v.ref.step] for v in values])
        types = self._types(s.number for s in every)
        whole = Entry(
            values[0].path,
            site.comment if site is not None else "",
            self._formula(text, group, _written(types)),
            site,
            values,
            tuple(s.number for s in every),
            times,
            operation=steps[-1].operation if steps else "",
            repeats=repeats,
            about=next((sentence(*types[v.ref.step]) for v in values if v.ref.step in types), ""),
            held=held,
            line=(group, runs[-1][0]),
        )
        return self._apart(whole, group) if nameless else [whole]

    def _types(self, steps: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The steps that write numbers in a type which may not hold them: the type before, and the one after."""
        found = ((number, conversion(self.working, self.working.steps[number])) for number in steps)
        return {number: types for number, types in found if types is not None}

    def _apart(self, line: Entry, group: int) -> list[Entry]:
        """A line without a name; what it hands to a call that it makes is apart, with that part of the line alone."""
        out: list[Entry] = []
        kept = []
        for value in line.values:
            called = self._handed(value.ref.step, group, line)
            if called is None or line.site is None:
                kept.append(value)
                continue
            site = evolve(line.site, text=argument_of(line.site.text, called.name))
            formula = self._formula(site.text, group, _written(self._types(line.steps)))
            out.append(evolve(line, path=value.path, values=(value,), site=site, formula=formula))
        return [*out, evolve(line, path=kept[0].path, values=tuple(kept))] if kept else out

    def _handed(self, step: int, group: int, line: Entry) -> Group | None:
        """The call in the line of a group that was given the value of a step as it is."""
        statement = line.line[1] if line.line is not None else -1
        calls = (thing for at, kind, thing in self.events[group] if kind == "group" and at == statement)
        return next((call for call in calls if (call.number, Ref(step)) in self.known), None)

    def _given(
        self, bindings: list[Binding], steps: list[Step], site: Site | None, line: tuple[int, int]
    ) -> list[Entry]:
        out = []
        named = [(b.ref, self._path_of(b), b.name) for b in _targets(bindings, site)]
        if bindings and not named:
            return []  # only the running variable of a comprehension: not what the line makes
        for ref, path, name in named or [(Ref(s.number), self.working.path(s.number), "") for s in steps]:
            value = self._value(ref, path, name)
            if value is None or (not value.shape and not bindings):
                continue
            step = self.working.steps[ref.step]
            text = site.text if site is not None else ""
            out.append(
                Entry(
                    path, site.comment if site is not None else "", self._formula(text, None), site, (value,),
                    (ref.step,), 1, step.operation == "given", step.operation, step.note, ref.step in self.seen,
                    line=line,
                )
            )  # fmt: skip
        return out

    def _path_of(self, binding: Binding) -> str:
        return self._path(binding.ref, binding.name, binding.group)

    def _path(self, ref: Ref, name: str, group: int) -> str:
        if not ref.index:
            return self.working.path(ref.step)
        above = self.working.index.group_path(group)
        return f"{above}.{name}" if above else name

    def _value(self, ref: Ref, path: str, name: str = "") -> Value | None:
        try:
            whole = self.working.value(ref)
            if getattr(whole, "is_nested", False):
                return None  # PyTorch's rows of different lengths, which are no array
            array = as_array(whole)
        except Exception as error:
            from workings.recording.evaluation import NotRecorded

            if isinstance(error, NotRecorded):
                return None
            raise
        if array.dtype.kind not in "fiubc":
            return None
        labels = self.working.labels(ref.step)[len(ref.index) :]
        return Value(path, ref, array, labels, name)

    def _formula(self, text: str, group: int | None, types: frozenset[str] = frozenset()) -> Formula | None:
        """The formula of a line that changes numbers to these types; those of an equation come again at every call."""
        equation = self._equation(self.working.groups[group]) if group is not None else None
        key = (text, equation.name if equation is not None else "", types)
        if key not in self.formulas:
            symbols = self._symbols(group) if text and group is not None else None
            self.formulas[key] = formula(text, symbols, types)
        return self.formulas[key]

    def _symbols(self, group: int) -> dict[str, str]:
        equation = self._equation(self.working.groups[group])
        if equation is None:
            return {}
        # A name inside an equation may stand for a whole formula; only plain symbols can take its place in another one.
        return {name: symbol for name, symbol in equation.symbols.items() if _SYMBOL.match(symbol)}

    def _equation(self, group: Group) -> Equation | None:
        """The equation a group is named after, or is a call of."""
        function = EQUATIONS.get(group.equation)
        if function is None and group.kind == "call":
            function = EQUATIONS.get(group.name)
            code = getattr(function, "__code__", None)
            if code is None or code.co_filename != self.files.get(group.number):
                return None
        return equation_of(function) if function is not None else None


def _count(name: str, bound: list[list[Binding]]) -> int:
    """How many times a line bound a name."""
    return sum(any(b.name == name for b in part) for part in bound)


def _targets(bindings: list[Binding], site: Site | None) -> list[Binding]:
    """The names a line assigns, without the running variables of comprehensions in it."""
    if site is None:
        return bindings
    if not site.targets:
        passing = running(site.text)
        bindings = [b for b in bindings if b.name not in passing]
        words = set(_WORD.findall(site.text))
        return [b for b in bindings if b.name.partition("[")[0] in words] or bindings
    targets = {own_name(target) for target in site.targets}
    return [b for b in bindings if b.name.partition("[")[0] in targets]


def _written(types: dict[int, tuple[str, str]]) -> frozenset[str]:
    return frozenset(after for _, after in types.values())
