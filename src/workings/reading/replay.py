"""What if: a Working run again with some of its values replaced. Only what depends on them is computed anew."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from workings.frozen import frozen
from workings.recording.address import Address, AddressError
from workings.recording.evaluation import NotRecorded, part, run
from workings.recording.recorder import LOST
from workings.recording.running import rebuilt, steps_of
from workings.recording.working import Changes, Guard, Ref, Step, Working

Change = Callable[[Any], Any]


@frozen
class Moved:
    """A value before and after, and the largest change of any of its numbers."""

    path: str
    ref: Ref
    before: Any
    after: Any
    largest: float
    where: Ref


@dataclass(eq=False, repr=False)
class Replay:
    """The same computation with other numbers.

    ``working`` is the Working as it was; :meth:`value` gives a value as it is now. Where a branch would have gone
    another way, the source was run again: then ``rerun`` is the Working of that run, and values are found in it by
    name.
    """

    working: Working
    changes: dict[str | Ref, Any]
    values: dict[int, Any] = field(default_factory=dict)
    frozen: dict[int, str] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    stopped: Guard | None = None
    rerun: Working | None = None

    def value(self, ref: Ref | str) -> Any:
        """A value after the change."""
        if isinstance(ref, str):
            if self.rerun is not None:
                return self.rerun[ref].value
            ref = self.working.find(ref)
        if ref.step in self.values:
            return part(self.values[ref.step], ref, self.working.steps[ref.step])
        return self.working.value(ref)

    def __getitem__(self, address: str) -> Any:
        return self.value(address)

    @property
    def result(self) -> Any:
        """What the recorded function returns now."""
        if self.rerun is not None:
            return self.rerun.result
        return rebuilt(self.working.result_parts, self.value)

    def after(self) -> Working:
        """The whole Working with the new values in place."""
        if self.rerun is not None:
            return self.rerun
        return self._with_values()

    def _with_values(self) -> Working:
        """The Working with the new values; what was changed is given there, not made from anything."""
        old = self.working
        pinned = {number: old.labels(number) for number in self.changed}
        new = replace(
            old, steps=list(old.steps), axis_labels=old.axis_labels | pinned, lost=list(old.lost),
            notes=list(old.notes), changed={},
        )  # fmt: skip
        for number, value in self.values.items():
            step = old.steps[number].copy()
            step.value, step.kept = value, True
            if number in self.changed:
                new.changed[number] = _differs(old.evaluator.step_value(number), value)
                step.operation, step.function, step.note = "given", "", "changed"
                step.inputs, step.arguments, step.keywords, step.output = (), (), {}, None
            new.steps[number] = step
        new.result = rebuilt(old.result_parts, self.value)
        return new

    def __str__(self) -> str:
        from workings.views.terminal import render_replay

        return render_replay(self, colour=False)

    def _repr_html_(self) -> str:
        from workings.views.notebook import plain

        return plain(str(self))

    def moved(self) -> list[Moved]:
        """Every named value that changed, the most moved first."""
        out = []
        for path, ref in self.working.index.named():
            before = self.working.value(ref)
            try:
                after = self.value(ref) if self.rerun is None else self.rerun[path].value
            except AddressError:
                continue
            entry = _moved(path, ref, before, after)
            if entry is not None:
                out.append(entry)
        return sorted(out, key=lambda m: -m.largest)


def _moved(path: str, ref: Ref, before: Any, after: Any) -> Moved | None:
    old, new = _array(before), _array(after)
    if old.shape != new.shape or old.dtype.kind not in "fiubc":
        return Moved(path, ref, before, after, float("inf"), ref)
    with np.errstate(invalid="ignore"):
        gap = np.abs(np.asarray(new, dtype=complex if new.dtype.kind == "c" else float) - old)
    gap = np.where((old == new) | (np.isnan(old) & np.isnan(new)) if old.dtype.kind == "f" else old == new, 0.0, gap)
    if not gap.size or not np.any(gap != 0):
        return None
    gap = np.where(np.isnan(gap), np.inf, gap)
    place = np.unravel_index(int(np.argmax(gap)), gap.shape)
    return Moved(path, ref, before, after, float(gap[place]), Ref(ref.step, ref.index + tuple(map(int, place))))


def _differs(before: Any, after: Any) -> np.ndarray[Any, Any]:
    old, new = _array(before), _array(after)
    return np.asarray(old != new) if old.shape == new.shape else np.ones(new.shape, dtype=bool)


def _array(value: Any) -> np.ndarray[Any, Any]:
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        return np.asarray(value.float() if str(value.dtype) == "torch.bfloat16" else value)
    return np.asarray(value)


def replay(working: Working, changes: Changes) -> Replay:
    """Run a Working again with values replaced.

    ``changes`` maps addresses to new numbers (a number, a list, an array) or to the address of another value. Raises
    :class:`AddressError` for an address that names nothing and ``ValueError`` where shapes do not fit.
    """
    out = Replay(working, dict(changes.items()))
    replaced: dict[int, Any] = {}
    for address, new in changes.items():
        ref, value = changed_value(working, address, new, replaced)
        replaced[ref.step] = value
    out.values.update(replaced)
    out.changed = set(replaced)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the source's own run has warned, or has chosen not to
        _run_on(working, out, set(replaced))
    if out.stopped is not None:
        if working.source.rerun is None:
            _freeze_rest(working, out, "the source cannot be run again")
        else:
            out.rerun = _run_source_again(working, replaced)
            if out.rerun is None:
                _freeze_rest(working, out, "what was changed has no name under which it could be put into the source")
    return out


def _freeze_rest(working: Working, out: Replay, why: str) -> None:
    """The source cannot run again: everything behind the change that has not been computed stays as it was."""
    assert out.stopped is not None
    line = f" (line {out.stopped.site.line})" if out.stopped.site is not None else ""
    reason = f"{out.stopped.reason} would turn out otherwise{line}, and {why}"
    stop = out.stopped.ref.step
    for step in working.steps:
        if step.number >= stop and step.number not in out.changed:
            out.frozen[step.number] = reason


def changed_value(working: Working, address: str | Ref, new: Any, replaced: Mapping[int, Any]) -> tuple[Ref, Any]:
    """The step an address names, and its whole value with the change made."""
    if isinstance(address, Ref):
        step = working.steps[address.step]
        current = replaced.get(step.number, working.evaluator.step_value(step.number))
        return address, put(current, address.index, new, working.path(step.number), step)
    whole, selectors = working.index.whole(Address.parse(address))
    key = working.index.region(whole, selectors, address)
    if isinstance(new, str):
        new = working.value(working.find(new))
    step = working.steps[whole.step]
    current = replaced.get(whole.step, working.evaluator.step_value(whole.step))
    return whole, put(current, (*whole.index, *key), new, address, step)


def put(current: Any, key: tuple[Any, ...], new: Any, address: str, step: Step) -> Any:
    """A copy of a value with the part at ``key`` replaced; says which two shapes do not fit."""
    if hasattr(current, "detach"):
        import sys

        torch = sys.modules["torch"]
        changed = current.detach().clone()
        target = changed[key] if key else changed
        given = torch.as_tensor(new, dtype=changed.dtype)
        if given.shape != target.shape and given.ndim:
            raise ValueError(_misfit(address, tuple(target.shape), tuple(given.shape)))
        target.copy_(given)
        return changed
    if not key and not isinstance(current, np.ndarray):
        if np.ndim(new):
            raise ValueError(_misfit(address, (), np.shape(new)))
        kept = new if isinstance(new, type(current)) else type(current)(new)
        return kept if kept == new or np.isnan(kept) else new
    given = np.asarray(new)
    changed = np.array(current)
    if given.dtype.kind == "f" and changed.dtype.kind in "iub":
        changed = changed.astype(given.dtype)
    target_shape = changed[key].shape if key else changed.shape
    if given.shape not in ((), target_shape):
        raise ValueError(_misfit(address, target_shape, given.shape))
    changed[key if key else ...] = given
    return changed


def _misfit(address: str, expected: tuple[int, ...], found: tuple[int, ...]) -> str:
    def words(shape: tuple[int, ...]) -> str:
        if not shape:
            return "a single number"
        return f"{shape[0]} numbers" if len(shape) == 1 else f"{' × '.join(map(str, shape))} numbers"

    return f"{address} holds {words(expected)}, and {words(found)} were given"


def _run_on(working: Working, out: Replay, dirty: set[int]) -> None:
    """Run again every step behind a change, until a guard stops it."""
    guards: dict[int, list[Guard]] = {}
    for guard in working.guards:
        guards.setdefault(guard.ref.step, []).append(guard)
    for number in sorted(dirty):
        if _steered_away(guards.get(number, ()), out):
            return
    reshaped: set[int] = set()
    first = min(dirty) if dirty else len(working.steps)
    for step in working.steps[first:]:
        number = step.number
        if number in out.values:
            continue
        if not any(r.step in dirty for r in step.inputs):
            if may_depend(step):
                dirty.add(number)
                out.frozen[number] = f"step {number}: {step.note}"
                out.values[number] = working.evaluator.step_value(number)
            continue
        dirty.add(number)
        if any(r.step in reshaped and r.index for r in step.inputs):
            out.stopped = Guard(Ref(number), None, step.site, "the place of a number in a value of another shape")
            return
        behind = next((out.frozen[r.step] for r in step.inputs if r.step in out.frozen), None)
        if behind is not None:
            out.frozen[number] = behind
        try:
            out.values[number] = run(step, [out.value(r) for r in step.inputs])
        except NotRecorded as reason:
            out.frozen[number] = str(reason)
            out.values[number] = working.evaluator.step_value(number)
        except Exception as error:
            out.stopped = Guard(Ref(number), None, step.site, f"{type(error).__name__}: {error}")
            return
        if _shape(out.values[number]) != tuple(step.shape):
            if number not in working.varying:
                out.stopped = Guard(Ref(number), step.shape, step.site, "the shape of a value")
                return
            reshaped.add(number)
        if _steered_away(guards.get(number, ()), out):
            return


def may_depend(step: Step) -> bool:
    """Whether a value that has no known inputs may still depend on a change made before it."""
    return (
        not step.inputs
        and not step.function
        and step.note != ""
        and step.operation in ("given", "opaque")
        and (step.operation == "opaque" or step.note == LOST)
    )


def _shape(value: Any) -> tuple[int, ...]:
    if getattr(value, "is_nested", False):
        return ()  # sequences of different lengths in one tensor have no one shape
    return tuple(getattr(value, "shape", ()))


def _steered_away(guards: Any, out: Replay) -> bool:
    for guard in guards:
        value = out.value(guard.ref)
        now = bool(value) if isinstance(guard.value, bool) else value
        now = now.tolist() if hasattr(now, "tolist") else now
        if isinstance(now, list) and isinstance(guard.value, tuple):
            now = tuple(now)
        if repr(now) != repr(guard.value) and now != guard.value:  # a NaN is not equal to itself
            out.stopped = guard
            return True
    return False


def _run_source_again(working: Working, replaced: Mapping[int, Any]) -> Working | None:
    """A branch went the other way: the program itself runs again, its changed values put in as they are bound.

    None where a changed value was never bound: the program would run without that change.
    """
    overrides: dict[tuple[str, int], Change] = {}
    seen: dict[str, int] = {}
    waiting = set(replaced) - set(steps_of(working.argument_parts))  # arguments are put together anew
    for binding in working.bindings:
        path = _plain_path(working, binding.group, binding.name)
        seen[path] = seen.get(path, 0) + 1
        if binding.ref.step in waiting:  # later names of the same value follow from the first
            waiting.discard(binding.ref.step)
            value = part(replaced[binding.ref.step], binding.ref, working.steps[binding.ref.step])
            overrides[path, seen[path]] = _constantly(value)
    assert working.source.rerun is not None
    if waiting:
        return None

    def before_the_run(ref: Ref) -> Any:
        step = working.steps[ref.step]
        whole = replaced[ref.step] if ref.step in replaced else working.evaluator.step_value(ref.step)
        own = part(whole, ref, step)
        if hasattr(own, "detach"):
            return own.detach().clone()
        return own.copy() if isinstance(own, np.ndarray) else own

    return working.source.rerun(overrides, before_the_run)


def _plain_path(working: Working, group: int | None, name: str) -> str:
    names = [name]
    while group is not None:
        if working.groups[group].name:
            names.append(working.groups[group].name)
        group = working.groups[group].parent
    return ".".join(reversed(names))


def _constantly(value: Any) -> Change:
    def change(old: Any) -> Any:
        if isinstance(old, np.ndarray):
            return np.array(value, dtype=old.dtype)
        if hasattr(old, "requires_grad") and hasattr(value, "detach"):
            new = value.detach().clone()  # a leaf, as a replaced parameter is; gradients are asked for where they were
            return new.requires_grad_() if old.requires_grad else new
        if type(old) is list and hasattr(value, "tolist"):
            return value.tolist()
        return value

    return change
