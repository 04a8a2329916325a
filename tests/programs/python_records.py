"""Frozen dataclass, NamedTuple, Enum, replace, slots, field order, asdict."""

import enum
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, replace
from typing import NamedTuple


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 1.0

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


class Step(NamedTuple):
    rate: float
    decay: float = 0.5

    def next(self):
        return self._replace(rate=self.rate * self.decay)


class Kind(enum.Enum):
    RELU = "relu"
    LEAKY = "leaky"

    def apply(self, v, slope):
        return v if v > 0 else (0.0 if self is Kind.RELU else slope * v)


@dataclass(slots=True)
class Slotted:
    a: float
    b: float


Pair = namedtuple("Pair", "left right")


def program(x, y):
    p = Point(x) + Point(y, x)
    q = replace(p, y=x * y)
    s = Step(x).next().next()
    slotted = Slotted(x, b=y)
    slotted.a += slotted.b
    left, right = Pair(x, y)
    pair = Pair(right=left, left=right)
    table = OrderedDict(a=x, b=y)
    table.move_to_end("a")
    return (
        p.x,
        p.y,
        q.x,
        q.y,
        s.rate,
        s[1],
        Kind("leaky").apply(-abs(x), y),
        Kind.RELU.apply(y * y, x),
        slotted.a,
        pair.left,
        pair[1],
        list(table.values()),
        pair == (y, x),
        s._asdict()["rate"],
    )


FIRST = {"x": 0.5, "y": 1.25}
SECOND = {"x": 0.75, "y": 1.5}
