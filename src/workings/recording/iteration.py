"""Iterables and iterators: every item with its origin, in the order and at the pace Python would give it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording import places
from workings.recording.ledger import CONSTANT, Tag
from workings.recording.working import Ref

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

Item = tuple[Any, Tag]
Handler = Callable[..., Any]
HANDLERS: dict[Any, Handler] = {}
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


def handles(*targets: Any) -> Callable[[Handler], Handler]:
    """Enter a handler for functions: it performs the call and says where its result came from."""

    def mark(handler: Handler) -> Handler:
        for target in targets:
            HANDLERS[target] = handler
        return handler

    return mark


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


def _taps(calls: Calls, boxes: Iterable[Box]) -> list[Tap]:
    return [Tap(iterate(calls, box)) for box in boxes]


@handles(zip)
def _zip(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    taps = _taps(calls, args)
    strict = bool(kwargs["strict"].value) if "strict" in kwargs else False

    def items() -> Iterator[Item]:
        for row in zip(*taps, strict=strict):
            calls.recorder.ledger.shadow(row, [t.last for t in taps])
            yield row, None

    return tap(calls, items(), fresh=True)


@handles(enumerate)
def _enumerate(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    start = args[1].value if len(args) > 1 else kwargs["start"].value if "start" in kwargs else 0

    def items() -> Iterator[Item]:
        for position, (value, tag) in enumerate(iterate(calls, args[0]), start):
            pair = (position, value)
            calls.recorder.ledger.shadow(pair, [CONSTANT, tag])
            yield pair, None

    return tap(calls, items(), fresh=True)


@handles(map, itertools.starmap)
def _map(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    taps = _taps(calls, args[1:])

    def items() -> Iterator[Item]:
        for row in zip(*taps, strict=False):
            boxes = [calls.box(v, t.last) for v, t in zip(row, taps, strict=True)]
            if function is not map:
                boxes = [calls.box(v, t) for v, t in iterate(calls, boxes[0])]
            out = calls.call(frame, args[0].value, boxes, {})
            yield out.value, out.tag

    return tap(calls, items())


@handles(filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)
def _filter(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """The predicate is asked about each item; its answers steer the program."""

    def test(box: Box) -> bool:
        kept = box if args[0].value is None else calls.call(frame, args[0].value, [box], {})
        return calls.recorder.truth(frame, kept)

    boxes = (calls.box(value, tag) for value, tag in iterate(calls, args[1]))
    return tap(calls, ((box.value, box.tag) for box in function(test, boxes)))


@handles(reversed)
def _reversed(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    value = args[0].value
    if type(value) in (list, tuple):
        place = calls.recorder.ledger.place
        count = len(value)
        return tap(calls, ((item, place(value, count - 1 - i)) for i, item in enumerate(reversed(value))))
    if isinstance(value, (np.ndarray, range)):
        values, tags = calls.drain(args[0])
        return tap(calls, iter(list(zip(values, tags, strict=True))[::-1]))
    return NotImplemented


@handles(iter)
def _iter(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    if len(args) == 1 and isinstance(args[0].value, (list, tuple, np.ndarray, range, dict)):
        return tap(calls, iterate(calls, args[0]))
    return NotImplemented


@handles(next)
def _next(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    iterator = args[0].value
    calls.adopt(type(iterator))
    try:
        value, tag = advance(calls, iterator, lambda: next(iterator))
    except StopIteration:
        if len(args) > 1:
            return args[1]
        raise
    finally:
        calls.recorder.current = frame
    return calls.box(value, tag)


@handles(np.ndindex)
def _ndindex(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    def items() -> Iterator[Item]:
        for place in np.ndindex(*[a.value for a in args]):
            calls.recorder.ledger.shadow(place, [CONSTANT] * len(place))
            yield place, None

    for box in args:
        calls.recorder.guard(box, "the bound of a loop")
    return tap(calls, items())


@handles(np.ndenumerate)
def _ndenumerate(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Any:
    array = args[0].value
    if type(array) is not np.ndarray or array.dtype.kind not in "fiubc":
        return NotImplemented

    def items() -> Iterator[Item]:
        ledger = calls.recorder.ledger
        for place, item in np.ndenumerate(array):
            whole = ledger.read(array)
            part = Ref(whole.step, whole.index + place)
            ledger.scalar(item, part)
            pair = (place, item)
            ledger.shadow(place, [CONSTANT] * len(place))
            ledger.shadow(pair, [None, part])
            yield pair, None

    return tap(calls, items())


# -- itertools --------------------------------------------------------------------------------------------------------


def _boxes(calls: Calls, box: Box) -> Iterator[Box]:
    """Items as boxes: itertools moves them about as it would the items themselves."""
    return (calls.box(value, tag) for value, tag in iterate(calls, box))


def _unboxed(calls: Calls, made: Iterable[Any]) -> Iterator[Item]:
    for out in made:
        if type(out) is tuple:
            row = tuple([b.value for b in out])
            if row:
                calls.recorder.ledger.shadow(row, [b.tag for b in out])
            yield row, None
        else:
            yield out.value, out.tag


_ONE = (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations, itertools.islice)
_MANY = (itertools.product, itertools.chain, itertools.pairwise, itertools.cycle, itertools.zip_longest)
_BATCHED = tuple(f for f in (getattr(itertools, "batched", None),) if f is not None)


@handles(*_ONE, *_MANY, *_BATCHED)
def _moving(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    """Functions that only move items about: the first argument, or all, are iterables."""
    several = function in _MANY
    sources = [_boxes(calls, a) for a in (args if several else args[:1])]
    rest = [] if several else args[1:]
    for box in (*rest, *kwargs.values()):
        if box is not kwargs.get("fillvalue"):
            calls.recorder.guard(box, "a count")
    named: dict[str, Any] = {k: v.value for k, v in kwargs.items()}
    if function is itertools.zip_longest:
        named["fillvalue"] = kwargs.get("fillvalue", calls.box(None))
    return tap(calls, _unboxed(calls, function(*sources, *[a.value for a in rest], **named)))


@handles(itertools.chain.from_iterable)
def _chained(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    def items() -> Iterator[Item]:
        for value, tag in iterate(calls, args[0]):
            yield from iterate(calls, calls.box(value, tag))

    return tap(calls, items())


@handles(itertools.compress)
def _compress(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    chosen = (calls.recorder.truth(frame, box) for box in _boxes(calls, args[1]))
    return tap(calls, _unboxed(calls, itertools.compress(_boxes(calls, args[0]), chosen)))


@handles(itertools.repeat)
def _repeat(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is not None:
        calls.recorder.guard(times, "a count")
    made = itertools.repeat(args[0], *([times.value] if times is not None else []))
    return tap(calls, _unboxed(calls, made))


@handles(itertools.accumulate)
def _accumulate(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    by = args[1] if len(args) > 1 else kwargs.get("func")

    def add(total: Box, item: Box) -> Box:
        if by is None or by.value is None:
            return calls.operator(frame, "+", total, item)
        return calls.call(frame, by.value, [total, item], {})

    start = kwargs.get("initial")
    named = {} if start is None or start.value is None else {"initial": start}
    return tap(calls, _unboxed(calls, itertools.accumulate(_boxes(calls, args[0]), add, **named)))


@handles(itertools.count)
def _count(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    start = args[0] if args else kwargs.get("start", calls.box(0, CONSTANT))
    step = args[1] if len(args) > 1 else kwargs.get("step", calls.box(1, CONSTANT))

    def items() -> Iterator[Item]:
        if start.tag is CONSTANT and step.tag is CONSTANT:
            yield from ((value, CONSTANT) for value in itertools.count(start.value, step.value))
        current = start
        while True:
            yield current.value, current.tag
            current = calls.operator(frame, "+", current, step)

    return tap(calls, items())


@handles(itertools.groupby)
def _groupby(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    by = args[1] if len(args) > 1 else kwargs.get("key")

    def key(box: Box) -> Any:
        found = box if by is None or by.value is None else calls.call(frame, by.value, [box], {})
        calls.recorder.guard(found, "a group")
        return found.value

    def items() -> Iterator[Item]:
        for name, group in itertools.groupby(_boxes(calls, args[0]), key):
            pair = (name, Tap((b.value, b.tag) for b in group))
            calls.recorder.ledger.shadow(pair, [CONSTANT, None])
            yield pair, None

    return tap(calls, items())


@handles(itertools.tee)
def _tee(calls: Calls, frame: Frame, function: Any, args: list[Box], kwargs: dict[str, Box]) -> Box:
    made = itertools.tee(_boxes(calls, args[0]), *[a.value for a in args[1:]])
    return calls.box(tuple(Tap((b.value, b.tag) for b in one) for one in made))
