"""Labels: names along an axis, given once, carried to every later value that has the same axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workings.recording.operations.meaning import label_rule

if TYPE_CHECKING:
    from workings.recording.working import Labels, Ref, Working


class Labelling:
    """Works out the labels of steps from those that were given, when asked."""

    def __init__(self, working: Working) -> None:
        self._working = working
        self._known: dict[int, Labels] = {}

    def labels(self, step: int) -> Labels:
        """Labels of a step's axes. Walks back with a stack of its own: chains of steps are long."""
        steps = self._working.steps
        stack = [step]
        while stack:
            number = stack[-1]
            if number in self._known:
                stack.pop()
                continue
            given = self._working.axis_labels.get(number)
            if given is not None:
                self._known[number] = given
                continue
            if not self._working.axis_labels:
                return (None,) * len(steps[step].shape)
            missing = [r.step for r in steps[number].inputs if r.step not in self._known]
            if missing:
                stack += missing
                continue
            inputs = [self._part(r) for r in steps[number].inputs]
            self._known[number] = label_rule(self._working, steps[number], inputs)
            stack.pop()
        return self._known[step]

    def _part(self, ref: Ref) -> Labels:
        return self._known[ref.step][len(ref.index) :]
