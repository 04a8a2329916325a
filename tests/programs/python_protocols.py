"""Objects that can be indexed, called, entered, walked through, compared, added and asked for what they lack."""


class Ring:
    def __init__(self, *items):
        self._items = items

    def __getitem__(self, i):
        return self._items[i % len(self._items)]

    def __len__(self):
        return len(self._items)

    def __contains__(self, x):
        return any(abs(i - x) < 1e-9 for i in self._items)

    def __bool__(self):
        return len(self) > 1

    def __getattr__(self, name):
        if name == "total":
            return sum(self._items)
        raise AttributeError(name)


class Scaler:
    def __init__(self, k):
        self.k = k
        self.used = 0

    def __call__(self, x, *rest, **named):
        self.used += 1
        return self.k * x + sum(rest) - sum(named.values())

    def __enter__(self):
        self.k *= 2
        return self, self.k

    def __exit__(self, *exc):
        self.k /= 2
        return False


class Money:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __lt__(self, other):
        return self.v < other.v

    def __hash__(self):
        return 7

    def __radd__(self, other):
        return other + self.v

    def __rsub__(self, other):
        return other - self.v

    def __neg__(self):
        return Money(-self.v)

    def __float__(self):
        return float(self.v)

    def __pow__(self, n):
        return self.v**n

    def __iadd__(self, other):
        self.v += other
        return self

    def __divmod__(self, other):
        return divmod(self.v, other)


class Countdown:
    def __init__(self, n, x):
        self.n, self.x = n, x

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 0.5 + self.n
        return self.x


class Seq:
    def __init__(self, xs):
        self.xs = xs

    def __getitem__(self, i):
        if i >= len(self.xs):
            raise IndexError(i)
        return self.xs[i] * 10


def program(x, y, k):
    ring = Ring(x, y, k)
    scale = Scaler(k)
    with scale as (inner, doubled):
        a = inner(x, y, z=k)
    b = scale(x)
    m = Money(x)
    m += y
    found = [i * 2 for i in Countdown(3, x)]
    c = 2.0 + m + float(-m) - (1.0 - Money(y))
    q, r = divmod(Money(abs(x) + 7), 2)
    biggest = max([Money(x), Money(y), Money(x + y)], key=lambda v: v.v * 0 + 1)
    first, *others = Seq([x, y])
    return (
        ring[4],
        ring.total,
        x in ring,
        bool(ring),
        a,
        b,
        doubled,
        scale.used,
        c,
        m**2,
        found,
        q,
        r,
        biggest.v,
        list(Seq([x, y, k])),
        first,
        others,
        sum(Countdown(2, y)),
        getattr(scale, "nope", y),
        m == Money(x + y),
    )


FIRST = {"x": 0.5, "y": 1.25, "k": 2.0}
SECOND = {"x": 0.75, "y": 1.5, "k": 0.3}
