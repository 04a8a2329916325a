"""Generators inside generators, send, return values, early close, context managers made of them, lazy order."""

from contextlib import contextmanager


def inner(x):
    got = yield x
    got = yield got * x
    return got + x


def outer(x, log):
    result = yield from inner(x)
    log.append(result)
    try:
        while True:
            yield result
            result *= 2
    finally:
        log.append(-result)


def tree(node):
    value, children = node
    yield value
    for child in children:
        yield from tree(child)


@contextmanager
def noted(log, value):
    log.append(value)
    yield value * 2
    log.append(value + 1)


def program(x, y):
    log = []
    g = outer(x, log)
    a = next(g)
    b = g.send(y)
    c = g.send(y * 3)
    d = next(g)
    g.close()
    order = []
    lazy = (order.append(v) or v * v for v in (x, y, x + y))
    first = next(lazy)
    rest = list(lazy)
    with noted(log, x) as n, noted(log, y) as m:
        log.append(n * m)
    total = sum(v * w for v in tree((x, [(y, []), (2.0, [(x * y, [])])])) for w in (1, 2))
    return a, b, c, d, log, order, first, rest, total


FIRST = {"x": 0.5, "y": 1.25}
SECOND = {"x": 0.75, "y": 1.5}
