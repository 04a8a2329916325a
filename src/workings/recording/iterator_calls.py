"""Python's functions that make iterators, and those of ``itertools``: every item keeps its origin."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workings.recording.handlers import Handler, entering
from workings.recording.iteration import Item, Tap, advance, iterate, tap
from workings.recording.ledger import CONSTANT
from workings.recording.working import Ref

if TYPE_CHECKING:
    from workings.recording.calls import Calls
    from workings.recording.recorder import Box, Frame

HANDLERS: dict[Any, Handler] = {}
handles = entering(HANDLERS)


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
