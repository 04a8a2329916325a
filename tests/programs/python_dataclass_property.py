"""Dataclasses with defaults and __post_init__, read-only properties and a setter."""

import math
from dataclasses import dataclass, field


@dataclass
class Point:
    x: float
    y: float = 0.0

    @property
    def length(self):
        return math.hypot(self.x, self.y)

    def cosine(self, other):
        return (self.x * other.x + self.y * other.y) / (self.length * other.length)


@dataclass
class Cloud:
    points: list = field(default_factory=list)
    scale: float = 1.0

    def __post_init__(self):
        self.size = len(self.points)

    @property
    def centre(self):
        return Point(sum(p.x for p in self.points) / self.size, sum(p.y for p in self.points) / self.size)

    @property
    def spread(self):
        return self._spread * self.scale

    @spread.setter
    def spread(self, value):
        self._spread = value / 2


def program(pairs, scale):
    cloud = Cloud([Point(x, y) for x, y in pairs], scale=scale)
    centre = cloud.centre
    cloud.spread = max(p.length for p in cloud.points)
    angles = [p.cosine(centre) for p in cloud.points]
    return centre.x, centre.y, cloud.spread, angles, Point(scale).length


FIRST = {"pairs": [(1.0, 0.2), (0.1, 1.0), (0.3, 0.6)], "scale": 0.5}
SECOND = {"pairs": [(0.7, -0.4), (1.2, 0.5), (-0.6, 0.9)], "scale": 1.5}
