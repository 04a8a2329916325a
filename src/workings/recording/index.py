"""Names of values: a unique path for every step, and the way from an address to what it names."""

from __future__ import annotations

import difflib
from collections import defaultdict
from typing import TYPE_CHECKING

from workings.frozen import frozen
from workings.recording.address import Address, AddressError, quote_selector
from workings.recording.labels import Labelling

if TYPE_CHECKING:
    from workings.recording.working import Binding, Labels, Ref, Step, Working


@frozen
class Entry:
    """A name that can be addressed: its plain parts, which occurrence it is, and what it names."""

    parts: tuple[str, ...]
    path: str
    ref: Ref
    order: int


class AddressIndex:
    """Paths and names of one Working, worked out when first asked for."""

    def __init__(self, working: Working) -> None:
        self._working = working
        self._labelling = Labelling(working)
        self._groups = self._group_paths()
        self._paths: dict[int, str] = {}
        self.bound_steps: set[int] = {b.ref.step for b in working.bindings if not b.ref.index}
        self._entries: list[Entry] = []
        self._by_last: dict[str, list[Entry]] = defaultdict(list)
        self._name_steps()

    # -- paths --------------------------------------------------------------------------------------------------

    def path(self, step: int) -> str:
        return self._paths[step]

    def element_path(self, ref: Ref) -> str:
        """``projected.weights[Apple, shares]``, with labels where there are any."""
        if not ref.index:
            return self._paths[ref.step]
        labels = self.labels(ref.step)
        names = []
        for axis, place in enumerate(ref.index):
            axis_labels = labels[axis] if axis < len(labels) else None
            names.append(quote_selector(label_at(axis_labels, place)) if axis_labels else str(place))
        return f"{self._paths[ref.step]}[{', '.join(names)}]"

    def group_path(self, group: int) -> str:
        return self._groups[group]

    def labels(self, step: int) -> Labels:
        return self._labelling.labels(step)

    def _group_paths(self) -> list[str]:
        """Siblings of one name are told apart as ``name#1``, ``name#2``; the last goes by the name alone."""
        groups = self._working.groups
        counts: dict[tuple[int | None, str], int] = defaultdict(int)
        order = []
        for group in groups:
            counts[group.parent, group.name] += 1
            order.append(counts[group.parent, group.name])
        paths: list[str] = []
        for group, place in zip(groups, order, strict=True):
            name = group.name if place == counts[group.parent, group.name] else f"{group.name}#{place}"
            above = paths[group.parent] if group.parent is not None else ""
            paths.append(f"{above}.{name}" if above and name else above or name)
        return paths

    def _name_steps(self) -> None:
        bindings = self._working.bindings
        totals: dict[tuple[int, str], int] = defaultdict(int)
        for binding in bindings:
            totals[binding.group, binding.name] += 1
        places: dict[tuple[int, str], int] = defaultdict(int)
        nearest: dict[int, int] = {}
        for order, binding in enumerate(bindings):
            key = (binding.group, binding.name)
            places[key] += 1
            path = self._join(binding.group, binding.name, places[key], totals[key])
            self._enter(path, binding, order)
            if not binding.ref.index:
                # Of several names, the one in the outermost group is the step's path; of those, the first.
                depth = self._depth(binding.group)
                if depth < nearest.get(binding.ref.step, 1_000_000):
                    nearest[binding.ref.step] = depth
                    self._paths[binding.ref.step] = path
        self._name_rest()

    def _depth(self, group: int) -> int:
        path = self._groups[group]
        return path.count(".") + 1 if path else 0

    def _join(self, group: int, name: str, place: int, total: int) -> str:
        above = self._groups[group]
        own = name if place == total else f"{name}#{place}"
        return f"{above}.{own}" if above else own

    def _enter(self, path: str, binding: Binding, order: int) -> None:
        parts = tuple(p.split("#")[0] for p in path.split("."))
        entry = Entry(parts, path, binding.ref, order)
        self._entries.append(entry)
        self._by_last[parts[-1]].append(entry)

    def _name_rest(self) -> None:
        """Steps without a name of their own are called after the line they stand in and what they do."""
        stems: list[tuple[int, str]] = []
        totals: dict[str, int] = defaultdict(int)
        for step in self._working.steps:
            if step.number in self._paths:
                continue
            stem = self._stem(step)
            stems.append((step.number, stem))
            totals[stem] += 1
        places: dict[str, int] = defaultdict(int)
        order = len(self._entries)
        from workings.recording.working import Ref

        for number, stem in stems:
            places[stem] += 1
            path = stem if places[stem] == totals[stem] else f"{stem}#{places[stem]}"
            self._paths[number] = path
            parts = tuple(p.split("#")[0] for p in path.split("."))
            entry = Entry(parts, path, Ref(number), order + number)
            self._entries.append(entry)
            self._by_last[parts[-1]].append(entry)

    def _stem(self, step: Step) -> str:
        above = self._groups[step.group]
        site = step.site
        line = ""
        if site is not None:
            line = site.targets[0] if len(site.targets) == 1 and site.targets[0].isidentifier() else f"line{site.line}"
        return ".".join(p for p in (above, line, step.operation) if p)

    # -- from an address to a value -----------------------------------------------------------------------------

    def find(self, address: Address) -> Ref:
        entry = self._entry(address)
        return self.select(entry.ref, address.selectors, address.text)

    def _entry(self, address: Address) -> Entry:
        wanted = address.parts
        matches = [e for e in self._by_last.get(wanted[-1].name, ()) if _matches(e, address)]
        if not matches:
            raise AddressError(self._unknown(address))
        latest: dict[tuple[str, ...], Entry] = {}
        for entry in matches:
            latest[entry.parts] = entry
        exact = latest.get(tuple(p.name for p in wanted))
        if exact is not None:
            return exact
        found = list(latest.values())
        if len({e.ref for e in found}) == 1:
            return found[0]
        named = [e for e in found if self._is_binding(e)]
        if len({e.ref for e in named}) == 1:
            return named[0]
        shallowest = min(len(e.parts) for e in (named or found))
        nearest = [e for e in (named or found) if len(e.parts) == shallowest]
        if len({e.ref for e in nearest}) == 1:
            return nearest[0]
        paths = dict.fromkeys(self.element_path(e.ref) for e in (named or found))  # one name for each value
        candidates = ", ".join(list(paths)[:6])
        raise AddressError(f"{address.text!r} could be any of: {candidates}; say which by putting its group before it")

    def _is_binding(self, entry: Entry) -> bool:
        return entry.order < len(self._working.bindings)

    def _unknown(self, address: Address) -> str:
        name = address.parts[-1].name
        names = sorted({e.parts[-1] for e in self._entries if self._is_binding(e)})
        near = difflib.get_close_matches(name, names, 3) or difflib.get_close_matches(name.lower(), names, 3, 0.4)
        if name in self._by_last:
            paths = ", ".join(dict.fromkeys(e.path for e in self._by_last[name]))
            return f"there is no {address.text!r} here; {name} is found as {paths}"
        if near:
            return f"there is no value named {name!r} here; did you mean {' or '.join(near)}?"
        return f"there is no value named {name!r} here; the names are {', '.join(names[:12]) or 'none'}"

    def select(self, ref: Ref, selectors: tuple[str | int, ...] | list[str | int], text: str = "") -> Ref:
        """The part of a value at labels or zero-based numbers, from the first axis on."""
        from workings.recording.working import Ref

        keys = self.region(ref, tuple(selectors), text)
        while keys and keys[-1] == slice(None):
            keys = keys[:-1]
        if any(isinstance(k, slice) for k in keys):
            raise AddressError(f"{text or selectors}: here ':' may only stand after the numbers or labels")
        return Ref(ref.step, ref.index + tuple(keys))  # type: ignore[arg-type]

    def region(self, ref: Ref, selectors: tuple[str | int, ...], text: str = "") -> tuple[int | slice, ...]:
        """Selectors as indices into a value; ``:`` stays a slice."""
        shape = self._working.steps[ref.step].shape[len(ref.index) :]
        labels = self.labels(ref.step)[len(ref.index) :]
        name = text.partition("[")[0] or self._paths[ref.step]
        if len(selectors) > len(shape):
            what = "a single number" if not shape else f"an array with {len(shape)} axes, of shape {shape}"
            raise AddressError(f"{name} is {what}; {len(selectors)} positions were given")
        out: list[int | slice] = []
        for axis, selector in enumerate(selectors):
            if selector == ":":
                out.append(slice(None))
                continue
            axis_labels = labels[axis] if axis < len(labels) else None
            out.append(_place(selector, shape[axis], axis_labels, axis, name))
        return tuple(out)


