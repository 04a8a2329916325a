"""Names of values: a unique path for every step, and the way from an address to what it names."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workings.frozen import frozen
from workings.recording.address import Address, AddressError, Part, quote_selector
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
        self._places: dict[int, str] = {}
        self.bound_steps: set[int] = {b.ref.step for b in working.bindings if not b.ref.index}
        self._entries: list[Entry] = []
        self._by_last: dict[str, list[Entry]] = defaultdict(list)
        self._found: dict[str, Ref | None] = {}
        self._name_steps()
        self._alike = self._group_alike()

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

    def named(self) -> list[tuple[str, Ref]]:
        """Every name that the program gave, by its path, with what it last meant."""
        latest = {entry.path: entry.ref for entry in self._entries[: len(self._working.bindings)]}
        return list(latest.items())

    def bound(self) -> Iterator[tuple[Entry, Binding, int]]:
        """Every name that the program gave, with how many groups it stands in."""
        for entry, binding in zip(self._entries, self._working.bindings, strict=False):
            yield entry, binding, self._depth(binding.group)

    def place_name(self, step: int) -> str:
        """``heads[0]``: how the source reaches a value whose path is that of a place in a container; else nothing."""
        return self._places.get(step, "")

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
                    self._places[binding.ref.step] = binding.name if "[" in binding.name else ""
        self._name_rest()

    def _depth(self, group: int) -> int:
        path = self._groups[group]
        return path.count(".") + 1 if path else 0

    def _join(self, group: int, name: str, place: int, total: int) -> str:
        above = self._groups[group]
        root, *keys = name.replace("]", "").split("[")  # what stands in a container is reached like a member
        name = ".".join([root, *map(_as_part, keys)])
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
        ref, selectors = self.whole(address)
        return self.select(ref, selectors, address.text)

    def whole(self, address: Address) -> tuple[Ref, tuple[str, ...]]:
        """The value of which an address names a part, and the selectors of that part.

        The first brackets may say where in a container of the program the value stands: ``params[W][0, 1]``.
        """
        parts, selectors = address.parts, address.selectors
        ref = self._named(parts)
        while ref is None and selectors:
            for count in range(1, len(selectors) + 1):  # a key may be of several parts
                ref = self._named((*parts, Part(_as_part(_said(", ".join(selectors[:count]))))))
                if ref is not None:
                    return ref, selectors[count:]
            parts, selectors = (*parts, Part(_as_part(_said(selectors[0])))), selectors[1:]
        if ref is None:
            raise AddressError(self._not_one(address))
        return ref, selectors

    def leads_to(self, address: str) -> Ref | None:
        """The value that names joined by dots lead to; None where they lead to none or to several.

        The same as :meth:`find`, for the many addresses a page tries out: each is looked up once, and no message made.
        """
        if address not in self._found:
            try:
                parsed = Address.parse(address)
            except AddressError:
                self._found[address] = None
            else:
                self._found[address] = None if parsed.selectors else self._named(parsed.parts)
        return self._found[address]

    def _group_alike(self) -> dict[str, list[list[Entry]]]:
        """By last name, the entries that differ only in their occurrences together, from the shallowest on."""
        out = {}
        for last, entries in self._by_last.items():
            alike: dict[tuple[str, ...], list[Entry]] = {}
            for entry in entries:
                alike.setdefault(entry.parts, []).append(entry)
            out[last] = sorted(alike.values(), key=lambda same: len(same[0].parts))
        return out

    def _named(self, wanted: tuple[Part, ...]) -> Ref | None:
        """The one value of these names: of several, the shallowest, and one that was named before one that was not.

        Entries that differ only in their occurrences stand for the latest of them. Looks no deeper than the answer.
        """
        alike = self._alike.get(wanted[-1].name, [])
        start = bisect_left(alike, len(wanted), key=lambda same: len(same[0].parts))
        unnamed: set[Ref] = set()
        unnamed_depth = depth = 0
        nearest: set[Ref] = set()
        for same in itertools.islice(alike, start, None):
            entry = _latest(same, wanted)
            if entry is None:
                continue
            here = len(entry.parts)
            if here == len(wanted):
                return entry.ref
            if nearest and here > depth:
                break
            if self._is_binding(entry):
                depth = here
                nearest.add(entry.ref)
            elif not unnamed or here == unnamed_depth:
                unnamed_depth = here
                unnamed.add(entry.ref)
        found = nearest or unnamed
        return next(iter(found)) if len(found) == 1 else None

    def _not_one(self, address: Address) -> str:
        """Why an address leads to no value, or to several."""
        alike = self._alike.get(address.parts[-1].name, ())
        found = [e for e in (_latest(same, address.parts) for same in alike) if e is not None]
        if not found:
            return self._unknown(address)
        named = [e for e in found if self._is_binding(e)]
        paths = dict.fromkeys(self.element_path(e.ref) for e in (named or found))  # one name for each value
        candidates = ", ".join(list(paths)[:6])
        return f"{address.text!r} could be any of: {candidates}; say which by putting its group before it"

    def _is_binding(self, entry: Entry) -> bool:
        return entry.order < len(self._working.bindings)

    def _unknown(self, address: Address) -> str:
        import difflib

        name = address.parts[-1].name
        names = sorted({self._working.bindings[e.order].name for e in self._entries if self._is_binding(e)})
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
        name = self.place_name(ref.step) or text.partition("[")[0] or self._paths[ref.step]
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


def place_of(name: str, key: Any) -> str:
    """``params[W]``: where something stands in a container of this name."""
    return f"{name}[{_said(', '.join(map(str, key)) if isinstance(key, tuple) else str(key))}]"


def _said(key: str) -> str:
    return key.translate(_IN_A_KEY)


def _as_part(key: str) -> str:
    """A key as one part of a path."""
    return key.replace(".", "·")


_IN_A_KEY = str.maketrans({"[": "(", "]": ")", "#": "♯"})  # signs that have a meaning in an address


def _latest(same: list[Entry], wanted: tuple[Part, ...]) -> Entry | None:
    """The last of entries with the same names that an address names."""
    names = reversed(same[0].parts)
    if not all(part.name in names for part in reversed(wanted)):  # `in` reads on from the name found before
        return None
    if all(part.occurrence is None for part in wanted):
        return same[-1]
    return next((entry for entry in reversed(same) if _matches(entry, wanted)), None)


def _matches(entry: Entry, wanted: tuple[Part, ...]) -> bool:
    """Whether an address names an entry: the last name is the same, the others come before it in order."""
    steps = [p.partition("#") for p in entry.path.split(".")]
    if not _is(steps.pop(), wanted[-1]):
        return False
    above = reversed(steps)
    return all(any(_is(step, part) for step in above) for part in reversed(wanted[:-1]))


def _is(written: tuple[str, str, str], wanted: Part) -> bool:
    name, _, occurrence = written
    return name == wanted.name and (wanted.occurrence is None or occurrence == str(wanted.occurrence))


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
        import difflib

        if not size:
            raise AddressError(f"{name} has no entries along axis {axis}; {selector!r} was asked for") from None

        near = difflib.get_close_matches(str(selector), labels or (), 2, 0.4)
        known = (
            f"its labels are {', '.join(labels)}" if labels else f"it has no labels; use a number from 0 to {size - 1}"
        )
        hint = f"did you mean {' or '.join(near)}?" if near else known
        raise AddressError(f"{name} has no {selector!r} along axis {axis}; {hint}") from None
    if not size:
        raise AddressError(f"{name} has no entries along axis {axis}; {number} was asked for")
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
