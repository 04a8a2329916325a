"""Iterables and iterators: every item with its origin, in the order and at the pace Python would give it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import places
from workings.recording.ledger import CONSTANT, Tag
from workings.recording.working import Ref

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box

Item = tuple[Any, Tag]
_COUNTED: tuple[type, ...] = (range, str, bytes, dict, set, frozenset, type({}.keys()))


class Tap:
    """An iterator that remembers the origin of the item it gave last."""

    __slots__ = ("_items", "fresh", "last")

    def __init__(self, items: Iterator[Item], fresh: bool = False) -> None:
        self._items = items
        self.fresh = fresh  # its items are tuples that were made for it, and nobody else holds them
        self.last: Tag = None

    def __iter__(self) -> Tap:
        return self

    def __next__(self) -> Any:
        value, self.last = next(self._items)
        return value


def iterate(calls: Calls, box: Box) -> Iterator[Item]:
    """Every item of an iterable with its origin."""
    value = box.value
    kind = type(value)
    if kind is list or kind is tuple or calls.is_sequence(value):
        return _sequence_items(calls, box)
    if type(value) is np.ndarray and value.ndim and value.dtype.kind in "fiubc":
        return _rows(calls, value)
    if isinstance(value, _COUNTED) and kind not in calls.users:
        if isinstance(value, (set, frozenset)):
            calls.recorder.opened_set(value)
        return ((item, CONSTANT) for item in value)  # type: ignore[attr-defined]
    if isinstance(value, np.flatiter) and id(value) in calls.flats:
        return _flat_items(calls, value, calls.flats[id(value)][1])
    if id(value) in calls.views:
        return _entries(calls, *calls.views[id(value)])
    if calls.is_tensor(value):
        rows = calls.recorder.tensors.operation(calls.recorder.current, list, [box])
        return iter([(row, None) for row in rows.value])
    return follow(calls, value)


def _sequence_items(calls: Calls, box: Box) -> Iterator[Item]:
    value = box.value
    if type(box.tag) is tuple:  # the shape of an array
        yield from zip(*calls.items_of(box), strict=True)
        return
    place = calls.recorder.ledger.place
    for position, item in enumerate(value):
        yield item, place(value, position)


def _rows(calls: Calls, array: Any) -> Iterator[Item]:
    ledger = calls.recorder.ledger
    if ledger.read(array).step in calls.recorder.working.varying:
        calls.recorder.guard(places.length(calls, array), "the length of an array")
    for position, item in enumerate(array):
        whole = ledger.read(array)
        part = Ref(whole.step, (*whole.index, position))
        if type(item) is np.ndarray:
            ledger.view(item, array, part, (position,))
            yield item, None
        else:
            ledger.scalar(item, part)
            yield item, part


def _entries(calls: Calls, view: Any, holder: Any) -> Iterator[Item]:
    """``dict.items()`` and ``dict.values()``."""
    ledger = calls.recorder.ledger
    pairs = len(view) > 0 and "items" in type(view).__name__
    for key, entry in zip(holder, view, strict=True):
        if pairs:
            ledger.shadow(entry, [CONSTANT, ledger.entry(holder, key, entry[1])])
            yield entry, None
        else:
            yield entry, ledger.entry(holder, key, entry)


def _flat_items(calls: Calls, iterator: Any, array: Any) -> Iterator[Item]:
    while True:
        place = iterator.coords
        try:
            item = next(iterator)
        except StopIteration:
            return
        whole = calls.recorder.ledger.read(array)
        part = Ref(whole.step, whole.index + tuple(map(int, place)))
        calls.recorder.ledger.scalar(item, part)
        yield item, part


def advance(calls: Calls, iterator: Any, step: Callable[[], Any]) -> Item:
    """Ask an iterator for one item, by ``step``; a generator binds its parameters when it is first asked."""
    recorder = calls.recorder
    recorder.yielded_last = recorder.returned = None
    waiting = calls.generators.pop(id(iterator), None)
    recorder.pending = waiting[1] if waiting is not None else ([calls.box(iterator)], {})
    item = step()
    recorder.pending = None
    if isinstance(iterator, Tap):
        return item, iterator.last
    for seen in (recorder.yielded_last, recorder.returned):
        if seen is not None and seen[0] is item:
            return item, seen[1]
    return item, None


def follow(calls: Calls, value: Any) -> Iterator[Item]:
    """A lazy iterator: a tap of ours, a generator, or an object with a ``__next__`` of its own."""
    kind = type(value)
    calls.adopt(kind)
    if kind in calls.users and not hasattr(kind, "__iter__") and hasattr(kind, "__getitem__"):
        yield from _by_place(calls, value)
        return
    calls.recorder.pending = ([calls.box(value)], {})
    iterator = iter(value)
    calls.recorder.pending = None
    yield from _ask(calls, iterator)


def _by_place(calls: Calls, value: Any) -> Iterator[Item]:
    """The old way to walk: ``value[0]``, ``value[1]``, … until there is no more."""
    frame = calls.recorder.current
    for position in itertools.count():
        try:
            item = calls.getitem(frame, calls.box(value), calls.box(position, CONSTANT))
        except (IndexError, StopIteration):
            return
        yield item.value, item.tag


def _ask(calls: Calls, iterator: Any) -> Iterator[Item]:
    calls.adopt(type(iterator))
    while True:
        try:
            pair = advance(calls, iterator, iterator.__next__)
        except StopIteration:
            return
        yield pair


def tap(calls: Calls, items: Iterator[Item], *, fresh: bool = False) -> Box:
    return calls.box(Tap(items, fresh))
