"""What a line of source makes that gives no name to a number: which of its steps a reader is shown."""

from __future__ import annotations

from functools import cached_property

from workings.reading.source_lines import own_name, returned
from workings.recording.operations import meaning
from workings.recording.operations.bound import Bound, base_name
from workings.recording.working import Binding, Ref, Site, Step, Working


class Made:
    """What the lines of one Working make."""

    def __init__(self, working: Working) -> None:
        self.working = working
        self.named: dict[tuple[int, str], list[Binding]] = {}
        for binding in working.bindings:
            self.named.setdefault((binding.group, binding.name), []).append(binding)

    def results(self, steps: list[Step], site: Site | None, group: int) -> list[Step]:
        """What it writes into, its last step, each number of a list that it builds, or all that it returns."""
        made = [s for s in steps if meaning.kind(s) not in ("given", "size", "order")]
        made = [s for s in made if s.number not in self.steering] or made
        if site is not None and site.targets and made:
            before = self._before(group, own_name(site.targets[-1]), steps[0].statement)
            written = [s for s in made if before is not None and self._continues(s, before.ref)]
            if written:
                return written[-1:]
        elif kept := [s for s in made if self.kept_as(s)]:
            return kept
        own = {s.number for s in made}
        made = [s for s in made if s.operation != "put_flat" or s.inputs[-1].step not in own] or made
        used = {r.step for s in made for r in s.inputs}
        ends = [s for s in made if s.number not in used]
        several = all(not s.shape for s in ends) or len(ends) <= returned(site.text if site is not None else "")
        return ends if ends and several else made[-1:]

    def kept_as(self, step: Step) -> str:
        """``0.weight`` of what a step has changed in place: a module keeps it under that name. Otherwise nothing."""
        if not base_name(step).endswith("_"):
            return ""
        changed = Bound(self.working, step).operand(0).ref
        binding = self.parameters.get(changed) if changed is not None else None
        return f"{self.working.groups[binding.group].name}.{binding.name}" if binding is not None else ""

    @cached_property
    def steering(self) -> set[int]:
        """Truths that only decided which way the program goes."""
        return {guard.ref.step for guard in self.working.guards if isinstance(guard.value, bool)}

    @cached_property
    def parameters(self) -> dict[Ref, Binding]:
        """What the modules of a program keep, by the values that they had when they were called."""
        groups = self.working.groups
        return {b.ref: b for b in self.working.bindings if groups[b.group].kind == "module"}

    def _before(self, group: int, name: str, statement: int) -> Binding | None:
        """What a name meant when a statement began."""
        earlier = (b for b in self.named.get((group, name), ()) if b.statement < statement)
        return max(earlier, key=lambda b: b.statement, default=None)

    def _continues(self, step: Step, ref: Ref) -> bool:
        """Whether a step is what a value became by being written into; the rest of its memory is another value."""
        origin = self.working.steps[ref.step]
        while step.number > ref.step:
            if not ref.index and step.operation == origin.operation and step.shape == origin.shape:
                return True  # a window that was looked through again
            if not step.inputs or step.inputs[0] == ref:
                return bool(step.inputs)
            step = self.working.steps[step.inputs[0].step]
        return False


def is_held(site: Site, made: list[Step]) -> bool:
    """Whether what a line makes is an object of its own (a layer, a copy of one) that only holds such numbers."""
    named = bool(site.targets) and all(target.isidentifier() for target in site.targets)
    return named and all(_is_aside(step) for step in made)


def _is_aside(step: Step) -> bool:
    """Whether a step makes no number of its own: one that was there already, or a truth that chooses among objects."""
    if step.operation in ("put", "put_flat"):
        return False
    return step.dtype == "bool" or meaning.kind(step) in ("given", "movement")