def _matches(entry: Entry, address: Address) -> bool:
    """Whether an address names an entry: the last name is the same, the others come before it in order."""
    steps = [p.partition("#") for p in entry.path.split(".")]
    place = len(steps)
    for wanted in reversed(address.parts):
        found = False
        while place:
            place -= 1
            name, _, occurrence = steps[place]
            if name == wanted.name and (wanted.occurrence is None or _occurs(occurrence, wanted.occurrence)):
                found = True
                break
            if place == len(steps) - 1:
                return False
        if not found:
            return False
    return True


def _occurs(written: str, wanted: int) -> bool:
    return written == str(wanted)


def _place(selector: str | int, size: int, labels: tuple[str, ...] | None, axis: int, name: str) -> int:
    if isinstance(selector, str) and labels:
        base, _, occurrence = selector.rpartition("#")
        if selector in labels:
            return labels.index(selector)
        if base in labels and occurrence.isdigit():
            places = [i for i, label in enumerate(labels) if label == base]
            if 1 <= int(occurrence) <= len(places):
                return places[int(occurrence) - 1]
            raise AddressError(f"{name}: {base!r} occurs {len(places)} times along axis {axis}, not {occurrence}")
    try:
        number = int(selector)
    except ValueError:
        near = difflib.get_close_matches(str(selector), labels or (), 2, 0.4)
        known = (
            f"its labels are {', '.join(labels)}" if labels else f"it has no labels; use a number from 0 to {size - 1}"
        )
        hint = f"did you mean {' or '.join(near)}?" if near else known
        raise AddressError(f"{name} has no {selector!r} along axis {axis}; {hint}") from None
    if not -size <= number < size:
        raise AddressError(
            f"{name} has {size} entries along axis {axis}, numbered 0 to {size - 1}; {number} was asked for"
        )
    return number % size


def label_at(labels: tuple[str, ...], place: int) -> str:
    """A label as it is written in an address: told apart as ``the#2`` where it occurs more than once."""
    label = labels[place]
    if labels.count(label) == 1 or labels.index(label) == place:
        return label
    return f"{label}#{labels[: place + 1].count(label)}"
