"""What the names in a line stand for: the values that it reads and makes, as far as the recording proves it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from workings.recording.working import Binding, Ref, Working


class Names:
    """The names of one Working by where they were given."""

    def __init__(self, working: Working) -> None:
        self.working = working
        self.given: dict[int, dict[str, list[Binding]]] = defaultdict(lambda: defaultdict(list))
        self.made_by: dict[tuple[int, int], dict[str, Ref]] = defaultdict(dict)
        self.read_by: dict[tuple[int, int], set[Ref]] = defaultdict(set)
        for binding in working.bindings:
            self.given[binding.group][binding.name].append(binding)
            self.made_by[binding.group, binding.statement][binding.name] = binding.ref
            group = working.groups[binding.group]  # what a call's parameters are given, its line reads
            self.read_by[group.parent or 0, group.statement].add(binding.ref)
        for step in working.steps:
            self.read_by[step.group, step.statement].update(step.inputs)

    def made(self, group: int, statement: int) -> dict[str, Ref]:
        """What a line gives names to."""
        return dict(self.made_by.get((group, statement), {}))

    def read(self, group: int, statement: int) -> dict[str, Ref]:
        """What names mean in a line, of those values that it was seen to read."""
        seen = self.read_by.get((group, statement), set())
        meant: dict[str, Ref] = {}
        for scope in self._scopes(group):
            for name, bindings in self.given[scope].items():
                latest = next((b for b in reversed(bindings) if b.statement < statement), None)
                if latest is not None and name not in meant:
                    meant[name] = latest.ref
        return {name: ref for name, ref in meant.items() if ref in seen}

    def within(self, group: int) -> dict[str, Ref]:
        """What names mean in a group, or in the call that it stands for; without those that meant several things."""
        groups = self.working.groups
        equation = groups[group].equation
        inner = [g.number for g in groups if g.parent == group and g.equation == equation]
        out: dict[str, Ref] = {}
        for scope in [group, *inner[:1]]:
            for name, bindings in self.given[scope].items():
                if len({b.ref for b in bindings}) == 1:
                    out.setdefault(name, bindings[0].ref)
        return out

    def _scopes(self, group: int | None) -> Iterator[int]:
        """A group and those around it, from the inside out."""
        while group is not None:
            yield group
            group = self.working.groups[group].parent
