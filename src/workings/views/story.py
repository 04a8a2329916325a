"""The story of a Working: its plain sentences, and with them only the values that matter."""

from __future__ import annotations

from collections.abc import Iterator

from workings.reading.sections import Entry, Section, Value
from workings.recording.working import Ref
from workings.views.document import Block, Prose, Step
from workings.views.lines import is_literal, is_loop, is_ours, is_signature
from workings.views.notices import place
from workings.views.tables import is_distribution
from workings.views.telling import Teller
from workings.views.turns import ends


class Story(Teller):
    """Tells what is given, the weights, and what comes out; of a script, the lines that have a comment."""

    def told(self, root: Section) -> list[Block]:
        """The blocks of the story."""
        results = [(e, v) for e in root.items if isinstance(e, Entry) and not e.given for v in e.values]
        blocks = list(self._told(root))
        for entry, value in results[-1:]:
            if value.ref not in self.shown and not is_loop(entry):
                blocks += self._brief(entry, value, root, "")
        return blocks

    def _told(self, section: Section) -> Iterator[Block]:
        for item in section.items:
            if isinstance(item, Section) and item.kind == "section":
                yield from self.opening(item)
                yield from self._turns(item)
                yield from self._main(item)
            elif isinstance(item, Section):
                yield from self._told(item)
            elif is_loop(item):
                yield from [Prose(item.sentence[:1].upper() + item.sentence[1:])] if item.sentence else []
            elif not is_ours(item):
                sentence = "" if is_signature(item) else item.sentence
                for value in (v for v in item.values if v.ref not in self.shown and not self._made_inside(v, section)):
                    given = (item.given or is_literal(self.working, item)) and value.shape and not item.unwritten
                    nameless = item.unwritten and value.ref.step not in self.working.index.bound_steps
                    weights = value.shape and is_distribution(value.array) and not item.given and not nameless
                    if sentence or given or weights:
                        yield from self._brief(item, value, section, sentence)
                        sentence = ""

    def _turns(self, section: Section) -> Iterator[Block]:
        """The turns of a loop, if they are to stand by themselves: of each what a section gives."""
        for turn in (s for s in section.items if self.turns and isinstance(s, Section) and s.kind == "turn"):
            yield from self.opening(turn)
            yield from self._main(turn)
            if ends(section.items, section.items.index(turn)):
                yield self._over(turn)

    def _main(self, section: Section) -> Iterator[Block]:
        """What is given in a section, its weights, and its result."""
        own = {id(e) for e in section.items}
        picked: dict[Ref, tuple[Entry, Value]] = {}
        last: tuple[Entry, Value] | None = None
        for entry in section.entries():
            for value in entry.values:
                heavy = not entry.given and is_distribution(value.array) and len(value.shape) > 1
                if heavy or (entry.given and id(entry) in own and len(value.shape) == 2):
                    picked.setdefault(value.ref, (entry, value))
                if not entry.given:
                    last = entry, value
        if last is not None:
            picked.setdefault(last[1].ref, last)
        for entry, value in picked.values():
            if value.ref not in self.shown:
                yield from self._brief(entry, value, section, "")

    def _brief(self, entry: Entry, value: Value, section: Section, sentence: str) -> Iterator[Block]:
        address = self.address(value)
        self.shown[value.ref] = address
        result = "" if value.shape else self._number(value)
        yield Step(self.name(entry, value), address, None, "", sentence, place(entry.site, self.home), 1, result)
        if value.shape:
            yield from self._table(value, entry, section)
