"""A vector class with the usual special methods: indexing, length, iteration, operators on both sides, @."""


class Vector:
    __slots__ = ("items",)

    def __init__(self, items):
        self.items = list(items)

    @classmethod
    def zeros(cls, n):
        return cls([0.0] * n)

    @staticmethod
    def lerp(a, b, t):
        return a * (1 - t) + b * t

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value

    def __iter__(self):
        return iter(self.items)

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other))

    def __iadd__(self, other):
        for i in range(len(self)):
            self[i] += other[i]
        return self

    def __mul__(self, k):
        return Vector(a * k for a in self)

    __rmul__ = __mul__

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self, other))

    def __abs__(self):
        return (self @ self) ** 0.5


def program(a, b, t):
    a, b = Vector(a), Vector(b)
    middle = Vector.lerp(a, b, t)
    total = Vector.zeros(len(a))
    for v in (a, b, 2 * middle):
        total += v
    total[0] = abs(a) * abs(b)
    return list(middle), list(total), a @ b, list(a + b)


FIRST = {"a": [0.5, -1.0, 0.3], "b": [1.5, 0.2, -0.7], "t": 0.25}
SECOND = {"a": [-0.6, 0.9, 1.4], "b": [0.1, 1.1, 0.8], "t": 0.4}
